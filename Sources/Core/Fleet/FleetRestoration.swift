import BelfryJSON

/// What a relay has written into the bucket of the devices that it lacked, as it tells the command that asked for it.
public struct FleetRestoration: Hashable, Sendable {
    /// What a command says to have it done: a line.
    public static let question = Array("restore".utf8)

    /// How many the bucket has got.
    public let restoredCount: Int
    /// Why it has not got all; nil if it has.
    public let problem: String?

    /// So many were written, and not all if there is a `problem`.
    public init(restoredCount: Int, problem: String?) {
        (self.restoredCount, self.problem) = (restoredCount, problem)
    }

    /// As a line, its newline included.
    public var line: [UInt8] {
        var object: JSONObject = ["restored": .integer(Int64(restoredCount))]
        object["problem"] = problem.map { .string($0) }
        return object.serialized() + [UInt8(ascii: "\n")]
    }

    /// Reads a line, without its newline; nil if it is none of these.
    public init?(line: [UInt8]) {
        guard let fields = JSONFields(line: line) else { return nil }
        do throws(JSONFieldError) {
            self.init(
                restoredCount: Int(try fields.integer("restored", in: 0...Int64.max)),
                problem: try fields.ifPresent("problem", fields.string))
        } catch {
            return nil
        }
    }
}
