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

let channel = Channel(path: CommandLine.arguments[1])
let reader = Thread {
    channel.lines { line in
        guard let message = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
            message["say"] as? String == "perform", let action = message["action"] as? [String: Any],
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
    try? channel.say(["say": "hello", "id": "bench.phone", "pid": Int(getpid()), "version": 1])
}
RunLoop.main.add(Timer(timeInterval: 1e9, repeats: false) { _ in }, forMode: .default)
RunLoop.main.run()
