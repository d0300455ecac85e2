internal import CLinux
internal import Glibc

/// Which version of a file this is: two that are equal have the same content, unless it was written twice in the same
/// tick of the kernel's clock without changing its size or its inode.
public struct FileIdentity: Hashable, Sendable {
    /// The device it is on.
    public let device: UInt64
    /// Its inode, which a rename over it changes.
    public let inode: UInt64
    /// Its size.
    public let sizeBytes: Int64
    /// When it was last written: whole seconds since 1970.
    public let modifiedSeconds: Int64
    /// When it was last written: nanoseconds past the second.
    public let modifiedNanoseconds: Int64

    /// The identity in what fstat(2) says.
    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        sizeBytes = Int64(status.st_size)
        modifiedSeconds = Int64(status.st_mtim.tv_sec)
        modifiedNanoseconds = Int64(status.st_mtim.tv_nsec)
    }

    /// Whether `other` is a version of the same file: nothing replaced it.
    public func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }

    /// When it was last written by the wall clock, in microseconds since 1970; clamped, as a file's date may be
    /// anything.
    public var modifiedMicroseconds: Int64 {
        let (microseconds, overflow) = modifiedSeconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return modifiedSeconds < 0 ? .min : .max }
        return microseconds.addingReportingOverflow(modifiedNanoseconds / 1_000).partialValue
    }
}
