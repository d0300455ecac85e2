/// The modules that an extension or an app may import.
public enum KnownModules {
    /// Where a module comes from.
    public enum Origin: Hashable, Sendable {
        /// A product of Belfry's, which the package has to name.
        case product(String)
        /// There without being named: the tool chain's, or one that the package names from the start.
        case present
        /// Apple's, and nothing of that name is here.
        case apple
        /// Somebody else's package, or the app itself.
        case foreign
    }

    /// The products of Belfry that code imports: those that have a name of Apple's, and Belfry's own.
    public static let products: Set<String> = [
        "AVFAudio", "AudioToolbox", "BelfryNumberStore", "CallKit", "Combine", "CommonCrypto", "Compression",
        "Contacts", "CoreLocation", "CoreServices", "CryptoKit", "ImageIO", "Intents", "PushKit", "SQLite3",
        "Security", "UIKit", "UniformTypeIdentifiers", "UserNotifications", "WidgetKit", "os",
    ]

    /// Names that earlier versions of Belfry had products of: others stand in for them.
    static let withdrawn: Set<String> = ["MobileCoreServices", "OSLog", "QuartzCore"]

    private static let present: Set<String> = [
        "Cxx", "DirectoryProcess", "Dispatch", "Distributed", "ExtensionProcess", "Foundation", "FoundationEssentials",
        "FoundationInternationalization", "FoundationNetworking", "FoundationXML", "Glibc", "Observation",
        "RegexBuilder", "Swift", "Synchronization", "Testing", "XCTest", "_Concurrency", "_StringProcessing",
    ]

    private static let apples: Set<String> = [
        "ARKit", "AVFoundation", "AVKit", "Accelerate", "Accessibility", "Accounts", "ActivityKit", "AdServices",
        "AdSupport", "AddressBook", "AppClip", "AppIntents", "AppTrackingTransparency", "AuthenticationServices",
        "BackgroundTasks", "CarPlay", "Charts", "CloudKit", "ContactsUI", "CoreAudio",
        "CoreAudioTypes", "CoreBluetooth", "CoreData", "CoreFoundation", "CoreGraphics", "CoreHaptics", "CoreImage",
        "CoreLocationUI", "CoreMIDI", "CoreML", "CoreMedia", "CoreMotion", "CoreNFC", "CoreSpotlight", "CoreTelephony",
        "CoreText", "CoreTransferable", "CoreVideo", "CryptoTokenKit", "Darwin", "DeviceActivity", "DeviceCheck",
        "EventKit",
        "ExternalAccessory", "FamilyControls", "FileProvider", "FoundationModels", "GLKit", "GameKit", "GameplayKit",
        "GroupActivities", "HealthKit", "HomeKit", "IOKit", "IdentityLookup", "ImagePlayground", "IntentsUI",
        "JavaScriptCore", "LinkPresentation", "LocalAuthentication", "MLCompute", "MachO", "ManagedSettings", "MapKit",
        "MediaPlayer", "MessageUI", "Messages", "Metal", "MetalKit", "MetricKit", "MultipeerConnectivity",
        "NaturalLanguage", "NearbyInteraction", "Network", "NetworkExtension", "ObjectiveC", "PDFKit", "PassKit",
        "PencilKit", "Photos", "PhotosUI", "ProximityReader", "PushToTalk", "QuickLook",
        "QuickLookThumbnailing", "RealityKit", "ReplayKit", "SafariServices", "SceneKit", "SensitiveContentAnalysis",
        "SharedWithYou", "ShazamKit", "Social", "SoundAnalysis", "Speech", "SpriteKit", "StoreKit", "SwiftData",
        "SwiftUI", "Symbols", "SystemConfiguration", "ThreadNetwork", "TipKit", "Translation", "UserNotificationsUI",
        "VideoToolbox", "Vision", "VisionKit", "WatchConnectivity", "WeatherKit", "WebKit", "WorkoutKit", "XPC", "asl",
        "notify", "simd", "zlib",
    ]

    /// The module that brings what people use of one that is not here. A stand-in's name is never longer than the name
    /// that it replaces, so that columns stay.
    private static let standIns = [
        "AVFoundation": "AVFAudio", "ContactsUI": "UIKit", "CoreGraphics": "ImageIO", "LinkPresentation": "UIKit",
        "MapKit": "UIKit", "MessageUI": "UIKit", "MobileCoreServices": "CoreServices", "OSLog": "os",
        "PhotosUI": "UIKit", "QuartzCore": "UIKit", "QuickLook": "UIKit", "SafariServices": "UIKit", "SwiftUI": "UIKit",
        "UserNotificationsUI": "UIKit", "VisionKit": "UIKit", "WebKit": "UIKit",
    ]

    /// What is imported instead of `module`, one of Apple's that is not here: on iOS, `module` brings it along. Nil if
    /// what is here of `module` comes without an import.
    static func standIn(for module: String) -> String? { standIns[module] }

    /// What else comes along on iOS where a file imports a module.
    private static let companions: [(module: String, brings: String)] = [
        ("AVFoundation", "AudioToolbox"), ("AVKit", "AVFAudio"), ("AVKit", "AudioToolbox"), ("ContactsUI", "Contacts"),
    ]

    /// The modules that come along on iOS where a file imports one of `imports`: published code uses those that are
    /// here. Foundation and CryptoKit bring Combine and Security, and so does whatever brings Foundation.
    static func broughtAlong(by imports: Set<String>) -> [String] {
        var brought = companions.filter { imports.contains($0.module) }.map(\.brings)
        if imports.contains(where: { products.contains($0) || apples.contains($0) || $0.hasPrefix("Foundation") }) {
            brought += ["Combine", "Security"]
        }
        return Set(brought).subtracting(imports).sorted()
    }

    /// Where `module` comes from.
    public static func origin(of module: String) -> Origin {
        if products.contains(module) { return .product(module) }
        if present.contains(module) { return .present }
        return apples.contains(module) || withdrawn.contains(module) ? .apple : .foreign
    }
}
