import BelfryTerms

/// Ends of calls that no process has anything left to do with: they are remembered for ten minutes, since requests and
/// hangups of the same calls may still come (R5, R8), and calls of the same callers (R21).
///
/// They are kept apart from the group file, which each ringing process reads whenever it changes: thousands of calls
/// may end in ten minutes. Each end is a line without names; of several lines about one call the latest end counts. A
/// line that makes no sense is passed over.
public struct RememberedEnds: Sendable {
    /// The most bytes that are kept. An end takes about 100 bytes, and 900 at most.
    public static let bytesMax = 1 << 20

    private let bytes: [UInt8]
    /// Whether the file can be used as it is.
    private let isUsable: Bool

    /// The ends in `bytes`, which ``Ledger/moveOldEnds(behind:over:keeping:)`` has made; nil if they cannot be read.
    public init(_ bytes: [UInt8]? = []) {
        self.bytes = bytes ?? []
        isUsable = bytes != nil
    }

    /// How `key` ended; nil if that is not remembered.
    func end(of key: CallKey, at moment: Moment) -> Call? {
        var latest: Call?
        for line in lines(from: Self.escaped(key.text) + [Self.tab]) {
            guard let end = Self.call(in: line), !end.isForgotten(at: moment) else { continue }
            latest = latest.map { $0.joined(with: end, at: moment) } ?? end
        }
        return latest
    }

    /// Whether an end of a call from `handle` fulfils `condition`.
    func contains(from handle: String, where condition: (Call) -> Bool) -> Bool {
        lines(to: [Self.tab] + Self.escaped(handle)).contains { Self.call(in: $0).map(condition) ?? false }
    }

    /// The bytes that say `ends` too: to be added behind the present ones or, if much of these can be forgotten or they
    /// are too many, in their place. Then the oldest go first.
    func adding(_ ends: [Call], at moment: Moment) -> (bytes: [UInt8], isAddition: Bool) {
        // An addition that was cut short by a full disk leaves a line without an end.
        let added = [Self.newline] + ends.flatMap(Self.line)
        let middle = bytes[(bytes.count / 2)...].split(separator: Self.newline, maxSplits: 2).dropFirst().first
        let isHalfForgotten = middle.flatMap(Self.call)?.isForgotten(at: moment) ?? false
        guard !isUsable || isHalfForgotten || bytes.count + added.count > Self.bytesMax else { return (added, true) }
        var kept = lines().filter { Self.call(in: $0).map { !$0.isForgotten(at: moment) } ?? false }[...]
        var count = kept.reduce(added.count) { $0 + $1.count + 1 }
        // Half of them, so that not every addition has to write all.
        while count > Self.bytesMax / 2, let oldest = kept.popFirst() { count -= oldest.count + 1 }
        return (kept.flatMap { $0 + [Self.newline] } + added, false)
    }
}

extension RememberedEnds {
    private static let tab = UInt8(ascii: "\t")
    private static let newline = UInt8(ascii: "\n")

    /// The lines that begin with `start` and end with `end`. A request waits for this, so no other line costs more than
    /// a look at each of its bytes.
    private func lines(from start: [UInt8] = [], to end: [UInt8] = []) -> [ArraySlice<UInt8>] {
        let span = bytes.span
        func has(_ wanted: [UInt8], at position: Int) -> Bool {
            wanted.indices.allSatisfy { span[position + $0] == wanted[$0] }
        }
        var found: [ArraySlice<UInt8>] = []
        var first = 0
        for index in 0..<span.count where span[index] == Self.newline {
            let isLong = index - first >= max(start.count, end.count)
            if isLong, has(start, at: first), has(end, at: index - end.count) { found.append(bytes[first..<index]) }
            first = index + 1
        }
        return found
    }

