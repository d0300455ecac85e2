import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc

/// Whether iOS would play the sound that a notification names: a file of the app's of at most 30 s, of linear PCM,
/// IMA 4:1, µLaw or aLaw in CAF, AIFF or WAVE; otherwise it plays the default sound. Source: Apple,
/// `UNNotificationSound`.
///
/// Only the headers are read, since the file is the extension's.
struct NotificationSoundCheck {
    /// How long the sound may be.
    static let secondsMax = 30.0
    /// How many app groups are looked into.
    static let groupsMax = 256

    /// The folders in which iOS looks, in its order: the app's `Library/Sounds`, those of its groups, the bundle.
    private let folders: [String]

    /// A check of what `bundle`, whose state is in `state`, names.
    init(of bundle: ExtensionBundle, state: String) {
        let groups = (try? Directory.names(at: "\(state)/groups", max: Self.groupsMax))?.sorted() ?? []
        let containers = ["\(state)/extensions/\(bundle.identifier.text)/home"] + groups.map { "\(state)/groups/\($0)" }
        folders = containers.map { "\($0)/Library/Sounds" } + [bundle.path]
    }

    /// Why iOS would not play `sound`, for people; nil if it would.
    func problem(with sound: NotificationSound) -> String? {
        guard sound.name != "default" else { return nil }
        let name = Printable.excerpt(of: sound.name)
        guard !sound.name.isEmpty, !sound.name.utf8.contains(UInt8(ascii: "/")), !sound.name.utf8.contains(0) else {
            return "\(name): not the name of a file"
        }
        for folder in folders {
            let path = "\(folder)/\(sound.name)"
            guard let file = SoundHeaderFile.opened(at: path) else { continue }
            guard let seconds = file.seconds else { return "\(name): no CAF, AIFF or WAVE that iOS plays" }
            // A call's sound is cut there, or repeated until then.
            guard seconds > Self.secondsMax, !sound.isRingtone else { return nil }
            return "\(name): \(DecimalText.fixed(seconds, digits: 1)) s, and iOS plays at most 30"
        }
        return "\(name): there is no such file in Resources, nor in a Library/Sounds"
    }
}

/// A file that may be a sound, of which the headers are read.
private struct SoundHeaderFile: ~Copyable {
    private static let chunksMax = 64

    private let file: OwnedDescriptor
    private let bytes: Int64

    private init(_ file: consuming OwnedDescriptor, bytes: Int64) {
        self.file = file
        self.bytes = bytes
    }

    /// The file at `path`; nil if there is no regular one.
    static func opened(at path: String) -> SoundHeaderFile? {
        // O_NONBLOCK, since opening a FIFO would block.
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { return nil }
        let file = OwnedDescriptor(owning: number)
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return SoundHeaderFile(file, bytes: Int64(status.st_size))
    }

    /// How long its sound is; nil if it is none that iOS plays.
    var seconds: Double? {
        let head = read(at: 0, count: 12)
        guard head.count == 12 else { return nil }
        switch (text(head, 0), text(head, 8)) {
        case ("RIFF", "WAVE"): return wave
        case ("FORM", "AIFF"), ("FORM", "AIFC"): return aiff
        case ("caff", _): return coreAudio
        default: return nil
        }
    }

    /// `fmt ` and `data` (Microsoft, RIFF specification).
    private var wave: Double? {
        var bytesPerSecond: Int64?
        for (name, offset, length) in chunks(from: 12, lengthBytes: 4, isBigEndian: false, isPadded: true) {
            if name == "fmt " {
                let format = read(at: offset, count: 16)
                // PCM, floating point, aLaw, µLaw, IMA ADPCM, and the extensible form.
                guard format.count == 16, [1, 3, 6, 7, 0x11, 0xFFFE].contains(number(format[..<2].reversed())) else {
                    return nil
                }
                bytesPerSecond = number(format[8..<12].reversed())
            } else if name == "data", let rate = bytesPerSecond, rate > 0 {
                return Double(min(length, bytes - offset)) / Double(rate)
            }
        }
        return nil
    }

    /// `COMM` (Apple, AIFF 1.3 and AIFF-C).
    private var aiff: Double? {
        for (name, offset, _) in chunks(from: 12, lengthBytes: 4, isBigEndian: true, isPadded: true)
        where name == "COMM" {
            let common = read(at: offset, count: 18)
            guard common.count == 18, let rate = extended(common[8..<18]), rate > 0 else { return nil }
            return Double(number(common[2..<6])) / rate
        }
        return nil
    }

    /// `desc`, `data` and `pakt` (Apple, Core Audio Format Specification).
    private var coreAudio: Double? {
        var (rate, packetBytes, packetFrames) = (0.0, Int64(0), Int64(0))
        var found: Double?
        for (name, offset, length) in chunks(from: 8, lengthBytes: 8, isBigEndian: true, isPadded: false) {
            if name == "desc" {
                let description = read(at: offset, count: 32)
                guard description.count == 32, ["lpcm", "ima4", "ulaw", "alaw"].contains(text(description, 8)) else {
                    return nil
                }
                rate = Double(bitPattern: UInt64(bitPattern: number(description[..<8])))
                (packetBytes, packetFrames) = (number(description[16..<20]), number(description[20..<24]))
                guard rate.isFinite, rate > 0 else { return nil }
            } else if name == "pakt", rate > 0 {
                let packets = read(at: offset, count: 16)
                guard packets.count == 16 else { return nil }
                return Double(number(packets[8..<16])) / rate
            } else if name == "data", packetBytes > 0 {
                // The first four bytes count edits. -1 is a length that is not known: to the end.
                let data = length < 0 ? bytes - offset - 4 : min(length, bytes - offset) - 4
                found = Double(max(data, 0)) / Double(packetBytes) * Double(packetFrames) / rate
            }
        }
        return found
    }

    /// Name, place and length of each chunk from `start` on, ``chunksMax`` at most.
    private func chunks(
        from start: Int64, lengthBytes: Int, isBigEndian: Bool, isPadded: Bool
    ) -> [(name: String, offset: Int64, length: Int64)] {
        var chunks: [(String, Int64, Int64)] = []
        var offset = start
        while chunks.count < Self.chunksMax {
            let header = read(at: offset, count: 4 + lengthBytes)
            guard header.count == 4 + lengthBytes else { break }
            let length = number(isBigEndian ? Array(header[4...]) : header[4...].reversed())
            offset += Int64(header.count)
            chunks.append((text(header, 0), offset, length))
            guard length >= 0, length < bytes - offset else { break }
            offset += length + (isPadded ? length & 1 : 0)
        }
        return chunks
    }

    private func read(at offset: Int64, count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, got in
            got = max(0, unsafe pread(file.number, buffer.baseAddress, count, off_t(offset)))
        }
    }

    private func text(_ data: [UInt8], _ offset: Int) -> String {
        String(decoding: data[offset..<offset + 4], as: UTF8.self)
    }

    /// The big-endian number that `data` is, of at most eight bytes.
    private func number(_ data: some Sequence<UInt8>) -> Int64 { data.reduce(0) { $0 << 8 | Int64($1) } }

    /// A number of 80 bits as AIFF has it (IEEE 754, extended): sign and exponent of 16 bits, then 64 of the fraction.
    private func extended(_ data: ArraySlice<UInt8>) -> Double? {
        let exponent = number(data.prefix(2)) & 0x7FFF
        let fraction = data.dropFirst(2).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let value = Double(sign: .plus, exponent: Int(exponent) - 16_383 - 63, significand: Double(fraction))
        return value.isFinite ? value : nil
    }
}
