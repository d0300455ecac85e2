public import BelfrySyscalls
import Glibc

/// Why a notification could not be pushed or followed.
public struct PushError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: String, CaseIterable, Sendable {
        /// No path was given, and the environment names no runtime directory.
        case noPath
        /// The path does not fit a socket address.
        case pathTooLong
        /// There is no socket, or no manager listens on it.
        case noSocket
        /// The connection failed on the way.
        case connectionFailed
        /// A line is longer than 1 MiB.
        case lineTooLong
        /// A line is no event.
        case notAnEvent
        /// The events were read twice at the same time, or again after all had been read.
        case readTwice
        /// The connection ended before the expected event, before the delivery, or before the end of a ring was
        /// reported.
        case endedEarly
    }

    /// What kind of failure it is.
    public let code: Code
    /// What failed, for people; text from outside in it is escaped.
    public let detail: String
    /// The system call that failed; nil if none did.
    public let cause: SystemError?
    private var remedyThere: String?

    /// An error.
    public init(_ code: Code, _ detail: String, cause: SystemError? = nil) {
        self.code = code
        self.detail = detail
        self.cause = cause
    }

    /// The same error with what to do about it where the socket is none of an installed Belfry.
    public func mended(by remedy: String) -> PushError {
        var error = self
        error.remedyThere = remedy
        return error
    }

    /// What to do about it; may be empty.
    public var remedy: String {
        if let remedyThere { return remedyThere }
        return switch code {
        case .noPath: "set XDG_RUNTIME_DIR or BELFRY_SOCKET, or give the socket's path"
        case .pathTooLong: "use a shorter path"
        case .noSocket where [EACCES, EPERM].contains(cause?.errno): "give the path of a push socket that is yours"
        case .noSocket:
            userManagerRuns()
                ? "start it with: systemctl --user enable --now belfry.socket"
                : "no user manager runs here: run your tests in: belfry serve -- COMMAND"
        case .connectionFailed, .endedEarly: "see what the worker says: journalctl --user -t belfry-worker"
        case .lineTooLong, .notAnEvent: "is something other than Belfry listening there?"
        case .readTwice: "keep the events that were read"
        }
    }

    /// The exit status of a program that ends because of it, of sysexits(3).
    public var exitStatus: Int32 {
        switch code {
        case .pathTooLong: 64
        case .noPath, .noSocket: 69
        case .lineTooLong, .notAnEvent, .readTwice: 70
        case .connectionFailed, .endedEarly: 75
        }
    }

    /// One line for people.
    public var description: String { remedy.isEmpty ? detail : "\(detail): \(remedy)" }
}

/// Whether this user has a systemd user manager, by the socket that systemctl(1) asks it at.
private func userManagerRuns() -> Bool {
    guard let folder = unsafe getenv("XDG_RUNTIME_DIR") else { return false }
    return unsafe access("\(String(cString: folder))/systemd/private", F_OK) == 0
}
