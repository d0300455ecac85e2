public import BelfryDevices
import BelfryJSON

/// What a command is answered by an endpoint that runs: a line.
public enum ControlAnswer: Hashable, Sendable {
    /// `ok`: it is done.
    case done
    /// `no`: it is not done, or was no request.
    case refused
    /// What the next answers to push servers are to be, the next one first, and how many more there are.
    case faults([AnswerFault], more: Int)

    /// How many pushes wait for each other machine that some wait for; of very many, for those with the most.
    case waiting([FleetName: Int])

    /// How long a line may be.
    public static let bytesMax = 64 << 10
    /// The part of it that is no fault.
    private static let frameBytes = 64

    /// The answer that lists `faults`, as many of them as a line holds.
    public init(listing faults: [AnswerFault]) {
        var bytesLeft = Self.bytesMax - Self.frameBytes
        let told = faults.prefix { fault in
            bytesLeft -= fault.json.serialized().count + 1
            return bytesLeft >= 0
        }
        self = .faults(Array(told), more: faults.count - told.count)
    }

    /// The answer that tells `counts`, as many of them as a line holds.
    public init(counting counts: [FleetName: Int]) {
        let most = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.machinesMax)
        self = .waiting(most.reduce(into: [:]) { $0[$1.key] = $1.value })
    }

    /// A name has 63 letters at most, and its count as many digits as there are pushes.
    private static let machinesMax = 800

    /// The answer as it is sent.
    public var line: [UInt8] {
        let text: [UInt8]
        switch self {
        case .done: text = Array("ok".utf8)
        case .refused: text = Array("no".utf8)
        case .faults(let faults, let more):
            let object: JSONObject = ["faults": .array(faults.map { .object($0.json) }), "more": .integer(Int64(more))]
            text = object.serialized()
        case .waiting(let counts):
            var object = JSONObject()
            for (machine, count) in counts.sorted(by: { $0.key < $1.key }) {
                object[machine.text] = .integer(Int64(count))
            }
            text = JSONObject(dictionaryLiteral: ("waiting", .object(object))).serialized()
        }
        return text + [UInt8(ascii: "\n")]
    }

    /// The answer in `line`, its end included; nil if it is none.
    public init?(line: [UInt8]) {
        switch String(decoding: line, as: UTF8.self) {
        case "ok\n": self = .done
        case "no\n": self = .refused
        default:
            guard let object = (try? JSONValue.parse(line))?.objectValue else { return nil }
            if let counts = object["waiting"]?.objectValue {
                var waiting: [FleetName: Int] = [:]
                for member in counts.members {
                    guard let name = FleetName(member.key), let count = member.value.integerValue else { return nil }
                    waiting[name] = Int(clamping: count)
                }
                self = .waiting(waiting)
                return
            }
            guard let faults = object["faults"]?.arrayValue, let more = object["more"]?.integerValue
            else { return nil }
            let told = faults.compactMap { $0.objectValue.flatMap { AnswerFault(json: JSONFields($0)) } }
            self = .faults(told, more: Int(more))
        }
    }
}
