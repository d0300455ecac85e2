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
    var text = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
    var place = 0
    for index in 0..<32 {
        if index == 8 || index == 12 || index == 16 || index == 20 { place += 1 }
        let word = index < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (index & 15)) & 15)
        text[place] = digit + (digit < 10 ? UInt8(ascii: "0") : letters)
        place += 1
    }
    guard let ascii = try? UTF8Span(validating: text.span) else { preconditionFailure("digits are ASCII") }
    return String(copying: ascii)
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
