/// What a package is made for.
public enum PackageKind: Sendable, CaseIterable {
    /// A notification service extension.
    case appExtension
    /// A call directory extension.
    case directory
    /// An app that takes calls.
    case app

    /// It in words for people.
    public var words: String {
        switch self {
        case .appExtension: "extension"
        case .directory: "call directory"
        case .app: "app"
        }
    }

    /// How the folder ends that is packed of it.
    public var ending: String {
        switch self {
        case .appExtension: "appex"
        case .directory: "appex"
        case .app: "app"
        }
    }

    /// Belfry's product that runs it: a package of this kind is known by it.
    var product: String {
        switch self {
        case .appExtension: "ExtensionProcess"
        case .directory: "DirectoryProcess"
        case .app: "UIKit"
        }
    }

    /// All of Belfry's products that a new package names, in their order.
    var products: [String] {
        switch self {
        case .appExtension: ["ExtensionProcess", "UserNotifications"]
        case .directory: ["CallKit", "DirectoryProcess", "UserNotifications"]
        case .app: ["CallKit", "PushKit", "UIKit", "UserNotifications"]
        }
    }

    /// Belfry's products that its tests name.
    var testProducts: [String] {
        switch self {
        case .appExtension: ["ExtensionTesting"]
        case .directory: ["ExtensionTesting"]
        case .app: ["CallTesting"]
        }
    }

    /// What its target ends with, so that it is named like no class of it.
    var suffix: String {
        switch self {
        case .appExtension: "Extension"
        case .directory: "Directory"
        case .app: "App"
        }
    }

    /// What the class descends from, or conforms to, that the program runs.
    var root: String {
        switch self {
        case .appExtension: "UNNotificationServiceExtension"
        case .directory: "CXCallDirectoryProvider"
        case .app: "UIApplicationDelegate"
        }
    }

    /// The class that the program runs: the template's, and of several imported ones this.
    var className: String {
        switch self {
        case .appExtension: ExtensionTemplate.className
        case .directory: DirectoryTemplate.className
        case .app: AppTemplate.className
        }
    }

    /// What the template's `Info.plist` has beside an identifier.
    func information(target: String) -> String {
        switch self {
        case .appExtension: ""
        case .directory: DirectoryTemplate.information(target: target)
        case .app: AppTemplate.information(target: target)
        }
    }

    /// The template's sources beside its program, by their names.
    var sources: [PackageTemplate.File] {
        switch self {
        case .appExtension: ExtensionTemplate.sources
        case .directory: DirectoryTemplate.sources
        case .app: AppTemplate.sources
        }
    }

    /// The template's class once those that it uses are the developer's; nil if it uses none.
    var bareSource: PackageTemplate.File? {
        switch self {
        case .appExtension, .directory: nil
        case .app: PackageTemplate.File(path: "\(className).swift", text: AppTemplate.bareDelegate)
        }
    }

    /// The types that the template's class uses, each in a file of its name.
    var helpers: Set<String> { Set(sources.map { String($0.path.dropLast(6)) }).subtracting([className]) }

    /// A push for it; nil if no push has to do with it.
    var payload: PackageTemplate.File? {
        switch self {
        case .appExtension: ExtensionTemplate.payload
        case .directory: nil
        case .app: AppTemplate.payload
        }
    }

    /// The program that runs the class `name`.
    public func main(running name: String) -> String {
        let text =
            switch self {
            case .appExtension: ExtensionTemplate.program
            case .directory: DirectoryTemplate.program
            case .app: AppTemplate.program
            }
        return text.replacing("$", with: name)
    }

    /// Where the template's test of `target` is.
    public func testPath(of target: String) -> String {
        switch self {
        case .appExtension, .directory: "Tests/\(target)Tests/\(className)Tests.swift"
        case .app: "Tests/\(target)Tests/CallTests.swift"
        }
    }

    /// The test of the class `name`; `isOwn` if it is the developer's own.
    func test(of name: String, in target: String, isOwn: Bool) -> String {
        switch self {
        case .appExtension: ExtensionTemplate.test(of: name, in: target, isOwn: isOwn)
        case .directory: DirectoryTemplate.test(of: name, in: target, isOwn: isOwn)
        case .app: AppTemplate.test(of: name, in: target, isOwn: isOwn)
        }
    }
}
