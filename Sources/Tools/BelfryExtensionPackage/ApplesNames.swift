/// Which names are Apple's, as far as a name shows: by its prefix, or because it stands in a list of those that have
/// none. Sources: Apple's reference of each module.
enum ApplesNames {
    /// Whether `name` looks like one of Apple's: two capitals of a framework before a word that begins with one, a
    /// constant of such a framework, or a name that people know.
    static func contains(_ name: String) -> Bool {
        if words.contains(where: { name.hasPrefix($0) }) || withoutPrefix.contains(name) { return true }
        if name.hasPrefix("k"), prefixes.contains(name.dropFirst().prefix(2)) {
            let rest = name.dropFirst(3)
            return rest.first?.isUppercase == true && rest.dropFirst().first?.isUppercase != true
        }
        let rest = name.dropFirst(2)
        guard prefixes.contains(name.prefix(2)), let first = rest.first, first.isUppercase else { return false }
        return rest.hasPrefix("URL") || rest.dropFirst().first?.isLowercase == true
    }

    /// Whether `type` is one of Foundation's that has no prefix.
    static func isOfFoundation(_ type: String) -> Bool { ofFoundation.contains(type) }

    /// Whether types of Apple's have a member `name` that is never an app's own: observation by keys, and what Linux's
    /// Foundation lacks.
    static func isMember(_ name: String) -> Bool { members.contains(name) }

    /// Whether `name` is one of `module`, whose names have no prefix.
    static func isName(_ name: String, of module: String) -> Bool { modules[module]?.contains(name) == true }

    /// Whether `module` has names without a prefix, so that any name may be its.
    static func hasPlainNames(_ module: String) -> Bool { modules[module] != nil }

    private static let prefixes: Set<Substring> = [
        "AB", "AC", "AS", "AT", "AU", "AV", "AX", "BG", "CA", "CB", "CF", "CG", "CH", "CI", "CK", "CL", "CM", "CN",
        "CS", "CT", "CV", "DC", "EK", "GC", "HK", "HM", "IN", "IO", "LA", "LP", "MC", "MF", "MK", "MP", "MT",
        "NE", "NI", "NL", "NS", "NW", "OS", "PH", "PK", "QL", "SC", "SF", "SK", "SL", "ST", "UI", "UN",
        "UT", "VN", "WC", "WK", "WN",
    ]
    private static let words: Set<Substring> = [
        "AudioServices", "AudioQueue", "AudioToolbox", "COMPRESSION_", "CC_", "ExtAudioFile", "KERN_", "MACH_",
        "ObservableObject", "SecAccess", "SecCertificate", "SecIdentity", "SecItem", "SecKey", "SecPolicy", "SecRandom",
        "SecTrust", "SecureEnclave", "SystemSound", "TASK_VM_", "cblas_", "compression_", "dispatch_", "errSec",
        "kAudio", "kCC", "kCF", "kCG", "kSec", "kSystemSound", "kUT", "mach_", "notify_", "nw_", "objc_", "os_",
        "simd_",
        "vDSP_", "vImage", "xpc_",
    ]
    /// Names of Foundation, of its Objective-C runtime and of the kernel that Linux lacks.
    private static let withoutPrefix: Set<String> = [
        "AppleScript", "AudioBufferList", "AudioFileID", "AudioStreamBasicDescription", "DarwinBoolean", "FileWrapper",
        "InflectionRule", "ListFormatter", "Morphology", "RelativeDateTimeFormatter", "Selector", "TermOfAddress",
        "UndoManager", "URLResourceBytes", "class_addMethod", "class_getInstanceMethod", "host_statistics64",
        "kern_return_t", "method_exchangeImplementations", "task_info", "task_vm_info_data_t", "vm_size_t",
    ]
    private static let ofFoundation: Set<String> = [
        "AffineTransform", "AttributedString", "Bundle", "ByteCountFormatter", "CachedURLResponse", "Calendar",
        "CharacterSet", "Data", "Date", "DateComponents", "DateComponentsFormatter", "DateFormatter", "DateInterval",
        "DateIntervalFormatter", "Decimal", "Dimension", "FileHandle", "FileManager", "Formatter", "HTTPCookie",
        "HTTPCookieStorage", "HTTPURLResponse", "ISO8601DateFormatter", "IndexPath", "IndexSet", "InputStream",
        "JSONDecoder", "JSONEncoder", "JSONSerialization", "LengthFormatter", "Locale", "Measurement",
        "MeasurementFormatter", "Notification", "NotificationCenter", "NotificationQueue", "NumberFormatter",
        "Operation", "OperationQueue", "OutputStream", "PersonNameComponents", "PersonNameComponentsFormatter", "Pipe",
        "Port", "Process", "ProcessInfo", "Progress", "PropertyListDecoder", "PropertyListEncoder",
        "PropertyListSerialization", "RunLoop", "Scanner", "Stream", "Thread", "TimeZone", "Timer", "URL",
        "URLAuthenticationChallenge", "URLCache", "URLComponents", "URLCredential", "URLProtectionSpace", "URLProtocol",
        "URLQueryItem", "URLRequest", "URLResponse", "URLSession", "URLSessionConfiguration", "URLSessionDataTask",
        "URLSessionDownloadTask", "URLSessionTask", "URLSessionUploadTask", "UUID", "UserDefaults", "XMLParser",
    ]
    private static let members: Set<String> = [
        "addObserver", "allowsConstrainedNetworkAccess", "allowsExpensiveNetworkAccess", "beginActivity", "bytes",
        "compressed", "dataTaskPublisher", "decompressed", "didChangeValue", "earliestBeginDate", "isDiscretionary",
        "isMacCatalystApp", "isiOSAppOnMac", "multipathServiceType", "notifications", "observe", "observeValue",
        "perform", "publisher", "removeObserver", "resourceBytes", "responds", "sessionSendsLaunchEvents", "setValue",
        "setValuesForKeys", "thermalState", "ubiquityIdentityToken", "value", "waitsForConnectivity", "webSocketTask",
        "willChangeValue",
    ]

