/// A random UUID (version 4) in lower case.
public func randomUUID() -> String {
    var generator = SystemRandomNumberGenerator()
    return randomUUID(using: &generator, isUpperCase: false)
}

/// A random UUID (version 4) of what `generator` gives.
public func randomUUID(using generator: inout some RandomNumberGenerator, isUpperCase: Bool) -> String {
    let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let letters = UInt8(ascii: isUpperCase ? "A" : "a") - 10
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for index in 0..<32 {
        if index == 8 || index == 12 || index == 16 || index == 20 { text.append(UInt8(ascii: "-")) }
        let word = index < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (index & 15)) & 15)
        text.append(digit + (digit < 10 ? UInt8(ascii: "0") : letters))
    }
    return String(decoding: text, as: UTF8.self)
}

/// Whether `text` is a UUID: 32 digits in groups of 8, 4, 4, 4 and 12, in upper or lower case, of any version.
public func isUUID(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { index, byte in
        hyphenPositions.contains(index)
            ? byte == UInt8(ascii: "-") : Character(UnicodeScalar(byte)).isHexDigit
    }
}

private let hyphenPositions = [8, 13, 18, 23]
