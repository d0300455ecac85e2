import BelfryCommandLine
import BelfrySyscalls
import Glibc
import PushAPI

/// The endpoint that runs, as commands reach it: by its control socket.
enum RunningEndpoint {
    /// How long an answer is waited for, in seconds.
    private static let patienceSeconds = 5

    /// Sends `request`, and waits for what is answered.
    static func ask(_ request: ControlRequest, environment: Environment) throws(CommandError) -> ControlAnswer {
        guard let path = path(environment) else {
            throw CommandError(
                .unavailable, "there is no telling where the endpoint's socket is", "set XDG_RUNTIME_DIR")
        }
        let answer: [UInt8]
        do throws(SystemError) {
            answer = try exchange(request.line, at: path)
        } catch {
            throw CommandError(
                .unavailable, "no endpoint answers: \(error)", "systemctl --user start belfry-apns.socket")
        }
        guard let understood = ControlAnswer(line: answer) else {
            throw CommandError(.unavailable, "the endpoint answers what nobody understands")
        }
        return understood
    }

    /// `$BELFRY_APNS_SOCKET`, else `apns.sock` in the runtime directory; nil if there is none.
    private static func path(_ environment: Environment) -> String? {
        if let path = environment["BELFRY_APNS_SOCKET"], !path.isEmpty { return path }
        return environment["XDG_RUNTIME_DIR"].map { "\($0)/belfry/apns.sock" }
    }

    private static func exchange(_ line: [UInt8], at path: String) throws(SystemError) -> [UInt8] {
        let connection = try connectStream(to: path, waits: true)
        let number = connection.number
        var patience = timeval(tv_sec: patienceSeconds, tv_usec: 0)
        try checked("setsockopt", on: path) {
            unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        try writeAll(line, to: number, path: path)
        var answer: [UInt8] = []
        while answer.count <= ControlAnswer.bytesMax {
            var chunk = [UInt8](repeating: 0, count: ControlAnswer.bytesMax)
            let count = try checked("read", on: path) { unsafe read(number, &chunk, chunk.count) }
            guard count > 0 else { break }
            answer += chunk.prefix(count)
        }
        return answer
    }
}
