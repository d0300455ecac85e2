import CBelfryLinux
import Glibc

extension Directory {
    /// Makes the named pipe `name` and opens it to read and to write, so that it has no end: it appears under its name
    /// when it is open, and is made as `aside`.
    public borrowing func makePipe(_ name: String, aside: String) throws(SystemError) -> OwnedDescriptor {
        let parent = descriptor.number
        try checked("mkfifoat", on: "\(path)/\(aside)") { unsafe mkfifoat(parent, aside, Self.newFileMode) }
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC
        let pipe = OwnedDescriptor(
            owning: try checked("openat", on: "\(path)/\(aside)") { SystemCall.openat(parent, aside, flags) })
        try rename(aside, to: name)
        return pipe
    }

    /// Pokes each named pipe here whose name ends in `suffix`, of the first `max` names, and removes those without a
    /// reader.
    public borrowing func pokePipes(endingIn suffix: String, max: Int) throws(SystemError) {
        for pipe in try names(max: max) where pipe.hasSuffix(suffix) && !pokePipe(pipe) { try? remove(pipe) }
    }

    /// Writes a byte into the named pipe `name`, unless it is full; false if it has no reader.
    public borrowing func pokePipe(_ name: String) -> Bool {
        let opened = SystemCall.openat(descriptor.number, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { return errno != ENXIO }
        let pipe = OwnedDescriptor(owning: opened)
        var byte: UInt8 = 1
        // A full pipe wakes its reader all the same.
        _ = unsafe Glibc.write(pipe.number, &byte, 1)
        return true
    }
}
