import CBelfryLinux
import Glibc

/// An open file that another process has passed over a socket. It is closed with the last reference.
public final class PassedFile: Sendable {
    /// The descriptor.
    public let descriptor: OwnedDescriptor

    /// Takes `descriptor`.
    public init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

    /// Where this process can open the file anew, as long as this object lives.
    public var path: String { "/proc/self/fd/\(descriptor.number)" }

    /// Whether it is a file in memory that can no longer be changed or shortened, so that reading it never blocks.
    public var isSealedMemory: Bool { clinux_is_sealed_memory_file(descriptor.number) != 0 }
}

extension PassedFile: Hashable {
    /// Whether both are the same object.
    public static func == (left: PassedFile, right: PassedFile) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Sends `bytes` over the stream socket `socket`, and with their first part the descriptor `passing`, unless that is
/// nil; waits until all is sent. False if the peer takes nothing any more.
public func sendAll(_ bytes: [UInt8], passing descriptor: Int32?, to socket: Int32) -> Bool {
    var rest = bytes[...]
    var passed = descriptor ?? -1
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes {
            unsafe clinux_send(socket, $0.baseAddress, $0.count, passed, Int32(MSG_NOSIGNAL))
        }
        if count > 0 {
            rest = rest.dropFirst(count)
            passed = -1
        } else if errno != EINTR {
            return false
        }
    }
    return true
}

/// Sends what `socket` takes of `bytes` at once, and with their first part the descriptor `passing`, unless that is
/// nil.
public func sendSome(
    _ bytes: ArraySlice<UInt8>, passing descriptor: Int32?, to socket: Int32
) -> NonBlockingOutput.Outcome {
    while true {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let count = unsafe bytes.withUnsafeBytes {
            unsafe clinux_send(socket, $0.baseAddress, $0.count, descriptor ?? -1, flags)
        }
        if count >= 0 { return .wrote(count) }
        if errno == EINTR { continue }
        return errno == EAGAIN ? .full : .failed
    }
}

/// Receives from the stream socket `socket` at most `bytesMax` bytes, and the files that were passed with them; no
/// bytes at its end, and if it fails. A file comes with the first byte it was sent with, or a later one.
public func receiveSome(from socket: Int32, bytesMax: Int) -> (bytes: [UInt8], files: [PassedFile]) {
    var numbers = [Int32](repeating: -1, count: Int(CLINUX_DESCRIPTORS_MAX))
    var numbersCount: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, count in
        repeat {
            count = unsafe clinux_receive(socket, buffer.baseAddress, bytesMax, &numbers, &numbersCount)
        } while count < 0 && errno == EINTR
        count = max(0, count)
    }
    return (bytes, numbers.prefix(Int(numbersCount)).map { PassedFile(OwnedDescriptor(owning: $0)) })
}
