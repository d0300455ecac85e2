import BelfrySyscalls
import Glibc

/// Looks at a sound file as libcanberra 0.30 will read it, so that a fault is reported before a call rings, and not by
/// "Operation not supported" in the middle of one, or by a click where the rest of the sound is missing (S2).
/// (libcanberra, src/read-wav.c and read-vorbis.c.)
enum SoundFileCheck {
    /// The largest file: 8 MiB, 47 s of 16-bit stereo at 44.1 kHz, where a tick is at most 10 s.
    static let fileBytesMax = 8 << 20
    /// How many chunks of a WAVE file are passed over before its sound.
    static let chunksMax = 64
    /// Where the last page of an Ogg file is looked for: a page has 65,307 bytes at most, and a tag may follow it.
    static let lastPageBytesMax = 66 << 10

    /// Returns if the file at `path` can be played.
    static func check(path: String) throws(SoundProblem) {
        do {
            // O_NONBLOCK, since opening a FIFO would block.
            let number = try checked("open", on: path) {
                unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            }
            let file = OwnedDescriptor(owning: number)
            var status = stat()
            try checked("fstat", on: path) { unsafe fstat(number, &status) }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw SoundProblem.unusable(path: path, why: "not a regular file")
            }
            guard status.st_size <= fileBytesMax else {
                throw SoundProblem.unusable(path: path, why: "larger than \(fileBytesMax >> 20) MiB")
            }
            if let why = try fault(in: file, bytes: status.st_size) {
                throw SoundProblem.unusable(path: path, why: why)
            }
        } catch let error as SoundProblem {
            throw error
        } catch let error as SystemError {
            throw .unusable(path: path, why: error.reason)
        } catch {
            throw .unusable(path: path, why: "\(error)")
        }
    }

    /// Why the file cannot be played; nil if it can.
    private static func fault(in file: borrowing OwnedDescriptor, bytes: Int) throws(SystemError) -> String? {
        let head = try read(file, at: 0, count: 64)
        if starts(head, with: "OggS") { return try vorbisFault(head, in: file, bytes: bytes) }
        guard starts(head, with: "RIFF"), head.count >= 12, starts(head[8...], with: "WAVE") else {
            return "neither a WAVE nor an Ogg Vorbis file"
        }
        guard isLength(number(head, 4, bytes: 4)) else {
            return "a WAVE file that does not say how long it is (written to a pipe?)"
        }
        return try waveFault(in: file, bytes: bytes)
    }

    /// A first Ogg page holds one packet, that names the codec: Vorbis I specification, appendix A.2 and section 4.2.1.
    private static func vorbisFault(
        _ head: [UInt8], in file: borrowing OwnedDescriptor, bytes: Int
    ) throws(SystemError) -> String? {
        guard head.count > 26 else { return "an Ogg file that is cut short" }
        let packet = head.dropFirst(27 + Int(head[26]))
        guard packet.first == 1, starts(packet.dropFirst(), with: "vorbis") else {
            return "an Ogg file whose first stream is not Vorbis"
        }
        let count = min(bytes, lastPageBytesMax)
        let tail = try read(file, at: Int64(bytes - count), count: count)
        return hasLastPage(tail) ? nil : "an Ogg file that is cut short"
    }

    /// Whether a whole page in `tail` says that it ends its stream (RFC 3533, section 6).
    private static func hasLastPage(_ tail: [UInt8]) -> Bool {
        let capture = Array("OggS".utf8)
        guard tail.count >= 27 else { return false }
        for start in (0...tail.count - 27).reversed() where tail[start] == capture[0] {
            guard tail[start..<start + 4].elementsEqual(capture), tail[start + 4] == 0, tail[start + 5] & 4 != 0 else {
                continue
            }
            let table = tail[(start + 27)...].prefix(Int(tail[start + 26]))
            let end = start + 27 + Int(tail[start + 26]) + table.reduce(0) { $0 + Int($1) }
            if end <= tail.count { return true }
        }
        return false
    }

    private static func waveFault(in file: borrowing OwnedDescriptor, bytes: Int) throws(SystemError) -> String? {
        var offset: Int64 = 12
        var hasFormat = false
        for _ in 0..<chunksMax {
            let header = try read(file, at: offset, count: 8)
            guard header.count == 8 else { break }
            let length = number(header, 4, bytes: 4)
            // libcanberra gives up at such a chunk, whatever it is.
            guard isLength(length) else { return "a WAVE file with an empty or endless chunk" }
            offset += 8
            if !hasFormat, starts(header, with: "fmt ") {
                if let why = formatFault(try read(file, at: offset, count: Int(min(length, 40))), length: length) {
                    return why
                }
                hasFormat = true
            } else if hasFormat, starts(header, with: "data") {
                guard length % 2 == 0 else { return "a WAVE file that ends in half a sample" }
                return offset + length <= Int64(bytes) ? nil : "a WAVE file that is cut short"
            }
            // Not rounded up to an even length, as the format would have it: libcanberra does not.
            offset += length
        }
        return hasFormat
            ? "a WAVE file without sound that libcanberra finds" : "a WAVE file that does not say its format"
    }

    private static func formatFault(_ format: [UInt8], length: Int64) -> String? {
        guard format.count >= 16, [16, 18].contains(length), number(format, 0, bytes: 2) == 1 else {
            return "not plain PCM (save it as 16-bit PCM WAVE, not \"extensible\")"
        }
        let bits = number(format, 14, bytes: 2)
        guard bits == 16 else { return "\(bits) bits a sample, where 16 are needed" }
        let channels = number(format, 2, bytes: 2)
        guard (1...8).contains(channels) else { return "\(channels) channels" }
        let rate = number(format, 4, bytes: 4)
        guard (4_000...192_000).contains(rate) else { return "\(rate) samples a second" }
        return nil
    }

    /// Whether libcanberra believes a length: not 0, and below 64 MiB.
    private static func isLength(_ length: Int64) -> Bool { length > 0 && length < 64 << 20 }

    /// The little-endian number of `bytes` bytes at `offset`.
    private static func number(_ data: [UInt8], _ offset: Int, bytes: Int) -> Int64 {
        var value: Int64 = 0
        for index in (0..<bytes).reversed() where offset + index < data.count {
            value = value << 8 | Int64(data[offset + index])
        }
        return value
    }

    private static func starts(_ data: some Collection<UInt8>, with text: StaticString) -> Bool {
        unsafe data.starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// At most `count` bytes from `offset` on; fewer at the end of the file.
    private static func read(
        _ file: borrowing OwnedDescriptor,
        at offset: Int64,
        count: Int
    ) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let number = file.number
        let got = try checked("pread") {
            unsafe bytes.withUnsafeMutableBytes { unsafe pread(number, $0.baseAddress, $0.count, off_t(offset)) }
        }
        return Array(bytes[..<got])
    }
}
