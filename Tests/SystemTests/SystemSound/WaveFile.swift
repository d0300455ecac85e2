/// Makes WAVE files, right ones and wrong ones.
struct WaveFile {
    var format: UInt16 = 1
    var channels: UInt16 = 1
    var rate: UInt32 = 48_000
    var bits: UInt16 = 16
    var formatBytes: UInt32 = 16
    /// What the header says the sound's length is; nil for the truth.
    var statedSoundBytes: UInt32?
    /// What the header says the file's length is; nil for the truth.
    var statedFileBytes: UInt32?
    /// Chunks before the sound.
    var chunksBefore: [(name: String, content: [UInt8])] = []
    var hasFormat = true
    var hasSound = true
    var sound: [UInt8] = Array(repeating: 0, count: 960)

    /// A square wave of 500 Hz at `amplitude` of full scale, which is also its RMS.
    static func tone(amplitude: Double, milliseconds: Int) -> WaveFile {
        var file = WaveFile()
        let level = Int16(amplitude * 32_767)
        file.sound = (0..<48 * milliseconds).flatMap { index in
            let sample = UInt16(bitPattern: index / 48 % 2 == 0 ? level : -level)
            return [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
        }
        return file
    }

    var bytes: [UInt8] {
        var body: [UInt8] = Array("WAVE".utf8)
        if hasFormat {
            body += Array("fmt ".utf8) + little(formatBytes) + little(format) + little(channels) + little(rate)
            body += little(rate &* UInt32(channels) &* 2) + little(channels &* (bits / 8)) + little(bits)
            body += Array(repeating: 0, count: max(0, Int(formatBytes) - 16))
        }
        for chunk in chunksBefore {
            body += Array(chunk.name.utf8) + little(UInt32(chunk.content.count)) + chunk.content
        }
        if hasSound { body += Array("data".utf8) + little(statedSoundBytes ?? UInt32(sound.count)) + sound }
        return Array("RIFF".utf8) + little(statedFileBytes ?? UInt32(body.count)) + body
    }

    private func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}

/// Makes files of Ogg pages, which are all that is looked at: nothing in them can be decoded.
struct OggFile {
    var firstPacket: [UInt8] = [1] + Array("vorbis".utf8) + Array(repeating: 0, count: 23)
    var lastPacketBytes = 300

    var bytes: [UInt8] {
        page(firstPacket, type: 2) + page(Array(repeating: 7, count: 40), type: 0)
            + page(Array(repeating: 7, count: lastPacketBytes), type: 4)
    }

    /// A page of one packet, which may fill it.
    private func page(_ packet: [UInt8], type: UInt8) -> [UInt8] {
        var segments = Array(repeating: UInt8(255), count: packet.count / 255)
        if segments.count < 255 { segments.append(UInt8(packet.count % 255)) }
        return Array("OggS".utf8) + [0, type] + Array(repeating: 0, count: 20) + [UInt8(segments.count)] + segments
            + packet
    }
}
