/// Writes messages of one subsystem's category. Source: Apple, `Logger`.
public struct Logger: Sendable {
    private let log: OSLog

    /// A logger of a subsystem's category.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// A logger of nothing in particular.
    public init() { log = .default }

    /// A logger that writes to `log`.
    public init(_ log: OSLog) { self.log = log }

    /// Logs a message.
    public func log(_ message: OSLogMessage) { log.write(message.text, .default) }

    /// Logs a message of a type.
    public func log(level: OSLogType, _ message: OSLogMessage) { log.write(message.text, level) }

    /// Logs a message for developers.
    public func trace(_ message: OSLogMessage) { log.write(message.text, .debug) }

    /// Logs a message for developers.
    public func debug(_ message: OSLogMessage) { log.write(message.text, .debug) }

    /// Logs helpful information.
    public func info(_ message: OSLogMessage) { log.write(message.text, .info) }

    /// Logs something worth keeping.
    public func notice(_ message: OSLogMessage) { log.write(message.text, .default) }

    /// Logs something that may go wrong.
    public func warning(_ message: OSLogMessage) { log.write(message.text, .error) }

    /// Logs an error.
    public func error(_ message: OSLogMessage) { log.write(message.text, .error) }

    /// Logs a fault in the code.
    public func critical(_ message: OSLogMessage) { log.write(message.text, .fault) }

    /// Logs a fault in the code.
    public func fault(_ message: OSLogMessage) { log.write(message.text, .fault) }
}

/// The text of a message, with its values in it.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
    let text: String

    /// A text without values.
    public init(stringLiteral value: String) { text = value }

    /// A text with values.
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// Collects a message. Privacy options are accepted, but values are always shown: it is the developer's own journal.
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    var text = ""

    /// Nothing yet.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds text.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Adds a value.
    public mutating func appendInterpolation<Value>(
        _ value: @autoclosure () -> Value, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        text += align.aligned(String(describing: value()))
    }

    /// Adds a whole number.
    public mutating func appendInterpolation<Number: FixedWidthInteger>(
        _ number: @autoclosure () -> Number, format: OSLogIntegerFormatting = .decimal,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        text += align.aligned(String(number(), radix: format.radix))
    }

    /// Adds a number.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> Double, format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        text += align.aligned(format.formatted(number()))
    }
}

/// Who may read a value; here everybody may.
public struct OSLogPrivacy: Sendable {
    /// What replaces a value that few may read.
    public struct Mask: Sendable {
        /// A hash, to compare by.
        public static let hash = Mask()
        /// Nothing.
        public static let none = Mask()
    }

    /// Everybody.
    public static let `public` = OSLogPrivacy()
    /// Few.
    public static let `private` = OSLogPrivacy()
    /// No reader.
    public static let sensitive = OSLogPrivacy()
    /// By the type of the value.
    public static let auto = OSLogPrivacy()

    /// Few.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy() }

    /// No reader.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy() }

    /// By the type of the value.
    public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy() }
}

/// The alignment of a value in its columns.
public struct OSLogStringAlignment: Sendable {
    private let columns: Int
    private let isRight: Bool

    /// Without columns.
    public static let none = OSLogStringAlignment(columns: 0, isRight: false)

    /// On the right of `columns` columns.
    public static func right(columns: Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isRight: true)
    }

    /// On the left of `columns` columns.
    public static func left(columns: Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isRight: false)
    }

    func aligned(_ text: String) -> String {
        // Limits the memory that a format can ask for.
        let space = String(repeating: " ", count: max(min(columns, 1_024) - text.count, 0))
        return isRight ? space + text : text + space
    }
}

/// How a whole number is written.
public struct OSLogIntegerFormatting: Sendable {
    let radix: Int

    /// Base 10.
    public static let decimal = OSLogIntegerFormatting(radix: 10)
    /// Base 16.
    public static let hex = OSLogIntegerFormatting(radix: 16)
    /// Base 8.
    public static let octal = OSLogIntegerFormatting(radix: 8)
}

/// How a number is written.
public struct OSLogFloatFormatting: Sendable {
    private let format: String
    private let precision: Int

    /// With six digits after the point.
    public static let fixed = OSLogFloatFormatting(format: "%.*f", precision: 6)
    /// By a power of ten.
    public static let exponential = OSLogFloatFormatting(format: "%.*e", precision: 6)

    /// With `precision` digits after the point, 64 at most.
    public static func fixed(precision: Int) -> OSLogFloatFormatting {
        OSLogFloatFormatting(format: "%.*f", precision: min(max(precision, 0), 64))
    }

    func formatted(_ number: Double) -> String { String(format: format, precision, number) }
}
