// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// A room of the house on its floor: its arrows are the `imports`, which a test holds against the files. What it runs
/// `beside` itself is built with it and never imported.
func room(_ path: String, imports: [Target.Dependency] = [], beside: [Target.Dependency] = []) -> Target {
    .target(name: name(of: path), dependencies: imports + beside, path: "Sources/\(path)", swiftSettings: strict)
}

func library(_ name: String, pkgConfig: String? = nil, providers: [SystemPackageProvider]? = nil) -> Target {
    .systemLibrary(name: name, path: "Sources/Libraries/\(name)", pkgConfig: pkgConfig, providers: providers)
}

func program(_ path: String, imports: [Target.Dependency]) -> Target {
    .executableTarget(name: name(of: path), dependencies: imports, path: "Sources/\(path)", swiftSettings: strict)
}

func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }

let libraries: [Target] = [
    // Without pkg-config, of which SwiftPM makes a search path that comes before the Makefile's.
    library("CBelfryJansson", providers: [.apt(["libjansson-dev"])]),
    // Typed by hand, so that nobody who builds on Belfry needs their headers: opened when they are needed, never
    // linked.
    library("CBelfrySystemd"),
    library("CBelfryCanberra"),
    library("CBelfryPulse"),
    library("CBelfrySndfile"),
    library("CBelfryZlib"),
    library("CBelfryLinux"),
    library("CBelfryCrypto", providers: [.apt(["libssl-dev"])]),
    // Of belfry-apns alone, and without pkg-config: a package that depends on Belfry needs neither.
    library("CBelfryNGHTTP2", providers: [.apt(["libnghttp2-dev"])]),
    library("CBelfryOpenSSL", providers: [.apt(["libssl-dev"])]),
    // Apple's name, since foreign code imports it: the system's library as it is.
    library("SQLite3", providers: [.apt(["libsqlite3-dev"])]),
    // The module map that `import os.log` needs; its module is called os.
    library("CBelfryOS"),
    library("CBelfryCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    // Typed by hand: of its pkg-config SwiftPM refuses -pthread, with a warning in every dependent's build.
    library("CBelfryPixbuf", providers: [.apt(["libgdk-pixbuf-2.0-dev"])]),
]

let core: [Target] = [
    room("Core/BelfryTerms"),
    room("Core/BelfryJSON", imports: ["BelfryTerms", "CBelfryJansson"]),
    room("Core/BelfryPropertyList", imports: ["BelfryTerms"]),
    room("Core/BelfryPictures", imports: ["BelfryJSON", "BelfryTerms"]),
    room("Core/BelfryProtocol", imports: ["BelfryJSON", "BelfryPictures", "BelfryTerms"]),
    room("Core/CallLedger", imports: ["BelfryTerms", "BelfryPropertyList"]),
    room("Core/Ringing", imports: ["BelfryTerms"]),
    room("Core/DesktopChannel", imports: ["BelfryJSON", "BelfryProtocol", "BelfryTerms"]),
    room("Core/Showing", imports: ["BelfryProtocol", "BelfryTerms", "DesktopChannel"]),
    room("Core/Interception", imports: ["BelfryProtocol", "BelfryTerms"]),
    room("Core/BelfryDevices", imports: ["BelfryTerms"]),
    room("Core/PushAPI", imports: ["BelfryDevices", "BelfryJSON", "BelfryTerms"]),
    room("Core/Forwarding", imports: ["BelfryDevices", "BelfryTerms"]),
    room("Core/Fleet", imports: ["BelfryDevices", "BelfryJSON", "BelfryTerms", "Forwarding"]),
    room("Core/BelfryContacts", imports: ["BelfryTerms"]),
    room("Core/CallDirectory", imports: ["BelfryTerms"]),
    room("Core/KeeperChannel", imports: ["BelfryJSON", "BelfryProtocol", "BelfryTerms", "CallDirectory"]),
    room("Core/CallChannel", imports: ["BelfryJSON", "BelfryProtocol", "BelfryTerms"]),
    room("Core/CallControl", imports: ["BelfryProtocol", "BelfryTerms", "CallChannel", "CallDirectory"]),
]

let system: [Target] = [
    room("System/BelfrySyscalls", imports: ["CBelfryLinux"]),
    room("System/BelfryEventLoop", imports: ["CBelfrySystemd", "CBelfryLinux", "BelfrySyscalls", "BelfryTerms"]),
    room(
        "System/BelfryBus", imports: ["BelfryEventLoop", "BelfrySyscalls", "BelfryTerms", "CBelfrySystemd"]),
    room(
        "System/BelfryLines", imports: ["BelfryEventLoop", "BelfryProtocol", "BelfrySyscalls", "BelfryTerms"]),
    room(
        "System/BelfryPush", imports: ["BelfryEventLoop", "BelfryProtocol", "BelfrySyscalls", "BelfryTerms"]),
    room("System/BelfryEventLoopExecutor", imports: ["BelfryEventLoop", "BelfrySyscalls", "BelfryTerms"]),
    room(
        "System/BelfryAppGroup",
        imports: ["BelfryEventLoop", "BelfrySyscalls", "BelfryPropertyList", "BelfryTerms", "CBelfryLinux"]),
    room(
        "System/RingEar",
        imports: ["CallLedger", "BelfryJSON", "BelfryEventLoop", "BelfryLines", "BelfrySyscalls", "BelfryTerms"]),
    room(
        "System/PushFollowing",
        imports: ["BelfryEventLoop", "BelfryLines", "BelfryProtocol", "BelfrySyscalls", "BelfryTerms", "RingEar"]),
    room(
        "System/GroupLedger",
        imports: [
            "BelfryAppGroup", "RingEar", "CallLedger", "BelfryPropertyList", "BelfryEventLoop", "BelfrySyscalls",
            "BelfryTerms",
        ]),
    room(
        "System/BelfryAlerts",
        imports: ["BelfryAppGroup", "BelfryJSON", "BelfryProtocol", "BelfrySyscalls", "BelfryTerms"]),
    room("System/CallDirectoryFiles", imports: ["BelfryJSON", "BelfrySyscalls", "BelfryTerms", "CallDirectory"]),
    room("System/BelfryApps", imports: ["BelfryJSON", "BelfryPropertyList", "BelfrySyscalls", "BelfryTerms"]),
    room("System/BelfryCommandLine", imports: ["BelfryJSON", "BelfrySyscalls", "BelfryTerms", "CBelfryLinux"]),
    room("System/BelfrySettings", imports: ["BelfryDevices", "BelfrySyscalls", "BelfryTerms", "CallDirectory"]),
    room("System/BelfryDatabase", imports: ["BelfrySyscalls", "SQLite3"]),
    room(
        "System/DeviceRegistry",
        imports: [
            "BelfryAppGroup", "BelfryDatabase", "BelfryDevices", "BelfryEventLoop", "BelfrySyscalls", "BelfryTerms",
        ]),
    room("System/BelfryCrypto", imports: ["BelfrySyscalls", "CBelfryCrypto"]),
    room("System/BelfryTLS", imports: ["BelfryTerms", "CBelfryOpenSSL"]),
    room(
        "System/FleetKeys",
        imports: [
            "BelfryAppGroup", "BelfryCrypto", "BelfryDevices", "BelfryEventLoop", "BelfryJSON", "BelfrySyscalls",
            "BelfryTLS", "BelfryTerms", "Fleet", "FleetLine",
        ]),
    room(
        "System/FleetLine",
        imports: [
            "BelfryCrypto", "BelfryEventLoop", "BelfrySyscalls", "BelfryTLS", "BelfryTerms", "CBelfryLinux", "Fleet",
        ]),
    room("System/BelfryConfinement", imports: ["BelfrySyscalls", "CBelfryLinux"]),
    room("System/BelfryJournal", imports: ["BelfryProtocol", "BelfryTerms", "BelfrySyscalls"]),
    room(
        "System/SystemSound",
        imports: [
            "BelfryEventLoop", "BelfrySyscalls", "BelfryTerms", "CBelfryCanberra", "CBelfryLinux", "CBelfryPulse",
        ]),
    room("System/BelfryVibration", imports: ["BelfryEventLoop", "BelfrySyscalls", "BelfryTerms", "CBelfryLinux"]),
    room("System/BelfrySoundDecoding", imports: ["BelfrySyscalls", "BelfryTerms", "CBelfryLinux", "CBelfrySndfile"]),
]

let service: [Target] = [
    room(
        "Service/PictureFetch",
        imports: [
            "BelfryConfinement", "BelfryPictures", "BelfryTerms", "BelfrySyscalls", "CBelfryCurl", "CBelfryPixbuf",
            "CBelfryLinux",
        ]),
    room(
        "Service/PictureFetcher",
        imports: [
            "BelfryPictures", "BelfryEventLoop", "BelfryProtocol", "BelfrySyscalls", "BelfryTerms", "CBelfryLinux",
        ]),
    room(
        "Service/HTTP2Server",
        imports: [
            "BelfryEventLoop", "BelfrySyscalls", "BelfryTLS", "BelfryTerms", "CBelfryLinux", "CBelfryNGHTTP2",
            "PushAPI",
        ]),
    room(
        "Service/PushEndpoint",
        imports: [
            "BelfryAppGroup", "BelfryDevices", "BelfryEventLoop", "BelfryJSON", "BelfryLines", "BelfryProtocol",
            "BelfrySyscalls", "BelfryTLS", "BelfryTerms", "HTTP2Server", "PushAPI", "PushFollowing",
        ]),
    room(
        "Service/NotificationDelivery",
        imports: [
            "BelfryEventLoop", "Interception", "BelfryProtocol", "BelfryTerms", "BelfrySyscalls", "CBelfryLinux",
            "PushFollowing",
        ]),
    room(
        "Service/ExtensionKeeping",
        imports: [
            "BelfryAppGroup", "BelfryConfinement", "BelfryEventLoop", "BelfryJSON", "BelfryLines", "BelfryPropertyList",
            "BelfryProtocol", "BelfrySyscalls", "BelfryTerms", "CBelfryLinux", "DesktopChannel", "KeeperChannel",
            "Interception", "NotificationDelivery", "SystemSound",
        ]),
    room(
        "Service/DirectoryLoading",
        imports: [
            "BelfryApps", "BelfryContacts", "BelfryEventLoop", "BelfryJSON", "BelfrySyscalls", "BelfryTerms",
            "CallDirectory", "CallDirectoryFiles", "ExtensionKeeping", "KeeperChannel",
        ]),
    room(
        "Service/PushCarrier",
        imports: [
            "BelfryDevices", "BelfryEventLoop", "BelfryLines", "BelfryProtocol", "BelfryPush", "BelfrySyscalls",
            "BelfryTerms", "Fleet",
        ]),
    room(
        "Service/PushQueue",
        imports: [
            "BelfryAppGroup", "BelfryDatabase", "BelfryDevices", "BelfryEventLoop", "BelfryJSON", "BelfrySyscalls",
            "BelfryTerms", "DeviceRegistry", "Fleet", "Forwarding", "PushCarrier",
        ]),
    room(
        "Service/FleetAgent",
        imports: [
            "BelfryDevices", "BelfryEventLoop", "BelfryLines", "BelfrySyscalls", "BelfryTerms", "DeviceRegistry",
            "Fleet", "FleetLine", "Forwarding", "PushCarrier",
        ]),
    room(
        "Service/FleetRelay",
        imports: [
            "BelfryDevices", "BelfryEventLoop", "BelfryLines", "BelfrySyscalls", "BelfryTerms", "DeviceRegistry",
            "Fleet", "FleetLine",
        ]),
    room(
        "Service/Desktop",
        imports: [
            "BelfryAppGroup", "BelfryBus", "BelfryEventLoop", "BelfryJSON", "BelfryLines", "BelfryPictures",
            "BelfryProtocol", "BelfrySyscalls", "BelfryTerms", "BelfryVibration", "CallChannel", "CallLedger",
            "DesktopChannel", "GroupLedger", "RingEar", "NotificationDelivery", "Showing",
        ]),
    room(
        "Service/BelfryServe",
        imports: [
            "BelfryEventLoop", "BelfryJSON", "BelfryLines", "BelfrySettings", "BelfrySyscalls", "BelfryTerms",
            "CBelfryLinux", "Fleet", "Interception", "RingEar",
        ]),
    room(
        "Service/CallCentre",
        imports: [
            "BelfryAppGroup", "BelfryApps", "BelfryDevices", "BelfryEventLoop", "BelfryJSON", "BelfryJournal",
            "BelfryLines", "BelfryProtocol", "BelfryPush", "BelfrySyscalls", "BelfryTerms", "CallChannel",
            "CallControl", "CallDirectory", "CallDirectoryFiles", "CallLedger", "DesktopChannel", "DeviceRegistry",
            "DirectoryLoading", "ExtensionKeeping", "GroupLedger", "NotificationDelivery", "RingEar", "SystemSound",
        ]),
    room(
        "Service/CallService",
        imports: [
            "BelfryBus", "BelfryLines", "CallChannel", "NotificationDelivery", "PictureFetcher", "BelfryPictures",
            "Ringing", "CallDirectory", "CallLedger", "GroupLedger", "RingEar",
            "SystemSound", "BelfryAppGroup", "DesktopChannel", "Showing",
            "BelfryProtocol", "BelfryEventLoop", "BelfryTerms", "Interception", "BelfrySyscalls",
        ]
    ),
]

let tools: [Target] = [
    room("Tools/BelfryGlueFile"),
    room("Tools/BelfryExtensionPackage", imports: ["BelfryJSON", "BelfryPropertyList", "BelfryTerms"]),
]

let apple: [Target] = [
    room(
        "Apple/BelfryAppleGround",
        imports: [
            "BelfryAppGroup", "BelfryJSON", "BelfryPropertyList", "BelfrySyscalls", "BelfryTerms", "CallLedger",
            "KeeperChannel",
        ]),
    room(
        "Apple/UserNotifications",
        imports: [
            "BelfryAppGroup", "BelfryAppleGround", "BelfryJSON", "BelfryPictures", "BelfryPropertyList",
            "BelfryProtocol", "BelfryTerms", "CoreLocation", "KeeperChannel", "Interception",
        ]),
    room(
        "Apple/AudioToolbox",
        imports: ["BelfryAppleGround", "BelfrySoundDecoding", "BelfrySyscalls", "BelfryTerms", "KeeperChannel"]),
    room(
        "Apple/AVFAudio",
        imports: [
            "BelfryAppleGround", "BelfrySoundDecoding", "BelfrySyscalls", "BelfryTerms", "CBelfryPulse",
            "CBelfrySndfile", "ImageIO", "KeeperChannel",
        ]),
    room(
        "Apple/BelfryAppDoor",
        imports: [
            "BelfryAppGroup", "BelfryAppleGround", "BelfryProtocol", "BelfrySyscalls", "BelfryTerms", "CBelfryLinux",
            "CallChannel", "RingEar",
        ]),
    room(
        "Apple/CallKit",
        imports: [
            "AVFAudio", "BelfryAppDoor", "BelfryAppGroup", "BelfryAppleGround", "BelfryPictures", "BelfryPropertyList",
            "BelfrySoundDecoding", "BelfrySyscalls", "BelfryTerms", "CallChannel", "CallDirectory", "KeeperChannel",
        ]),
    room(
        "Apple/DirectoryProcess",
        imports: [
            "BelfryAppleGround", "BelfrySyscalls", "BelfryTerms", "CBelfryLinux", "CallDirectory", "CallKit",
            "KeeperChannel",
        ]),
    room(
        "Apple/PushKit",
        imports: ["AVFAudio", "BelfryAppDoor", "BelfryAppleGround", "BelfrySyscalls", "BelfryTerms", "CallChannel"]),
    room(
        "Apple/BelfryNumberStore",
        imports: [
            "BelfryAppDoor", "BelfryAppGroup", "BelfryAppleGround", "BelfrySyscalls", "BelfryTerms", "CallKit",
        ]),
    room("Apple/Combine"),
    room("Apple/Compression", imports: ["BelfryAppleGround", "BelfrySyscalls", "BelfryTerms", "CBelfryZlib"]),
    room("Apple/Contacts", imports: ["BelfryAppleGround", "BelfryContacts", "BelfrySyscalls", "BelfryTerms"]),
    room("Apple/CoreLocation", imports: ["BelfryAppleGround", "BelfryTerms"]),
    room("Apple/CommonCrypto", imports: ["BelfryCrypto"]),
    room("Apple/CoreServices", imports: ["BelfryAppleGround", "UniformTypeIdentifiers"]),
    room("Apple/Security", imports: ["BelfryAppGroup", "BelfryAppleGround", "BelfryPropertyList", "BelfryTerms"]),
    room("Apple/UniformTypeIdentifiers"),
    room("Apple/CryptoKit", imports: ["BelfryCrypto"]),
    room(
        "Apple/ImageIO", imports: ["BelfryAppleGround", "BelfryPictures", "BelfrySyscalls", "BelfryTerms"]),
    room(
        "Apple/Intents",
        imports: [
            "BelfryAppGroup", "BelfryAppleGround", "BelfryPictures", "BelfryPropertyList", "BelfryProtocol",
            "BelfryTerms", "KeeperChannel", "UserNotifications",
        ]),
    room("Apple/_Testing_UIKit", imports: ["UIKit"]),
    room(
        "Apple/UIKit",
        imports: ["BelfryAppDoor", "BelfryAppleGround", "BelfrySyscalls", "BelfryTerms", "ImageIO"]),
    room("Apple/WidgetKit", imports: ["BelfryAppleGround", "BelfryTerms", "KeeperChannel"]),
    room("Apple/os", imports: ["BelfryAppleGround", "BelfryTerms", "CBelfryOS", "KeeperChannel"]),
    room(
        "Apple/ExtensionProcess",
        imports: [
            "BelfryAppleGround", "BelfryProtocol", "BelfrySyscalls", "BelfryTerms", "KeeperChannel",
            "UserNotifications",
        ]),
]

let client: [Target] = [
    room(
        "Client/BelfryClient",
        imports: [
            "BelfryProtocol", "BelfryAppGroup", "BelfryEventLoop", "BelfryEventLoopExecutor", "BelfryJSON",
            "BelfryPush", "BelfrySyscalls", "BelfryTerms", "CallLedger", "GroupLedger", "RingEar",
        ]
    ),
    room(
        "Client/BelfryTesting",
        imports: [
            "BelfryAppGroup", "BelfryClient", "BelfryDevices", "BelfryEventLoop", "BelfryEventLoopExecutor",
            "BelfryJSON", "BelfryLines", "BelfryProtocol", "BelfryPush", "BelfryServe", "BelfrySettings",
            "BelfrySyscalls", "BelfryTerms", "CallLedger", "ExtensionKeeping", "GroupLedger", "PushAPI",
            "PushFollowing", "RingEar",
        ],
        beside: ["belfry-worker"]),
    room(
        "Client/ExtensionTesting",
        imports: [
            "BelfryAppGroup", "BelfryEventLoop", "BelfryEventLoopExecutor", "BelfryLines", "BelfrySyscalls",
            "BelfryTerms", "BelfryTesting", "CallDirectory", "CallDirectoryFiles", "CallKit", "DirectoryLoading",
            "ExtensionKeeping", "ExtensionProcess", "KeeperChannel", "UserNotifications",
        ]),
    room(
        "Client/CallTesting",
        imports: [
            "BelfryAppDoor", "BelfryAppleGround", "BelfryEventLoop", "BelfryEventLoopExecutor", "BelfryLines",
            "BelfryProtocol", "BelfrySyscalls", "BelfryTerms", "BelfryTesting", "CallChannel", "UIKit",
        ],
        beside: ["belfry-calls"]),
]

let programs: [Target] = [
    program("Programs/belfry-glue", imports: ["BelfryGlueFile", "BelfrySyscalls"]),
    program("Programs/belfry-avatar", imports: ["PictureFetch", "BelfrySyscalls"]),
    program(
        "Programs/belfry-desktop",
        imports: [
            "BelfryAppGroup", "BelfryEventLoop", "BelfrySettings", "BelfrySyscalls", "BelfryTerms", "Desktop",
            "RingEar", "Showing",
        ]
    ),
    program(
        "Programs/belfry-calls",
        imports: [
            "BelfryAppGroup", "BelfryApps", "BelfryEventLoop", "BelfryJournal", "BelfryPush", "BelfrySettings",
            "BelfrySyscalls", "BelfryTerms", "CallCentre", "CallChannel", "CallControl", "CallDirectoryFiles",
            "RingEar",
        ]),
    // It starts an extension's process through the worker.
    program(
        "Programs/belfry-directory",
        imports: [
            "BelfryAppGroup", "BelfryConfinement", "BelfryEventLoop", "BelfrySettings", "BelfrySyscalls",
            "DirectoryLoading",
        ]),
    program(
        "Programs/belfry-apns",
        imports: [
            "BelfryAppGroup", "BelfryCommandLine", "BelfryConfinement", "BelfryDevices", "BelfryEventLoop",
            "BelfryJSON", "BelfryPush", "BelfrySettings", "BelfrySyscalls", "BelfryTLS", "BelfryTerms", "CBelfryLinux",
            "DeviceRegistry", "Fleet", "FleetKeys", "HTTP2Server", "PushAPI", "PushCarrier", "PushEndpoint",
            "PushFollowing",
            "PushQueue", "RingEar",
        ]),
    program(
        "Programs/belfry-fleet",
        imports: [
            "BelfryAppGroup", "BelfryCommandLine", "BelfryConfinement", "BelfryDevices", "BelfryEventLoop",
            "BelfryJSON", "BelfryPush", "BelfrySettings", "BelfrySyscalls", "BelfryTerms", "DeviceRegistry", "Fleet",
            "FleetAgent", "FleetKeys", "FleetLine", "FleetRelay", "PushAPI", "PushCarrier", "RingEar",
        ]),
    program(
        "Programs/belfry-worker",
        imports: [
            "NotificationDelivery", "CallService", "GroupLedger", "RingEar", "BelfrySettings", "BelfryEventLoop",
            "BelfryAlerts", "BelfryAppGroup", "BelfryBus", "BelfryJSON", "DesktopChannel", "Showing",
            "BelfryProtocol", "BelfryJournal", "BelfrySyscalls", "BelfryTerms", "CallDirectoryFiles", "CallLedger",
            "Interception", "ExtensionKeeping", "PictureFetcher", "PushFollowing", "SystemSound",
        ]
    ),
    program(
        "Programs/belfry",
        imports: [
            "BelfryAlerts", "BelfryPush", "BelfryCommandLine", "BelfryServe", "Ringing", "BelfryAppGroup",
            "BelfryApps", "BelfryBus", "BelfryContacts", "BelfryDevices", "BelfryExtensionPackage", "BelfryLines",
            "CallChannel", "CallControl", "CallDirectory", "CallDirectoryFiles", "CallLedger", "Desktop",
            "DirectoryLoading", "ExtensionKeeping", "Fleet",
            "GroupLedger", "RingEar", "BelfrySettings", "BelfryEventLoop",
            "BelfryProtocol", "BelfryPropertyList", "BelfryJSON", "BelfrySyscalls", "BelfryTerms", "BelfryVibration",
            "Interception", "PushFollowing",
            "SystemSound", "CBelfryLinux",
        ]
    ),
]

/// What an extension's package runs as it is built.
let plugins: [Target] = [
    .plugin(name: "ExtensionGlue", capability: .buildTool(), dependencies: ["belfry-glue"])
]

/// The floors up to one, for the tests of its rooms.
let upToCore = libraries + core
let upToSystem = upToCore + system
let upToService = upToSystem + service

/// A part of the tests may import each room of `floors`. What else its tests import, or run, stands in `also`.
func tests(_ name: String, of floors: [Target], also: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name, dependencies: floors.map { .byName(name: $0.name) } + ["Support"] + also, swiftSettings: strict)
}

