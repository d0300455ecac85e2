public import BelfrySyscalls
import Glibc

/// Gives the socket `number` the address `path`, where it makes the file of a Unix socket.
public func bindUnixSocket(_ number: Int32, to path: String) throws(SystemError) {
    var address = try UnixAddress(path)
    try checked("bind", on: path) { unsafe address.withPointer { unsafe bind(number, $0, $1) } }
}
