import BelfrySyscalls
import Glibc

/// A stream socket that listens at `path`, where nothing is; its number, which becomes the caller's.
public func makeStreamSocket(at path: String) throws -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let listener = try checked("socket") { socket(AF_UNIX, kind, 0) }
    try bindUnixSocket(listener, to: path)
    try listen(at: listener, backlog: 16)
    return listener
}