/// An app's calling code, which nobody of us would write so.
func foreignApp(_ name: String, _ settings: [SwiftSetting]) -> Target {
    .target(
        name: name, dependencies: ["CallKit", "PushKit"], path: "Tests/\(name)",
        swiftSettings: settings + [.treatAllWarnings(as: .error)])
}

let checks: [Target] = [
    .target(
        name: "Support",
        dependencies: [
            "BelfryBus", "BelfryConfinement", "BelfryCrypto", "BelfryEventLoop", "BelfryJSON", "BelfrySoundDecoding",
            "BelfrySyscalls", "BelfryTerms", "CBelfryLinux", "CBelfrySndfile", "CallChannel", "CallDirectory",
            "CallDirectoryFiles", "CallService",
        ],
        path: "Tests/Support",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "test-tool",
        dependencies: [
            "BelfryAppGroup", "BelfryDevices", "BelfryEventLoop", "BelfryPropertyList", "BelfrySoundDecoding",
            "BelfrySyscalls", "BelfryTerms", "DeviceRegistry", "PushCarrier", "PushQueue", "Support", "SystemSound",
        ],
        path: "Tests/TestTool",
        swiftSettings: strict
    ),
    // A server's module whose types have the names of Belfry's.
    .target(name: "ServerUnderTest", path: "Tests/ServerUnderTest", swiftSettings: strict),
    // As Xcode makes an extension, in the language mode of nearly all of them.
    .target(
        name: "ForeignExtension",
        dependencies: ["UserNotifications", "os"],
        path: "Tests/ForeignExtension",
        swiftSettings: [
            .swiftLanguageMode(.v5), .enableUpcomingFeature("BareSlashRegexLiterals"), .treatAllWarnings(as: .error),
        ]
    ),
    // What published extensions name beside notifications, as they name it, in a module with its generated file.
    .target(
        name: "ForeignSurface",
        dependencies: [
            "AVFAudio", "AudioToolbox", "Combine", "Compression", "Contacts", "CoreLocation", "ImageIO", "Security",
            "UserNotifications",
        ],
        path: "Tests/ForeignSurface",
        swiftSettings: [
            .swiftLanguageMode(.v5), .enableUpcomingFeature("BareSlashRegexLiterals"), .treatAllWarnings(as: .error),
        ],
        plugins: ["ExtensionGlue"]
    ),
    // An app's calling code as it is published: in the language mode of nearly all of it, in that of today, and as
    // Xcode 26 makes new ones.
    foreignApp("ForeignApp", [.swiftLanguageMode(.v5)]),
    foreignApp("ForeignApp6", []),
    foreignApp("ForeignAppOnMain", [.defaultIsolation(MainActor.self)]),
    .executableTarget(
        name: "ExtensionSample",
        dependencies: [
            "AudioToolbox", "CallKit", "ExtensionProcess", "SQLite3", "Security", "UIKit", "UserNotifications", "os",
        ],
        path: "Tests/ExtensionSample",
        swiftSettings: strict
    ),
    // A ringing extension as apps have it, unedited: it blocks, vibrates and polls its group.
    .executableTarget(
        name: "RingingExtension",
        dependencies: ["AVFAudio", "AudioToolbox", "ExtensionProcess", "UIKit", "UserNotifications"],
        path: "Tests/RingingExtension",
        swiftSettings: [.swiftLanguageMode(.v5), .enableUpcomingFeature("BareSlashRegexLiterals")],
        plugins: ["ExtensionGlue"]
    ),
    // An app's delegate as Xcode makes one, in the language mode of nearly all of them.
    .executableTarget(
        name: "AppSample",
        dependencies: ["CallKit", "PushKit", "UIKit", "UserNotifications"],
        path: "Tests/AppSample",
        swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)],
        plugins: ["ExtensionGlue"]
    ),
    // An app whose calling code does what each push says, right or wrong.
    .executableTarget(
        name: "CallingApp",
        dependencies: ["CallKit", "PushKit", "UIKit"],
        path: "Tests/CallingApp",
        swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]
    ),
    // Xcode's template of a call directory, unedited, and a handler that does what is written beside it.
    .executableTarget(
        name: "DirectorySample",
        dependencies: ["CallKit", "DirectoryProcess", "UserNotifications", "os"],
        path: "Tests/DirectorySample",
        swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)],
        plugins: ["ExtensionGlue"]
    ),
    .executableTarget(
        name: "simulate",
        dependencies: [
            "BelfryAppGroup", "BelfryEventLoop", "BelfryJSON", "BelfryPictures", "BelfryPropertyList",
            "BelfryProtocol", "BelfrySyscalls", "BelfryTerms", "CBelfryLinux", "CallChannel", "CallLedger",
            "CallService", "GroupLedger", "Interception", "PictureFetcher", "RingEar", "NotificationDelivery",
            "Support", "SystemSound",
        ],
        path: "Tests/Simulate",
        swiftSettings: strict
    ),
    tests("TidyTests", of: upToSystem),
    tests("CoreTests", of: upToCore),
    tests("CallLedgerTests", of: upToCore),
    tests("SystemTests", of: upToSystem, also: ["test-tool"]),
    tests("GroupTests", of: upToSystem, also: ["test-tool"]),
    tests("ServiceTests", of: upToService),
    tests("EndpointTests", of: upToService + client, also: ["belfry-apns", "belfry-worker", "test-tool"]),
    tests(
        "AppleTests", of: upToSystem + apple,
        also: ["AppSample", "ForeignApp", "ForeignApp6", "ForeignAppOnMain", "ForeignExtension", "ForeignSurface"]),
    tests(
        "ExtensionTests", of: upToService + tools + apple + client,
        also: [
            "DirectorySample", "ExtensionSample", "RingingExtension", "belfry", "belfry-directory", "belfry-worker",
        ]),
    tests(
        "ClientTests", of: upToService + client,
        also: ["ServerUnderTest", "belfry", "belfry-apns", "belfry-fleet", "belfry-worker"]),
    tests("CommandLineTests", of: upToSystem + tools, also: ["belfry", "belfry-apns", "belfry-fleet"]),
    tests("SimulationTests", of: [], also: ["simulate"]),
    tests("IntegrationTests", of: upToSystem, also: ["AppSample", "CallingApp", "PushCarrier", "belfry-avatar"]),
]

