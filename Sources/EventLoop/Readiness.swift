internal import CSystemd

/// What a descriptor is ready for.
public struct Readiness: OptionSet, Sendable {
    /// The bits of epoll(7).
    public let rawValue: UInt32

    /// A set of epoll bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Something can be read, be it the end of the input.
    public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    /// Something can be written.
    public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The peer has closed, at least for writing to us; asked for or not, a full close is always told.
    public static let hangup = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLRDHUP.rawValue)
    /// It failed; always told.
    public static let error = Readiness(rawValue: EPOLLERR.rawValue)
}
