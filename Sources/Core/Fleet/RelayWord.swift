public import BelfryDevices
import BelfryJSON

/// What an endpoint asks the relay beside it: a line of words, of which the last is a message as machines get it, so
/// that the relay passes it on as it is.
public enum RelayQuestion: Hashable, Sendable {
    /// Have the machine take the push, of which the endpoint hears by that number.
    case push(UInt64, to: FleetName, [UInt8])
    /// Make sure that this gateway knows all devices.
    case fence(UInt64)

    /// The longest line: a push as a message, and the words before it.
    public static let lineBytesMax = FleetMessage.bytesMax + 256

    /// As a line, its newline included.
    public var line: [UInt8] {
        switch self {
        case .push(let number, let machine, let message):
            Array("push \(number) \(machine.text) ".utf8) + message + [newline]
        case .fence(let number): Array("fence \(number)\n".utf8)
        }
    }

    /// Reads a line, without its newline; nil if it is none of these.
    public init?(line: [UInt8]) {
        let words = RelayLine(line, countMax: 4)
        switch (words.first, words.count) {
        case ("push", 4):
            guard let number = words.number(1), let machine = FleetName(words.text(2)) else { return nil }
            self = .push(number, to: machine, Array(words.parts[3]))
        case ("fence", 2):
            guard let number = words.number(1) else { return nil }
            self = .fence(number)
        default: return nil
        }
    }
}

/// What a relay tells the endpoint beside it.
public enum RelayNews: Hashable, Sendable {
    /// What the machine said of the push.
    case said(UInt64, FleetSaying.Word)
    /// The machine was asked again, and why.
    case again(UInt64, AskedAgain)
    /// The machine that took the push is no more.
    case gone(UInt64)
    /// Nothing more is told of the push.
    case over(UInt64)
    /// The machine, which was offline, is there.
    case back(FleetName)
    /// Whether the endpoint's registry has all devices now.
    case fenced(UInt64, isCertain: Bool)

    /// The longest line.
    public static let lineBytesMax = RelayQuestion.lineBytesMax

    /// As a line, its newline included.
    public var line: [UInt8] {
        switch self {
        case .said(let number, let word): Array("said \(number) ".utf8) + FleetSaying(word, by: 0, place: 1).bytes + [newline]
        case .again(let number, let why): Array("again \(number) \(why.rawValue)\n".utf8)
        case .gone(let number): Array("gone \(number)\n".utf8)
        case .over(let number): Array("over \(number)\n".utf8)
        case .back(let machine): Array("back \(machine.text)\n".utf8)
        case .fenced(let number, let isCertain):
            Array("fenced \(number) \(isCertain ? Self.certain : Self.uncertain)\n".utf8)
        }
    }

    private static let (certain, uncertain) = ("certain", "unavailable")

    /// Reads a line, without its newline; nil if it is none of these.
    public init?(line: [UInt8]) {
        let words = RelayLine(line, countMax: 3)
        switch (words.first, words.count) {
        case ("said", 3):
            guard let number = words.number(1), let saying = try? FleetSaying.read(Array(words.parts[2])) else {
                return nil
            }
            self = .said(number, saying.word)
        case ("again", 3):
            guard let number = words.number(1), let why = AskedAgain(rawValue: words.text(2)) else { return nil }
            self = .again(number, why)
        case ("gone", 2):
            guard let number = words.number(1) else { return nil }
            self = .gone(number)
        case ("over", 2):
            guard let number = words.number(1) else { return nil }
            self = .over(number)
        case ("back", 2):
            guard let machine = FleetName(words.text(1)) else { return nil }
            self = .back(machine)
        case ("fenced", 3):
            guard let number = words.number(1), [Self.certain, Self.uncertain].contains(words.text(2)) else {
                return nil
            }
            self = .fenced(number, isCertain: words.text(2) == Self.certain)
        default: return nil
        }
    }
}

private let newline = UInt8(ascii: "\n")

/// The words of a line, of which the last may have blanks of its own.
private struct RelayLine {
    let parts: [ArraySlice<UInt8>]

    init(_ line: [UInt8], countMax: Int) {
        parts = line.split(separator: UInt8(ascii: " "), maxSplits: countMax - 1, omittingEmptySubsequences: false)
    }

    var count: Int { parts.count }
    var first: String { parts.isEmpty ? "" : text(0) }

    func text(_ index: Int) -> String { String(decoding: parts[index], as: UTF8.self) }

    func number(_ index: Int) -> UInt64? { UInt64(text(index)) }
}
