public import BelfrySyscalls
import Glibc

/// A program of this user that runs, as commands reach it: by a socket, which takes a line and answers with one.
public enum CommandSocket {
    /// Sends `line` to the socket at `path`, and waits for what is answered, for so many seconds; at most about
    /// `bytesMax` bytes of it are read.
    public static func exchange(
        _ line: [UInt8], at path: String, patienceSeconds: Int, bytesMax: Int
    ) throws(SystemError) -> [UInt8] {
        let connection = try connectStream(to: path, waits: true)
        let number = connection.number
        var patience = timeval(tv_sec: patienceSeconds, tv_usec: 0)
        try checked("setsockopt", on: path) {
            unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        try writeAll(line, to: number, path: path)
        var answer: [UInt8] = []
        while answer.count <= bytesMax {
            var chunk = [UInt8](repeating: 0, count: bytesMax)
            let count = try checked("read", on: path) { unsafe read(number, &chunk, chunk.count) }
            guard count > 0 else { break }
            answer += chunk.prefix(count)
        }
        return answer
    }
}
