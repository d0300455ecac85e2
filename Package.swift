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

/// A room of the house: its arrows are the `imports`, which a test holds against the files.
func room(_ name: String, imports: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: imports, swiftSettings: strict)
}

func program(_ name: String, imports: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: imports, swiftSettings: strict)
}

func tests(_ name: String, of subjects: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: subjects, swiftSettings: strict)
}

let systemLibraries: [Target] = [
    // Without pkg-config, of which SwiftPM makes a search path that comes before the Makefile's.
    .systemLibrary(name: "CJansson", providers: [.apt(["libjansson-dev"])]),
    // Headers alone: these are opened when they are needed, never linked.
    .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CPlist", providers: [.apt(["libplist-dev"])]),
    .systemLibrary(name: "CCanberra", providers: [.apt(["libcanberra-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CPixbuf", pkgConfig: "gdk-pixbuf-2.0", providers: [.apt(["libgdk-pixbuf-2.0-dev"])]),
]

let pure: [Target] = [
    room("BootTime"),
    room("CallTerms"),
    room("Notifications", imports: ["JSON"]),
    room("PushPayload", imports: ["Notifications", "JSON", "BootTime", "CallTerms"]),
    room("CallLedger", imports: ["BootTime", "CallTerms", "PropertyList"]),
    room("Ringing", imports: ["BootTime", "CallTerms"]),
    room("Interception", imports: ["Notifications", "BootTime"]),
    room("Events", imports: ["Notifications", "JSON", "CallTerms"]),
    room("AvatarPolicy", imports: ["JSON"]),
    room("AvatarCache", imports: ["AvatarPolicy", "JSON"]),
]

let drivers: [Target] = [
    room("JSON", imports: ["CJansson"]),
    room("PropertyList", imports: ["CPlist"]),
    room("Syscalls", imports: ["CLinux"]),
    room("EventLoop", imports: ["CSystemd", "CLinux", "Syscalls", "BootTime"]),
    room("EventLoopExecutor", imports: ["EventLoop", "Syscalls", "BootTime"]),
    room("AppGroup", imports: ["EventLoop", "Syscalls", "PropertyList", "BootTime", "CLinux"]),
    room("Configuration", imports: ["Syscalls", "BootTime", "CallTerms"]),
    room("Confinement", imports: ["CLinux", "Syscalls"]),
    room("AvatarFetch", imports: ["AvatarPolicy", "Confinement", "CCurl", "CPixbuf", "CLinux", "Syscalls"]),
    room("Journal", imports: ["Events", "CallTerms", "Notifications", "Syscalls"]),
    room("SystemSound", imports: ["EventLoop", "Syscalls", "BootTime", "CCanberra", "CLinux"]),
    room(
        "Attachments",
        imports: ["AvatarCache", "AvatarPolicy", "EventLoop", "Notifications", "Syscalls", "BootTime", "CLinux"]),
    room(
        "ServiceHost",
        imports: [
            "EventLoop", "Interception", "Events", "Notifications", "PushPayload", "BootTime", "Syscalls", "CLinux",
        ]
    ),
    room(
        "CallService",
        imports: [
            "ServiceHost", "Attachments", "AvatarPolicy", "Ringing", "CallLedger", "SystemSound", "AppGroup",
            "PushPayload", "Notifications", "Events",
            "EventLoop", "BootTime", "PropertyList", "Interception", "CallTerms", "Syscalls",
        ]
    ),
    room(
        "PushClient",
        imports: ["PushPayload", "Events", "EventLoop", "EventLoopExecutor", "JSON", "Syscalls", "BootTime"]
    ),
]

let programs: [Target] = [
    program("belfry-avatar", imports: ["AvatarFetch", "Syscalls"]),
    program(
        "belfry-worker",
        imports: [
            "ServiceHost", "CallService", "Configuration", "EventLoop", "AppGroup", "PushPayload", "Events", "Journal",
            "Syscalls", "BootTime", "CallLedger", "Interception", "Notifications", "Attachments", "CLinux",
        ]
    ),
    program(
        "belfry",
        imports: [
            "PushClient", "AppGroup", "CallLedger", "Configuration", "EventLoop", "Events", "PropertyList", "JSON",
            "Syscalls", "BootTime", "PushPayload", "SystemSound", "Notifications", "CallTerms", "CLinux",
        ]
    ),
]

let checks: [Target] = [
    .target(
        name: "Support",
        dependencies: ["EventLoop", "Syscalls", "BootTime", "CLinux"],
        path: "Tests/Support",
        swiftSettings: strict
    ),
    tests("SyscallsTests", of: ["Syscalls", "CLinux", "Support"]),
    tests("EventLoopExecutorTests", of: ["EventLoopExecutor", "EventLoop", "Syscalls", "BootTime", "Support"]),
    .executableTarget(
        name: "group-tool",
        dependencies: ["AppGroup", "EventLoop", "PropertyList", "Syscalls", "BootTime", "CLinux"],
        path: "Tests/GroupTool",
        swiftSettings: strict
    ),
    tests(
        "AppGroupTests",
        of: ["AppGroup", "EventLoop", "Syscalls", "PropertyList", "BootTime", "Support", "CLinux", "group-tool"]
    ),
    tests("EventLoopTests", of: ["EventLoop", "Syscalls", "BootTime", "Support", "CLinux"]),
    tests(
        "CallServiceTests",
        of: [
            "AppGroup", "Attachments", "AvatarPolicy", "CallService", "CallLedger", "CallTerms", "Events", "EventLoop",
            "Interception", "Notifications", "PropertyList", "PushPayload", "Ringing", "ServiceHost", "Support",
            "Syscalls",
            "BootTime",
        ]),
    tests("RingingTests", of: ["Ringing", "BootTime", "CallTerms"]),
    tests("JSONTests", of: ["JSON", "Support"]),
    tests("PropertyListTests", of: ["PropertyList", "Support"]),
    tests("NotificationsTests", of: ["Notifications", "JSON"]),
    tests("PushPayloadTests", of: ["PushPayload", "Notifications", "JSON", "BootTime", "CallTerms", "Support"]),
    tests(
        "ServiceHostTests",
        of: ["ServiceHost", "CallTerms", "Events", "EventLoop", "Notifications", "Syscalls", "Support", "BootTime"]),
    tests("InterceptionTests", of: ["Interception", "Notifications", "BootTime"]),
    tests("EventsTests", of: ["Events", "CallTerms", "JSON", "Notifications"]),
    tests("TidyTests", of: ["AvatarPolicy", "CallLedger", "CallTerms", "Events", "Notifications", "PushPayload"]),
    tests(
        "SimulationTests",
        of: [
            "Ringing", "CallLedger", "Interception", "Notifications", "PropertyList", "CallTerms", "BootTime",
            "Support",
        ]),
    tests("CallLedgerTests", of: ["CallLedger", "BootTime", "CallTerms", "PropertyList", "Support"]),
    tests("ConfigurationTests", of: ["Configuration", "Syscalls", "BootTime", "Support"]),
    tests(
        "IntegrationTests",
        of: [
            "AppGroup", "CallLedger", "CallService", "CallTerms", "Events", "JSON", "Notifications", "PropertyList",
            "Support",
            "Syscalls", "CLinux",
        ]),
    .executableTarget(
        name: "RingPlayer",
        dependencies: ["SystemSound", "EventLoop", "Syscalls", "BootTime"],
        path: "Tests/RingPlayer",
        swiftSettings: strict
    ),
    tests("SystemSoundTests", of: ["SystemSound", "Support", "Syscalls", "BootTime", "RingPlayer"]),
    tests("AvatarPolicyTests", of: ["AvatarPolicy", "Support"]),
    tests("ConfinementTests", of: ["Confinement", "CLinux"]),
    tests(
        "AttachmentsTests",
        of: [
            "Attachments", "AvatarCache", "AvatarPolicy", "EventLoop", "Notifications", "BootTime", "Support",
            "Syscalls",
        ]),
    tests("AvatarCacheTests", of: ["AvatarCache", "AvatarPolicy", "Support"]),
    tests("AvatarFetchTests", of: ["AvatarFetch", "Confinement", "CLinux"]),
    tests("AvatarIntegrationTests", of: ["AvatarPolicy", "JSON", "Syscalls", "CPixbuf", "belfry-avatar"]),
    tests("JournalTests", of: ["Journal", "Events", "CallTerms", "JSON", "Notifications", "Syscalls", "Support"]),
    tests(
        "PushClientTests", of: ["PushClient", "PushPayload", "Events", "EventLoop", "JSON", "CallTerms", "Support"]),
    tests(
        "CommandLineTests",
        of: [
            "belfry", "CallLedger", "CallTerms", "Events", "JSON", "Notifications", "PropertyList", "PushPayload",
            "Support", "Syscalls", "AppGroup", "BootTime",
        ]),
]

/// Only where Tests/fuzz asks for them: they need libFuzzer to link.
let fuzzers: [Target] =
    Context.environment["BELFRY_FUZZ"] == nil
    ? []
    : [
        .systemLibrary(name: "CFuzzer", path: "Tests/CFuzzer"),
        .executableTarget(
            name: "FuzzAvatar",
            dependencies: ["AvatarPolicy", "AvatarCache", "CFuzzer"],
            path: "Tests/FuzzAvatar",
            exclude: ["seeds"],
            swiftSettings: strict
        ),
    ]

let package = Package(
    name: "belfry",
    products: [
        .library(
            name: "PushClient",
            targets: ["PushClient", "PushPayload", "Events", "CallTerms", "Notifications", "JSON", "BootTime"]
        ),
        .executable(name: "belfry", targets: ["belfry"]),
        .executable(name: "belfry-worker", targets: ["belfry-worker"]),
        .executable(name: "belfry-avatar", targets: ["belfry-avatar"]),
    ],
    targets: systemLibraries + pure + drivers + programs + checks + fuzzers,
    swiftLanguageModes: [.v6]
)
