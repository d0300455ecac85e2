import BelfrySyscalls
import CBelfryLinux
import Testing

/// Errors read as people write them.
@Suite struct SystemErrorTests {
    @Test func namesTheCallItsSubjectAndTheReason() {
        let error = SystemError(errno: ENOENT, call: "openat", subject: "/path")
        #expect(error.description == "openat /path: No such file or directory")
        #expect(SystemError(errno: EPERM, call: "kill").description == "kill: Operation not permitted")
        #expect(SystemError(errno: 12_345, call: "kill").reason == "error 12345")
        #expect(SystemError(negated: -ENOENT, call: "openat", subject: "/path") == error)
    }
}
