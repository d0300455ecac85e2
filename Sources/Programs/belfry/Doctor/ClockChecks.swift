import BelfryAppGroup
import BelfryJSON
import BelfrySyscalls
import BelfryTerms

/// Whether the clocks of push servers and of this machine agree, by what the endpoint has refused of late.
enum ClockChecks {
    /// How far back a refusal counts, in seconds.
    private static let hour = 3_600.0
    /// How far clocks may be apart.
    private static let secondsMax: Int64 = 300
    /// The log of pushes (docs/protocol.md), the older file first.
    private static let names = ["log.1.jsonl", "log.jsonl"]
    /// More than a file of it has.
    private static let fileBytesMax = 16 << 20

    /// One finding for clocks that are ahead, one for those behind; none if no refusal shows any.
    static func run(_ context: Context) -> [Finding] {
        guard let state = StateDirectory(environment: Environment(context.environment)) else { return [] }
        let bytes = names.flatMap { name in
            (try? readFile(at: "\(state.path)/apns/\(name)", bytesMax: fileBytesMax))?.bytes ?? []
        }
        return findings(bytes, now: WallTime(microseconds: wallTimeMicroseconds()))
    }

    /// The findings of a log of pushes at `now`.
    static func findings(_ log: [UInt8], now: WallTime) -> [Finding] {
        var (ahead, behind): ([Int64], [Int64]) = ([], [])
        // From its end on, since an hour may be a small part of it.
        for line in log.split(separator: UInt8(ascii: "\n")).reversed() {
            guard let object = (try? JSONValue.parse(Array(line)))?.objectValue,
                let at = object["at"]?.numberValue
            else { continue }
            guard at >= now.unixSeconds - hour else { break }
            guard let seconds = object["clock"]?.integerValue, seconds.magnitude > secondsMax else { continue }
            if seconds > 0 { ahead.append(seconds) } else { behind.append(-seconds) }
        }
        let directions = [
            ("ahead of this machine's", ahead),
            ("behind this machine's, or it uses a token for more than an hour", behind),
        ]
        return directions.compactMap { direction, all in all.first.map { finding($0, direction, count: all.count) } }
    }

    private static func finding(_ latest: Int64, _ direction: String, count: Int) -> Finding {
        let refusals = count == 1 ? "1 refusal" : "\(count) refusals"
        return Finding(
            .warn, "apns-clock",
            "a push server's clock is \(latest / 60) min \(direction): \(refusals) in the last hour",
            mend: "compare both clocks, see timedatectl and belfry apns log --since 1h")
    }
}
