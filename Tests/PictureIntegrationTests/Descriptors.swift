import BelfrySyscalls
import Glibc

/// All that comes from a descriptor until its other end is closed.
func readToEnd(_ descriptor: Int32) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = try checked("read") {
            unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        }
        guard count > 0 else { return bytes }
        bytes += piece[..<count]
    }
}

/// The bytes up to the next newline, read one by one so that none is taken from whoever reads on.
func readLine(_ descriptor: Int32) throws -> [UInt8] {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while try checked("read", { unsafe read(descriptor, &byte, 1) }) == 1, byte != UInt8(ascii: "\n") {
        line.append(byte)
    }
    return line
}

/// Writes all of `bytes`, fewer than a pipe holds.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws {
    let count = try checked("write") {
        unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }
    precondition(count == bytes.count, "a pipe is full")
}

/// The contents of a file.
func contents(of path: String) throws -> [UInt8] {
    let file = OwnedDescriptor(owning: try checked("open", on: path) { unsafe open(path, O_RDONLY | O_CLOEXEC) })
    return try readToEnd(file.number)
}

/// A new folder under /tmp, removed with all that is in it when its owner ends.
final class TemporaryFolder: Sendable {
    /// Its path.
    let path: String

    /// Makes it.
    init() throws {
        var template = Array("/tmp/belfry-avatar-XXXXXX\0".utf8)
        let isMade = unsafe template.withUnsafeMutableBytes {
            unsafe $0.baseAddress.map { unsafe mkdtemp($0.assumingMemoryBound(to: CChar.self)) } ?? nil != nil
        }
        guard isMade else { throw SystemError(errno: errno, call: "mkdtemp") }
        path = String(decoding: template.dropLast(), as: UTF8.self)
    }

    deinit {
        _ = try? ChildProcess(ChildCommand(path: "/bin/rm", arguments: ["-rf", path])).waitUntilExit()
    }
}
