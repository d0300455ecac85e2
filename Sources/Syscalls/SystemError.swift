/// A system call that failed: which one, on what, and why.
public struct SystemError: Error, Hashable, Sendable {
    /// The errno it failed with, positive.
    public let errno: Int32
    /// The C function that failed, such as `openat`.
    public let call: String
    /// What it was called on, such as a path; may be empty.
    public let subject: String

    /// An error of `call` on `subject`.
    public init(errno: Int32, call: String, subject: String = "") {
        self.errno = errno
        self.call = call
        self.subject = subject
    }
}
