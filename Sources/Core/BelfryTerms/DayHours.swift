/// Hours of the day by local time, such as the quiet ones: any number of spans, each of which may reach past midnight.
public struct DayHours: Hashable, Sendable {
    /// How many spans there may be.
    public static let spansMax = 8
    /// Minutes of a day.
    private static let day = 24 * 60

    /// From the first minute of the day up to the second, which is not part of it.
    private struct Span: Hashable {
        let from: Int
        let to: Int
    }

    private let spans: [Span]

    /// No hours.
    public init() { spans = [] }

    /// The hours that `text` names, such as `22:00-07:00, 13:00-14:30`, separated by spaces or commas; nil if it names
    /// none, or too many. A span that ends where it begins is the whole day.
    public init?(_ text: String) {
        let words = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\t") }
        guard !words.isEmpty, words.count <= Self.spansMax else { return nil }
        var spans: [Span] = []
        for word in words {
            let ends = word.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            guard ends.count == 2, let from = Self.minute(ends[0]), let to = Self.minute(ends[1]), from < Self.day
            else { return nil }
            spans.append(Span(from: from, to: to))
        }
        self.spans = spans
    }

    /// Whether there are none.
    public var isEmpty: Bool { spans.isEmpty }

    /// Whether the minute `minute` of the day is in one of them.
    public func contains(minute: Int) -> Bool {
        spans.contains { span in
            span.from < span.to ? (span.from..<span.to).contains(minute) : minute >= span.from || minute < span.to
        }
    }

    /// As they are written; empty if there are none.
    public var text: String {
        spans.map { "\(Self.clock($0.from))-\(Self.clock($0.to))" }.joined(separator: " ")
    }

    /// The minute of the day that is written `7:30` or `07:30`; `24:00` is the end of the day.
    private static func minute(_ text: Substring.UTF8View.SubSequence) -> Int? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2 else { return nil }
        let numbers = parts.compactMap { digits -> Int? in
            guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
            return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        guard numbers.count == 2, numbers[1] < 60 else { return nil }
        let minute = numbers[0] * 60 + numbers[1]
        return minute <= day ? minute : nil
    }

    private static func clock(_ minute: Int) -> String {
        [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