/// Only where Tests/fuzz asks for them: they need libFuzzer to link.
let fuzzers: [Target] =
    Context.environment["BELFRY_FUZZ"] == nil
    ? []
    : [
        .systemLibrary(name: "CFuzzer", path: "Tests/CFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "BelfryContacts", "BelfryDevices", "BelfryExtensionPackage", "BelfryJSON", "BelfryJournal",
                "BelfryPictures",
                "BelfryPropertyList", "BelfryProtocol", "BelfrySettings", "BelfrySyscalls", "BelfryTLS", "BelfryTerms",
                "CBelfryLinux", "CFuzzer", "CallChannel", "CallControl", "CallDirectory",
                "CallLedger", "DesktopChannel", "DirectoryLoading", "Fleet", "Forwarding",
                "KeeperChannel",
                "PictureFetch",
                "PushAPI", "PushEndpoint", "RingEar", "SystemSound",
            ],
            path: "Tests/Fuzz",
            exclude: ["seeds"],
            swiftSettings: strict
        ),
    ]

let package = Package(
    name: "belfry",
    products: [
        .library(name: "BelfryClient", targets: ["BelfryClient", "BelfryProtocol", "BelfryJSON", "BelfryTerms"]),
        .library(name: "BelfryTesting", targets: ["BelfryTesting"]),
        .library(name: "ExtensionTesting", targets: ["ExtensionTesting"]),
        .library(name: "CallTesting", targets: ["CallTesting"]),
        .library(name: "UserNotifications", targets: ["UserNotifications"]),
        .library(name: "AudioToolbox", targets: ["AudioToolbox"]),
        .library(name: "AVFAudio", targets: ["AVFAudio"]),
        .library(name: "BelfryNumberStore", targets: ["BelfryNumberStore"]),
        .library(name: "CallKit", targets: ["CallKit"]),
        .library(name: "Combine", targets: ["Combine"]),
        .library(name: "Compression", targets: ["Compression"]),
        .library(name: "Contacts", targets: ["Contacts"]),
        .library(name: "CoreLocation", targets: ["CoreLocation"]),
        .library(name: "CoreServices", targets: ["CoreServices"]),
        .library(name: "CommonCrypto", targets: ["CommonCrypto"]),
        .library(name: "SQLite3", targets: ["SQLite3"]),
        .library(name: "Security", targets: ["Security"]),
        .library(name: "PushKit", targets: ["PushKit"]),
        .library(name: "UniformTypeIdentifiers", targets: ["UniformTypeIdentifiers"]),
        .library(name: "CryptoKit", targets: ["CryptoKit"]),
        .library(name: "ImageIO", targets: ["ImageIO"]),
        .library(name: "Intents", targets: ["Intents"]),
        .library(name: "UIKit", targets: ["UIKit", "_Testing_UIKit"]),
        .library(name: "WidgetKit", targets: ["WidgetKit"]),
        .library(name: "os", targets: ["os"]),
        .library(name: "DirectoryProcess", targets: ["DirectoryProcess"]),
        .library(name: "ExtensionProcess", targets: ["ExtensionProcess"]),
        .plugin(name: "ExtensionGlue", targets: ["ExtensionGlue"]),
        .executable(name: "belfry", targets: ["belfry"]),
        .executable(name: "belfry-worker", targets: ["belfry-worker"]),
        .executable(name: "belfry-desktop", targets: ["belfry-desktop"]),
        .executable(name: "belfry-avatar", targets: ["belfry-avatar"]),
        .executable(name: "belfry-apns", targets: ["belfry-apns"]),
        .executable(name: "belfry-fleet", targets: ["belfry-fleet"]),
        .executable(name: "belfry-calls", targets: ["belfry-calls"]),
        .executable(name: "belfry-directory", targets: ["belfry-directory"]),
    ],
    targets: libraries + core + system + service + tools + apple + client + programs + plugins + checks + fuzzers,
    swiftLanguageModes: [.v6]
)
