import BelfryEventLoop
import BelfrySyscalls
import Glibc

/// What the workers of one bell write, kept until it is known whether their test has failed. It belongs to the bell's
/// thread.
final class WorkersWords {
    /// How much is kept, in bytes; of more the last.
    static let bytesMax = 256 << 10
    private static let chunkBytes = 64 << 10

    private let pipe: DescriptorPair
    private var source: DescriptorSource?
    private(set) var bytes: [UInt8] = []
    private(set) var isCut = false

    /// Where workers write.
    var stream: ChildCommand.Stream { .descriptor(pipe.writing.number) }

    init(on loop: Loop) throws(SystemError) {
        pipe = try .pipe()
        source = try loop.watch(descriptor: pipe.reading.number, events: .readable, description: "workers' words") {
            [unowned self] _ in read()
        }
    }

    /// Listens no more, once the workers are gone; what they wrote can be read on. Called before it is let go.
    func finish() {
        source?.cancel()
        source = nil
    }

    /// What has come by now: lines of UTF-8, the last ones if there were more than are kept.
    func text() -> String {
        while isReady(pipe.reading.number, for: POLLIN), read() {}
        return (isCut ? "...\n" : "") + String(decoding: bytes, as: UTF8.self)
    }

    /// False if nothing came.
    @discardableResult
    private func read() -> Bool {
        let chunk = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { buffer, count in
            count = max(0, unsafe Glibc.read(pipe.reading.number, buffer.baseAddress, Self.chunkBytes))
        }
        bytes += chunk
        if bytes.count > Self.bytesMax {
            isCut = true
            bytes.removeFirst(bytes.count - Self.bytesMax)
            // From the beginning of a line.
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) { bytes.removeFirst(end + 1) }
        }
        return !chunk.isEmpty
    }
}
