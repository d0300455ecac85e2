import Foundation

// What an app's process does at the least: it connects to the socket that is its argument, says who it is, and answers
// each line from its main queue, which the main run loop serves.

/// Both ends of a connection are used by one thread each.
struct Channel: @unchecked Sendable {
    let socket: Int32

    init(path: String) {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        if connected != 0 { exit(70) }
    }

    func say(_ message: [String: Any]) throws {
        let line = try JSONSerialization.data(withJSONObject: message) + [10]
        _ = line.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Calls `body` with each line; returns at the end.
    func lines(_ body: (Data) -> Void) {
        var framed = Data()
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(socket, &bytes, bytes.count, 0), count > 0 {
            framed += bytes[..<count]
            while let end = framed.firstIndex(of: 10) {
                body(framed[framed.startIndex..<end])
                framed = Data(framed[(end + 1)...])
            }
        }
    }
}

/// A call that it mutes when it is asked to at standard input, as the app does: with the same hops, and nothing else.
final class BareCall: @unchecked Sendable {
    private let uuid = UUID().uuidString
    private var isMuted = false
    private var begun: Int64 = 0

    static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
    }

    func take(_ channel: Channel) {
        Thread { [self] in
            while let word = readLine() {
                DispatchQueue.main.async { try? self.obey(word, channel) }
            }
        }.start()
    }

    private func obey(_ word: String, _ channel: Channel) throws {
        begun = Self.now
        switch word {
        case "start":
            try channel.say(["say": "provider", "configuration": configuration])
            let handle: [String: Any] = ["type": 2, "value": "+1234567890"]
            try request(["kind": "start", "handle": handle, "video": false, "contact": NSNull()], channel)
            try channel.say(["say": "outgoing", "uuid": uuid, "step": "connected", "at": NSNull()])
        case "mute":
            isMuted.toggle()
            try request(["kind": isMuted ? "mute" : "unmute"], channel)
        default: try channel.say(["say": "end", "uuid": uuid, "reason": 2, "at": NSNull()])
        }
    }

    private func request(_ action: [String: Any], _ channel: Channel) throws {
        let action = action.merging(["uuid": UUID().uuidString, "call": uuid]) { $1 }
        try channel.say(["say": "request", "n": 1, "transaction": UUID().uuidString, "actions": [action]])
    }

    func requested() {
        FileHandle.standardOutput.write(Data("completed \(begun) \(Self.now)\n".utf8))
    }

    private let configuration: [String: Any] = [
        "name": NSNull(), "ringtone": NSNull(), "groups": 2, "callsPerGroup": 5, "recents": true, "video": false,
        "handles": [Int](),
    ]
}

let channel = Channel(path: CommandLine.arguments[1])
let call = BareCall()
let reader = Thread {
    channel.lines { line in
        guard let message = try? JSONSerialization.jsonObject(with: line) as? [String: Any] else { return }
        if message["say"] as? String == "requested" { return DispatchQueue.main.async { call.requested() } }
        guard message["say"] as? String == "perform", let action = message["action"] as? [String: Any],
            let uuid = action["uuid"] as? String
        else { return }
        DispatchQueue.main.async {
            try? channel.say(["say": "outcome", "action": uuid, "fulfilled": true, "at": NSNull()])
            try? channel.say(["say": "performed", "action": uuid, "implemented": true])
        }
    }
    exit(0)
}
reader.start()
DispatchQueue.main.async {
    let id = CommandLine.arguments.dropFirst(2).first ?? "bench.phone"
    try? channel.say([
        "say": "hello", "id": id, "pid": Int(getpid()), "version": 1, "name": "Bare", "voip": true,
        "environment": NSNull(),
    ])
}
if CommandLine.arguments.count > 2 { call.take(channel) }
RunLoop.main.add(Timer(timeInterval: 1e9, repeats: false) { _ in }, forMode: .default)
RunLoop.main.run()
