public import BelfryAppGroup
public import BelfryEventLoop
public import BelfrySyscalls
import Glibc

/// Follows the log of pushes from its end on, whichever process writes it, and across the change of its files.
public final class PushLogReader {
    /// How much is read at once.
    private static let chunkBytes = 64 << 10
    /// A longer line is none of ours: it is passed over.
    private static let lineBytesMax = 64 << 10

    private let directory: Directory
    private var file: OwnedDescriptor?
    /// Of the open file itself, since another one may have got its name as it was opened.
    private var inode: UInt64?
    private var unfinished: [UInt8] = []

    /// A reader of the log below `state`, of which only what is new counts. There need be none yet.
    public init(state: StateDirectory) throws(SystemError) {
        directory = try PushLog.openDirectory(state, makes: true)
        if try open() {
            let number = file?.number ?? -1
            try checked("lseek") { lseek(number, 0, SEEK_END) }
        }
    }

    /// Calls `changed` whenever there may be new lines, until it is cancelled.
    public func watch<Loop: EventLoop>(
        on loop: Loop, _ changed: @escaping () -> Void
    ) throws(SystemError) -> Loop.DirectoryWatch {
        try loop.watchDirectory(directory.descriptor.number, description: "log of pushes", changed)
    }

    /// The lines that were added since this was asked last.
    public func newLines() throws(SystemError) -> [[UInt8]] {
        var lines = try rest()
        let named = try directory.identity(of: PushLog.fileName)
        guard let named, named.inode != inode else { return lines }
        // The file was full, and this is the next one; the last lines of the old one have been read.
        unfinished = []
        if try open() { lines += try rest() }
        return lines
    }

    private func open() throws(SystemError) -> Bool {
        file = nil
        inode = nil
        guard let opened = try directory.openForReading(PushLog.fileName) else { return false }
        let number = opened.file.number
        file = Optional(opened.file)
        var status = stat()
        try checked("fstat", on: PushLog.fileName) { unsafe fstat(number, &status) }
        inode = UInt64(status.st_ino)
        return true
    }

    private func rest() throws(SystemError) -> [[UInt8]] {
        guard let number = file?.number else { return [] }
        var lines: [[UInt8]] = []
        while true {
            var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
            let count = try checked("read", on: PushLog.fileName) {
                unsafe chunk.withUnsafeMutableBytes { unsafe read(number, $0.baseAddress, $0.count) }
            }
            guard count > 0 else { return lines }
            var parts = (unfinished + chunk[..<count]).split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            unfinished = parts.popLast().map(Array.init) ?? []
            if unfinished.count > Self.lineBytesMax { unfinished = [] }
            lines += parts.filter { !$0.isEmpty }.map(Array.init)
        }
    }
}
