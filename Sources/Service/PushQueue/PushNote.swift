public import BelfryDevices
import BelfryJSON
public import BelfryTerms

/// One line of the log.
public struct PushNote: Hashable, Sendable {
    /// When it was.
    public let at: WallTime
    /// `apns-id`; nil for a connection, and for several requests.
    public let apnsID: String?
    /// What became of the push.
    public let step: PushStep
    /// The device; nil for a push that was refused before its device was known.
    public var deviceID: String?
    /// The machine that it is handed to; nil for this one.
    public var machine: String?
    /// The topic.
    public var topic: String?
    /// The kind of push.
    public var pushType: APNsPushType?
    /// The status that it was answered with; nil if this is no answer.
    public var status: Int?
    /// The event that the worker reported.
    public var event: String?
    /// A word of a closed list that says how or why.
    public var code: String?
    /// The fingerprint of the certificate that the client of a request or a connection has shown.
    public var certificate: String?
    /// How many more there were in the same second, of which nothing else is noted.
    public var moreCount: Int?
    /// By how many seconds the server's clock seems to be ahead of ours.
    public var clockSeconds: Int64?
    /// For people.
    public var detail: String?

    /// A line that says `step` of the push `apnsID`.
    public init(at: WallTime, apnsID: String?, step: PushStep) {
        self.at = at
        self.apnsID = apnsID
        self.step = step
    }

    /// Appends the line, a JSON object without an end of line: neither token nor payload are in it.
    ///
    /// Without making the object first, since there are several lines for each push.
    public func write(to text: inout [UInt8]) {
        Self.add("{\"at\":", to: &text)
        Self.add(at, to: &text)
        Self.add(",\"id\":", apnsID, to: &text)
        Self.add(",\"step\":", step.rawValue, to: &text)
        Self.add(",\"device\":", deviceID, to: &text)
        Self.add(",\"machine\":", machine, to: &text)
        Self.add(",\"topic\":", topic, to: &text)
        Self.add(",\"type\":", pushType?.rawValue, to: &text)
        Self.add(",\"status\":", status, to: &text)
        Self.add(",\"event\":", event, to: &text)
        Self.add(",\"code\":", code, to: &text)
        Self.add(",\"certificate\":", certificate, to: &text)
        Self.add(",\"more\":", moreCount, to: &text)
        Self.add(",\"clock\":", clockSeconds.map { Int($0) }, to: &text)
        Self.add(",\"detail\":", detail, to: &text)
        text.append(UInt8(ascii: "}"))
    }

    private static func add(_ name: StaticString, _ value: String?, to text: inout [UInt8]) {
        guard let value else { return }
        add(name, to: &text)
        JSONValue.write(value, to: &text)
    }

    private static func add(_ name: StaticString, _ number: Int?, to text: inout [UInt8]) {
        guard let number else { return }
        add(name, to: &text)
        if number < 0 { text.append(UInt8(ascii: "-")) }
        add(UInt64(number.magnitude), digits: 1, to: &text)
    }

    private static func add(_ literal: StaticString, to text: inout [UInt8]) {
        unsafe text.append(
            contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Seconds since 1970, as a real that is written as short as can be.
    private static func add(_ time: WallTime, to text: inout [UInt8]) {
        guard let microseconds = UInt64(exactly: time.microseconds) else {
            return JSONValue.real(time.unixSeconds).write(to: &text)
        }
        add(microseconds / 1_000_000, digits: 1, to: &text)
        text.append(UInt8(ascii: "."))
        add(microseconds % 1_000_000, digits: 6, to: &text)
        // One digit always stays, by which it is a real.
        for _ in 0..<5 where text.last == UInt8(ascii: "0") { text.removeLast() }
    }

    /// At least so many digits.
    private static func add(_ number: UInt64, digits: Int, to text: inout [UInt8]) {
        var (rest, count) = (number, 0)
        var fromTheEnd = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
        while rest > 0 || count < digits {
            fromTheEnd[count] += UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
            count += 1
        }
        text.append(addingCapacity: count) { room in
            for index in (0..<count).reversed() { room.append(fromTheEnd[index]) }
        }
    }
}
