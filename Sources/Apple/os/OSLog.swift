import BelfryAppleGround
import BelfryTerms
@_exported public import Foundation
import KeeperChannel

/// How important a message is.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// Apple's number of the type.
    public let rawValue: UInt8

    /// The type of Apple's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The type of Apple's number.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// Something worth keeping.
    public static let `default` = OSLogType(0x00)
    /// Helpful information.
    public static let info = OSLogType(0x01)
    /// Information for developers.
    public static let debug = OSLogType(0x02)
    /// An error.
    public static let error = OSLogType(0x10)
    /// A fault in the code.
    public static let fault = OSLogType(0x11)

    /// The journal's priority, of syslog(3).
    fileprivate var priority: Int64 {
        switch self {
        case .fault: 2
        case .error: 3
        case .info: 6
        case .debug: 7
        default: 5
        }
    }
}

/// A place for messages, of a subsystem and one of its categories. Source: Apple, `OSLog`.
open class OSLog: NSObject, @unchecked Sendable {
    private let subsystem: String
    private let category: String
    private let isOn: Bool

    /// A place of a subsystem's category.
    public convenience init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, isOn: true)
    }

    private init(subsystem: String, category: String, isOn: Bool) {
        self.subsystem = subsystem
        self.category = category
        self.isOn = isOn
        super.init()
    }

    /// The place for code without its own.
    public static let `default` = OSLog(subsystem: "", category: "")
    /// Nowhere.
    public static let disabled = OSLog(subsystem: "", category: "", isOn: false)

    /// Whether messages of this type go anywhere.
    open func isEnabled(type: OSLogType) -> Bool { isOn }

    func write(_ text: @autoclosure () -> String, _ type: OSLogType) {
        guard isOn else { return }
        KeeperDoor.write(
            ExtensionOutput(text: text(), priority: type.priority, subsystem: subsystem, category: category))
    }
}

/// Logs a text with values in the places of its format, such as `%{public}@` or `%d`; values are shown whatever the
/// format says about privacy.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = #dsohandle, log: OSLog = .default, type: OSLogType = .default,
    _ args: Any...
) {
    log.write(Format.filled(message, args), type)
}

/// Logs a text with values in the places of its format.
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = #dsohandle, log: OSLog = .default, _ message: StaticString,
    _ args: Any...
) {
    log.write(Format.filled(message, args), type)
}

/// Logs a text.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { OSLog.default.write(message.text, .default) }

/// Logs a text.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
    log.write(message.text, type)
}

private enum Format {
    static func filled(_ message: StaticString, _ arguments: [Any]) -> String {
        Placeholders.filled(message.description, arguments.map(text))
    }

    private static func text(_ argument: Any) -> String {
        // The argument of `%s`.
        if let pointer = unsafe argument as? UnsafePointer<CChar> { return unsafe String(cString: pointer) }
        return String(describing: argument)
    }
}
