import BelfrySyscalls
import Glibc

/// Stands in for an extension's process whose tests run its code in theirs: lends the tests its end of the channel, and
/// lives until they close the connection or the keeper ends it.
enum Lending {
    private static let channel: Int32 = 3

    /// Lends descriptor 3 to the tests that serve the socket at `path`, and returns the exit status.
    static func run(to path: String) -> Int32 {
        guard fileKind(of: channel) == S_IFSOCK else {
            complain("belfry-worker: --lend lends the channel that an extension has at descriptor 3")
            return 64
        }
        do throws(SystemError) {
            let tests = try connectStream(to: path, waits: true)
            let folder = Environment.ofThisProcess(startingWith: ["TMPDIR="])["TMPDIR"] ?? "/tmp"
            guard sendAll(Array(folder.utf8), passing: channel, to: tests.number) else { return 70 }
            // The channel must not stay open by us: the keeper has to see when the tests have left.
            close(channel)
            waitForEnd(of: tests.number)
            return 0
        } catch {
            complain("belfry-worker: \(error)")
            return 70
        }
    }

    private static func waitForEnd(of socket: Int32) {
        var byte: UInt8 = 0
        // No signal has a handler here that could interrupt the call.
        while unsafe read(socket, &byte, 1) > 0 {}
    }
}
