import BelfrySyscalls
import CBelfryLinux
import Glibc
import Support
import Testing

/// Bytes, and files beside them, over a stream socket.
@Suite final class PassedDescriptorsTests {
    private let pair: SocketPair
    private let folder = TemporaryFolder()

    init() throws { pair = try SocketPair() }

    private func openFile(_ text: String) throws -> OwnedDescriptor {
        let path = folder.write(Array(text.utf8), to: text)
        return OwnedDescriptor(owning: try checked("open") { unsafe open(path, O_RDONLY | O_CLOEXEC) })
    }

    private func text(of file: PassedFile) -> String {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(file.descriptor.number, &bytes, bytes.count)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }

    @Test func aFileComesWithItsBytesOnce() throws {
        let file = try openFile("passed")
        #expect(sendAll([1, 2, 3], passing: file.number, to: pair.writing.number))
        #expect(sendAll([4], passing: nil, to: pair.writing.number))
        errno = EINTR
        let first = receiveSome(from: pair.reading.number, bytesMax: 3)
        #expect(first.bytes == [1, 2, 3] && first.files.map(text) == ["passed"])
        let second = receiveSome(from: pair.reading.number, bytesMax: 3)
        #expect(second.bytes == [4] && second.files.isEmpty)
        #expect(fcntl(first.files[0].descriptor.number, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test func manyBytesGoInPiecesAndTheFileWithTheFirst() throws {
        let file = try openFile("one")
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
        let (socket, number) = (pair.writing.number, file.number)
        let sender = PosixThread { _ = sendAll(bytes, passing: number, to: socket) }
        var (received, files): ([UInt8], [PassedFile]) = ([], [])
        var wait = pollfd(fd: pair.reading.number, events: Int16(POLLIN), revents: 0)
        while received.count < bytes.count, unsafe poll(&wait, 1, 10_000) > 0 {
            let (some, passed) = receiveSome(from: pair.reading.number, bytesMax: 65_536)
            if some.isEmpty { break }
            received += some
            files += passed
        }
        sender.join()
        #expect(received == bytes && files.map(text) == ["one"])
    }

    @Test func whatFitsIsSentAndTheRestIsNot() throws {
        let file = try openFile("some")
        #expect(sendSome([], passing: nil, to: pair.writing.number) == .wrote(0))
        let bytes = [UInt8](repeating: 7, count: 10_000_000)
        guard case .wrote(let count) = sendSome(bytes[...], passing: file.number, to: pair.writing.number) else {
            Issue.record("nothing was sent")
            return
        }
        #expect(count > 0 && count < bytes.count)
        #expect(sendSome(bytes[...], passing: nil, to: pair.writing.number) == .full)
        #expect(receiveSome(from: pair.reading.number, bytesMax: 1).files.map(text) == ["some"])
    }

    @Test func whoHasLeftTakesNothingAndGivesNothing() throws {
        endConnection(pair.reading.number)
        #expect(!sendAll([1], passing: nil, to: pair.writing.number))
        #expect(sendSome([1], passing: nil, to: pair.writing.number) == .failed)
        errno = EINTR
        let (bytes, files) = receiveSome(from: pair.writing.number, bytesMax: 16)
        #expect(bytes.isEmpty && files.isEmpty)
    }

    @Test func aPassedFileIsItselfAlone() throws {
        let (one, other) = (PassedFile(try openFile("a")), PassedFile(try openFile("a")))
        #expect(one == one && one != other && Set([one, other, one]).count == 2)
        #expect(!one.isSealedMemory)
        #expect(one.path == "/proc/self/fd/\(one.descriptor.number)")
    }
}
