/// What the modules are that an extension imports.
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

    /// The products of Belfry that have a name of Apple's.
    public static let products: Set<String> = [
        "AVFAudio", "AudioToolbox", "CallKit", "Combine", "CommonCrypto", "CoreLocation", "CryptoKit", "ImageIO",
        "Intents", "SQLite3", "UIKit", "UniformTypeIdentifiers", "UserNotifications", "WidgetKit", "os",
    ]

    private static let present: Set<String> = [
        "Cxx", "Dispatch", "Distributed", "ExtensionProcess", "Foundation", "FoundationEssentials",
        "FoundationInternationalization", "FoundationNetworking", "FoundationXML", "Glibc", "Observation",
        "RegexBuilder", "Swift", "Synchronization", "Testing", "XCTest", "_Concurrency", "_StringProcessing",
    ]

    private static let apples: Set<String> = [
        "AVFoundation", "AVKit", "Accelerate", "Accessibility", "Accounts", "ActivityKit", "AdServices", "AdSupport",
        "AddressBook", "AppIntents", "AppTrackingTransparency", "AuthenticationServices", "BackgroundTasks",
        "CarPlay", "CloudKit", "Compression", "Contacts", "ContactsUI", "CoreAudio", "CoreBluetooth", "CoreData",
        "CoreFoundation", "CoreGraphics", "CoreHaptics", "CoreImage", "CoreML", "CoreMedia", "CoreMotion", "CoreNFC",
        "CoreServices", "CoreSpotlight", "CoreTelephony", "CoreText", "CoreVideo", "Darwin", "DeviceCheck",
        "EventKit", "ExternalAccessory", "GameKit", "HealthKit", "HomeKit", "IOKit", "IntentsUI", "JavaScriptCore",
        "LinkPresentation", "LocalAuthentication", "MapKit", "MediaPlayer", "MessageUI", "Messages", "Metal",
        "MetricKit", "MobileCoreServices", "MultipeerConnectivity", "NaturalLanguage", "Network", "NetworkExtension",
        "OSLog", "ObjectiveC", "PDFKit", "PassKit", "Photos", "PhotosUI", "PushKit", "PushToTalk", "QuartzCore",
        "QuickLook", "SafariServices", "SceneKit", "Security", "Social", "Speech", "SpriteKit", "StoreKit",
        "SwiftData", "SwiftUI", "SystemConfiguration", "UserNotificationsUI", "VideoToolbox", "Vision",
        "WatchConnectivity", "WebKit", "XPC", "asl", "notify", "simd", "zlib",
    ]

    /// Where `module` comes from.
    public static func origin(of module: String) -> Origin {
        if products.contains(module) { return .product(module) }
        if present.contains(module) { return .present }
        return apples.contains(module) ? .apple : .foreign
    }
}
