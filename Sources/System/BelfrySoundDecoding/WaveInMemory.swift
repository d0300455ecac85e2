import BelfrySyscalls
import CBelfryLinux
import Glibc

/// A WAVE file of 16 bits a sample that is written in memory (`memfd_create`).
final class WaveInMemory {
    /// `RIFF`, `fmt ` and the header of `data`.
    private static let headerBytes = 44

    private let file: PassedFile

    /// A file without samples.
    init() throws(SoundDecodingError) {
        file = try Self.makeFile()
        try write([UInt8](repeating: 0, count: Self.headerBytes))
    }

    private static func makeFile() throws(SoundDecodingError) -> PassedFile {
        do throws(SystemError) {
            return PassedFile(
                OwnedDescriptor(owning: try checked("memfd_create") { unsafe clinux_memory_file("sound") }))
        } catch { throw SoundDecodingError(error) }
    }

    /// Adds samples, the channels of each frame beside one another.
    func append(_ samples: [Int16]) throws(SoundDecodingError) {
        let little = samples.map(\.littleEndian)
        try write(unsafe little.withUnsafeBytes { unsafe Array($0) })
    }

    /// The whole file, sealed against changes.
    func finished(channels: Int, samplesPerSecond: Int) throws(SoundDecodingError) -> PassedFile {
        let number = file.descriptor.number
        let size = Int(lseek(number, 0, SEEK_END)) - Self.headerBytes
        let frameBytes = channels * 2
        // Multimedia Programming Interface and Data Specifications 1.0, IBM and Microsoft, 1991.
        var header = Array("RIFF".utf8) + Self.bytes(of: UInt32(size + Self.headerBytes - 8))
        header += Array("WAVEfmt ".utf8) + Self.bytes(of: 16) + Self.bytes(of: 1, count: 2)
        header += Self.bytes(of: UInt32(channels), count: 2) + Self.bytes(of: UInt32(samplesPerSecond))
        header += Self.bytes(of: UInt32(samplesPerSecond * frameBytes)) + Self.bytes(of: UInt32(frameBytes), count: 2)
        header += Self.bytes(of: 16, count: 2) + Array("data".utf8) + Self.bytes(of: UInt32(size))
        lseek(number, 0, SEEK_SET)
        try write(header)
        do throws(SystemError) {
            try checked("fcntl", on: "F_ADD_SEALS") { clinux_seal_memory_file(number) }
        } catch { throw SoundDecodingError(error) }
        return file
    }

    private func write(_ bytes: [UInt8]) throws(SoundDecodingError) {
        let number = file.descriptor.number
        var rest = bytes[...]
        do throws(SystemError) {
            while !rest.isEmpty {
                let count = try checked("write") {
                    unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
                }
                rest = rest.dropFirst(count)
            }
        } catch { throw SoundDecodingError(error) }
    }

    private static func bytes(of value: UInt32, count: Int = 4) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }
}