    private static func line(_ call: Call) -> [UInt8] {
        let numbers = [
            call.since.microseconds, call.until.microseconds, call.ended, call.sentAt?.microseconds,
            call.hangupSentAt?.microseconds,
        ]
        let words = [call.state.rawValue, call.hangupReason?.rawValue ?? "", call.isSettled ? "settled" : ""]
        let fields = words + numbers.map { $0.map(String.init) ?? "" }
        let middle = fields.map { Array($0.utf8) }
        return Array(([escaped(call.key.text)] + middle + [escaped(call.handle)]).joined(separator: [tab])) + [newline]
    }

    private static func call(in line: ArraySlice<UInt8>) -> Call? {
        let fields = line.split(separator: tab, omittingEmptySubsequences: false)
        guard fields.count == 10, let key = text(fields[0]), let handle = text(fields[9]) else { return nil }
        let words = fields[1...3].map { String(decoding: $0, as: UTF8.self) }
        let numbers = fields[4...8].map { Int64(String(decoding: $0, as: UTF8.self)) }
        guard let state = CallState(rawValue: words[0]), state != .ringing, let since = numbers[0],
            let until = numbers[1], let ended = numbers[2]
        else { return nil }
        var call = Call(key: CallKey(key), state: state)
        call.hangupReason = HangupReason(rawValue: words[1])
        call.isSettled = words[2] == "settled"
        (call.since, call.until, call.ended) = (Instant(microseconds: since), Instant(microseconds: until), ended)
        call.sentAt = numbers[3].map { WallTime(microseconds: $0) }
        call.hangupSentAt = numbers[4].map { WallTime(microseconds: $0) }
        call.handle = handle
        return call
    }

    /// `text` without the bytes that separate fields and lines.
    private static func escaped(_ text: String) -> [UInt8] {
        text.utf8.flatMap { byte -> [UInt8] in
            guard byte < 0x20 || byte == UInt8(ascii: "%") else { return [byte] }
            return [UInt8(ascii: "%"), hexadecimal(byte >> 4), hexadecimal(byte & 15)]
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 { digit + (digit < 10 ? 0x30 : 0x37) }

    /// What ``escaped(_:)`` made `bytes` of; nil if it makes nothing such.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        var rest = bytes
        var unescaped: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                unescaped.append(byte)
                continue
            }
            guard let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            rest = rest.dropFirst(2)
            unescaped.append(escaped)
        }
        return String(validating: unescaped, as: UTF8.self)
    }
}

extension Ledger {
    /// Takes out the oldest ends if there are more than `max`, and returns the bytes that say them behind `remembered`;
    /// nil if there are fewer. As many stay as `kept` says: people and other programs look into the file to see how the
    /// last calls ended.
    public mutating func moveOldEnds(
        behind remembered: () -> RememberedEnds, over max: Int = 32, keeping kept: Int = 16
    ) -> (bytes: [UInt8], isAddition: Bool)? {
        let ends = calls.filter(\.isOver)
        guard ends.count > max else { return nil }
        let moved = ends.sorted { $0.until < $1.until }.dropLast(kept)
        drop(Set(moved.map(\.key)))
        return remembered().adding(Array(moved), at: moment)
    }

    /// The call `key` as the file has it or, if it is over, as it is remembered; nil if neither is so.
    func knownCall(_ key: CallKey) -> Call? {
        let known = call(key)
        if let known, known.state == .ringing || key.isAnonymous { return known }
        let end = key.isAnonymous ? nil : remembered.end(of: key, at: moment).map(withBelievedTimes)
        guard let known, let end else { return known ?? end }
        // A note of a process that died over it may have brought back an older version.
        return known.joined(with: end, at: moment)
    }
}

extension Call {
    /// Whether no process has anything left to do with it. A call that a person ended stays, since its answer must not
    /// be handed over twice.
    fileprivate var isOver: Bool {
        switch state {
        case .ringing, .answered, .declined: false
        case .hangup, .timeout, .expired, .foreground, .stopped, .missed:
            owner == nil && ended != nil && earlier.isEmpty && !key.isAnonymous
        }
    }
}
