import BelfrySyscalls
import Glibc

/// What stands for an extension's process where its tests run its code in theirs: lends them its end of the channel,
/// and lives as long as they have it or its keeper lets it.
enum Lending {
    private static let channel: Int32 = 3

    /// Lends descriptor 3 to whoever serves the socket at `path`, and returns the exit status.
    static func run(to path: String) -> Int32 {
        guard fileKind(of: channel) == S_IFSOCK else {
            complain("belfry-worker: --lend lends the channel that an extension has at descriptor 3")
            return 64
        }
        do throws(SystemError) {
            let tests = try connectStream(to: path, waits: true)
            let folder = Environment.ofThisProcess(startingWith: ["TMPDIR="])["TMPDIR"] ?? "/tmp"
            guard sendAll(Array(folder.utf8), passing: channel, to: tests.number) else { return 70 }
            // Who has left is to be seen by the keeper.
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
        // No signal has a handler here that could interrupt it.
        while unsafe read(socket, &byte, 1) > 0 {}
    }
}