    private static let modules: [String: Set<String>] = [
        "Accelerate": ["BLAS", "BNNS", "Quadrature", "vForce"],
        "ActivityKit": [
            "Activity", "ActivityAttributes", "ActivityAuthorizationInfo", "ActivityContent", "ActivityState",
            "ActivityUIDismissalPolicy", "AlertConfiguration",
        ],
        "AppIntents": [
            "AppEntity", "AppEnum", "AppIntent", "AppShortcut", "AppShortcutsProvider", "DisplayRepresentation",
            "EntityQuery", "IntentDescription", "IntentParameter", "IntentResult", "OpenIntent", "ProvidesDialog",
            "TypeDisplayRepresentation", "WidgetConfigurationIntent",
        ],
        "Charts": ["AreaMark", "AxisMarks", "BarMark", "Chart", "LineMark", "PlottableValue", "PointMark", "RuleMark"],
        "CoreTransferable": [
            "CodableRepresentation", "DataRepresentation", "FileRepresentation", "ProxyRepresentation", "Transferable",
        ],
        "FoundationModels": ["Generable", "LanguageModelSession", "SystemLanguageModel"],
        "MetricKit": ["MXDiagnosticPayload", "MXMetricManager", "MXMetricManagerSubscriber", "MXMetricPayload"],
        "SoundAnalysis": [
            "SNAudioFileAnalyzer", "SNAudioStreamAnalyzer", "SNClassifySoundRequest", "SNResultsObserving",
        ],
        "StoreKit": ["AppStore", "AppTransaction", "Product", "Storefront", "Transaction", "VerificationResult"],
        "SwiftData": [
            "FetchDescriptor", "ModelActor", "ModelConfiguration", "ModelContainer", "ModelContext",
            "PersistentIdentifier", "PersistentModel", "Schema", "SchemaMigrationPlan", "VersionedSchema",
        ],
        "SwiftUI": [
            "Alert", "Alignment", "Angle", "Animation", "AnyView", "App", "AppStorage", "Binding", "Button", "Capsule",
            "Circle", "Color", "ColorScheme", "ContentMode", "Divider", "DynamicProperty", "Edge", "EdgeInsets",
            "EmptyView", "EnvironmentKey", "EnvironmentValues", "Font", "ForEach", "Form", "GeometryReader", "Gradient",
            "Group", "HStack", "Image", "ImageRenderer", "Label", "LazyHStack", "LazyVStack", "LinearGradient", "Link",
            "List", "LocalizedStringKey", "Menu", "NavigationLink", "NavigationStack", "NavigationView",
            "ObservedObject", "Path", "Picker", "PreferenceKey", "PreviewProvider", "ProgressView", "Rectangle",
            "RoundedRectangle", "Scene", "ScrollView", "Section", "Shape", "Spacer", "State", "StateObject", "TabView",
            "Text", "TextField", "Toggle", "Transaction", "VStack", "View", "ViewBuilder", "ViewModifier",
            "WindowGroup", "ZStack", "withAnimation",
        ],
        "TipKit": ["Tip", "TipView", "Tips"],
        "Translation": ["LanguageAvailability", "TranslationSession"],
        "WeatherKit": ["CurrentWeather", "Weather", "WeatherAttribution", "WeatherService"],
        "asl": ["asl_log", "asl_new", "asl_open"],
        "simd": ["float2x2", "float3x3", "float4x4", "matrix_float4x4"],
        "zlib": [
            "MAX_WBITS", "Z_BUF_ERROR", "Z_FINISH", "Z_NO_FLUSH", "Z_OK", "Z_STREAM_END", "Z_SYNC_FLUSH",
            "ZLIB_VERSION",
            "adler32", "compress", "crc32", "deflate", "deflateEnd", "deflateInit2_", "deflateInit_", "gzFile",
            "inflate", "inflateEnd", "inflateInit2_", "inflateInit_", "uncompress", "z_stream",
        ],
    ]
}
