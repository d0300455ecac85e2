import BelfryContacts
import BelfrySyscalls
import Glibc

/// The person's address book. iOS reads it in a process of its own; here only a piece of it is in memory at a time, so
/// that what the extension does not keep is not charged to it.
enum ContactsFile {
    private static let pieceBytes = 64 << 10

    /// Calls `body` with each card of the file at `path`, in its order, until it returns false.
    ///
    /// Fails with EFBIG if the file is too long, with EINVAL if it is not a regular file; a pipe does not block it.
    ///
    /// - Throws: `SystemError`, ``ContactCards/Problem``.
    static func forEachCard(at path: String, withPictures: Bool, _ body: (ContactCard) -> Bool) throws {
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let file = OwnedDescriptor(owning: try checked("open", on: path) { unsafe open(path, flags) })
        let descriptor = file.number
        var status = stat()
        try checked("fstat", on: path) { unsafe fstat(descriptor, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(errno: EINVAL, call: "open", subject: "\(path): no regular file")
        }
        let bytesMax = ContactCards.fileBytesMax
        guard status.st_size <= bytesMax else {
            throw SystemError(errno: EFBIG, call: "read", subject: "\(path): more than \(bytesMax) bytes")
        }
        var reader = ContactCardReader(withPictures: withPictures)
        var left = Int(status.st_size)
        while left > 0 {
            var piece = [UInt8](repeating: 0, count: min(left, pieceBytes))
            let got = try checked("read", on: path) {
                unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            }
            guard got > 0 else { break }
            piece.removeLast(piece.count - got)
            left -= got
            guard try reader.read(piece, body) else { return }
        }
        try reader.end { _ = body($0) }
    }
}
