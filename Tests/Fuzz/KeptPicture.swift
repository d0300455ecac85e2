// What decides which PNG is kept. An odd first byte has the checksums put right, which no fuzzer guesses. A trap is a
// finding, and so is a picture that is kept or refused otherwise than a second reader, written apart from the first,
// would have it.
import BelfryPictures

func feedKeptPicture(_ bytes: [UInt8]) {
    var input = Array(bytes.dropFirst())
    if bytes.first.map({ $0 % 2 == 1 }) ?? false { putChecksumsRight(in: &input) }
    judge(input)
    let plain = KeptPicture.plain(input)
    judge(plain)
    precondition(KeptPicture.plain(plain) == plain, "what is plain has something to leave out")
    precondition(KeptPicture(input) == nil || plain == input, "something is left out of what is kept")
    KeptPicture(plain).map(judgePixels)
}

/// What it draws is as large as it says, whatever its data comes to.
private func judgePixels(of kept: KeptPicture) {
    let pixels = PicturePixels(of: kept, sideMax: 64) { compressed, count in
        (0..<count).map { compressed.isEmpty ? 0 : compressed[$0 % compressed.count] % 6 }
    }
    guard let pixels else { return }
    precondition(max(pixels.width, pixels.height) <= 64, "a picture is larger than asked for")
    precondition(pixels.bytes.count == pixels.width * pixels.height * pixels.channels, "pixels are missing")
}

private func judge(_ png: [UInt8]) {
    let kept = KeptPicture(png)
    precondition((kept != nil) == isPixelsAlone(png), "the two readers disagree")
    precondition(kept == nil || kept?.bytes == png, "what is kept is not what was read")
}

/// Whether `png` is a small PNG of pixels and nothing else.
private func isPixelsAlone(_ png: [UInt8]) -> Bool {
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    guard png.count <= FetchLimits.writtenBytesMax, png.starts(with: signature) else { return false }
    var types: [String] = []
    var pixelBytes = 0
    var offset = 8
    while offset < png.count {
        guard let end = endOfChunk(at: offset, in: png),
            number(at: end - 4, in: png) == checksum(png[offset + 4..<end - 4])
        else { return false }
        let type = String(decoding: png[offset + 4..<offset + 8], as: UTF8.self)
        if type == "IHDR" {
            guard end == offset + 25 else { return false }
            let sides = [number(at: offset + 8, in: png), number(at: offset + 12, in: png)]
            let rest = png[offset + 16..<end - 4]
            guard sides.allSatisfy({ (1...512).contains($0) }), rest == [8, 2, 0, 0, 0] || rest == [8, 6, 0, 0, 0]
            else {
                return false
            }
        }
        if type == "IDAT" { pixelBytes += end - offset - 12 }
        if type == "IEND", end != offset + 12 { return false }
        types.append(type)
        offset = end
    }
    let middle = types.dropFirst().dropLast()
    return types.first == "IHDR" && types.last == "IEND" && middle.allSatisfy { $0 == "IDAT" } && pixelBytes > 0
}

private func putChecksumsRight(in png: inout [UInt8]) {
    var offset = 8
    while let end = endOfChunk(at: offset, in: png) {
        let right = checksum(png[offset + 4..<end - 4])
        for place in 0..<4 { png[end - 4 + place] = UInt8(truncatingIfNeeded: right >> (24 - 8 * place)) }
        offset = end
    }
}

/// The index past the chunk that starts at `offset`; nil if it is cut short.
private func endOfChunk(at offset: Int, in png: [UInt8]) -> Int? {
    guard offset + 12 <= png.count else { return nil }
    let end = offset + 12 + number(at: offset, in: png)
    return end <= png.count ? end : nil
}

private func number(at offset: Int, in png: [UInt8]) -> Int {
    png[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
}

/// CRC-32, bit by bit.
private func checksum(_ bytes: ArraySlice<UInt8>) -> Int {
    var value = UInt32.max
    for byte in bytes {
        value ^= UInt32(byte)
        for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
    return Int(~value)
}
