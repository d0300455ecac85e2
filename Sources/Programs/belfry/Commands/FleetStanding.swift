import BelfryAppGroup
import BelfryCommandLine
import BelfryDevices
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import Fleet
import Glibc
import RingEar

/// How the machine of a state directory stands in the fleet that it joined: by its credential, and by what its relay or
/// agent answers. Nothing is started to find out.
struct FleetStanding {
    /// What a relay or agent says of itself.
    enum Answer: Sendable, Equatable {
        /// This.
        case status(FleetStatus)
        /// It does not run.
        case off
        /// Nothing, or nothing that is understood, and why.
        case silent(String)
    }

    /// That the kept credential cannot be used.
    struct Damage: Error, Equatable {
        /// Where it is, and what is wrong with it.
        let text: String
    }

    private static let patienceSeconds = 2

    /// By which it joined.
    let credential: FleetCredential
    /// What was answered.
    let answer: Answer

    /// The unit that has the lines of this role.
    var unit: String { credential.role.unit }

    /// How a machine with this credential stands, whose relay or agent answers so.
    init(_ credential: FleetCredential, _ answer: Answer) { (self.credential, self.answer) = (credential, answer) }

    /// Looks around; nil where it belongs to no fleet.
    init?(_ context: Context) throws(Damage) {
        let environment = Environment(context.environment)
        guard let state = StateDirectory(environment: environment),
            let credential = try Self.credential(in: "\(state.path)/fleet")
        else { return nil }
        let runtime = RuntimeDirectory(environment: environment, statePath: state.path)
        self.init(
            credential,
            Self.ask(at: credential.role == .gateway ? runtime.relaySocketPath : runtime.agentSocketPath))
    }

    private static func credential(in folder: String) throws(Damage) -> FleetCredential? {
        for role in [FleetRole.gateway, .machine] {
            let path = "\(folder)/\(role.names.rawValue)"
            do {
                return try FleetCredential(bytes: readFile(at: path, bytesMax: FleetCredential.bytesMax).bytes)
            } catch let error as SystemError where error.errno == ENOENT || error.errno == ENOTDIR {
                continue
            } catch let error as SystemError {
                throw Damage(text: "\(error)")
            } catch {
                throw Damage(text: "\(path): \(error)")
            }
        }
        return nil
    }

    private static func ask(at path: String) -> Answer {
        guard mayRun(at: path) else { return .off }
        let line: [UInt8]
        do throws(SystemError) {
            line = try CommandSocket.exchange(
                FleetStatus.question + [UInt8(ascii: "\n")], at: path, patienceSeconds: patienceSeconds,
                bytesMax: FleetStatus.bytesMax)
        } catch {
            return [ENOENT, ENOTDIR, ECONNREFUSED].contains(error.errno) ? .off : .silent("\(error)")
        }
        guard let status = FleetStatus(line: line.last == UInt8(ascii: "\n") ? line.dropLast() : line) else {
            return .silent("what it says is not understood")
        }
        return .status(status)
    }

    /// Whether a question at `path` starts nothing: the unit is active that a connection would start, or no manager
    /// listens there. Whose the socket is, `/proc` does not tell of confined processes.
    private static func mayRun(at path: String) -> Bool {
        guard ListeningSockets.contains(path),
            let sockets = Systemctl.ask(["list-sockets", "--no-legend", "--plain", "--full"]),
            let unit = service(at: path, in: sockets)
        else { return true }
        return Systemctl.property("ActiveState", of: unit) == "active"
    }

    /// The unit that a connection to `path` starts, by systemctl's list: address, socket, unit.
    static func service(at path: String, in sockets: String) -> String? {
        for line in sockets.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3, words[0] == path { return String(words[2]) }
        }
        return nil
    }

    /// Who it is, for people.
    var who: String { "\(credential.role.rawValue) \(credential.name.text)" }

    /// In one line, for people.
    var text: String {
        switch answer {
        case .off: return "\(who): \(unit) is off"
        case .silent(let why): return "\(who): \(unit) does not answer: \(why)"
        case .status(let status):
            let peers = status.peers.filter { !$0.isAbsent }
            let heard =
                credential.role == .gateway
                ? "\(peers.count) of \(status.peers.count) machines there"
                : peers.isEmpty ? "no gateway" : "gateway " + peers.map(\.name.text).joined(separator: ", ")
            var words = ["\(who): \(status.lines.count(where: \.isUp)) of \(status.lines.count) lines up", heard]
            if status.peers.contains(where: \.isTwice) { words.append("twice") }
            if let bucket = status.bucket { words.append("\(bucket.devicesCount) devices") }
            if let standing = status.standing, standing != .whole { words.append("registry \(standing.rawValue)") }
            if status.waitingCount > 0 { words.append("\(status.waitingCount) pushes wait") }
            return words.joined(separator: ", ")
        }
    }

    /// The values as an object.
    var json: JSONObject {
        var object: JSONObject = [
            "role": .string(credential.role.rawValue), "name": .string(credential.name.text), "answers": false,
        ]
        guard case .status(let status) = answer else { return object }
        object["answers"] = true
        object["lines"] = .integer(Int64(status.lines.count))
        object["linesUp"] = .integer(Int64(status.lines.count(where: \.isUp)))
        object["brokers"] = .array(status.lines.map { .string($0.broker) })
        object["waiting"] = .integer(Int64(status.waitingCount))
        object["mirror"] = status.standing.map { .string($0.rawValue) }
        object["devices"] = status.bucket.map { .integer(Int64($0.devicesCount)) }
        object["unread"] = status.bucket.map { .integer(Int64($0.unreadCount)) }
        return object
    }
}
