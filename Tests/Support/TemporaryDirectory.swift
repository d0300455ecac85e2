public import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc

/// A directory of a test's own, removed with all that is in it when this object ends.
public final class TemporaryDirectory {
    /// Its path, without symbolic links.
    public let path: String

    /// Makes one where temporary files belong.
    public init() throws(SystemError) {
        path = "/tmp/belfry-test-\(randomUUID())"
        let path = path
        try checked("mkdir", on: path) { unsafe mkdir(path, 0o700) }
    }

    deinit {
        // What stays behind harms no test.
        _ = try? ChildProcess(ChildCommand(path: "/bin/rm", arguments: ["-rf", path])).waitUntilExit()
    }
}
