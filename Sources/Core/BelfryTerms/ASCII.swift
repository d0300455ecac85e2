extension UInt8 {
    /// Whether it is one of `0` to `9` in ASCII.
    package var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    /// Whether it is one of `a` to `z` or `A` to `Z` in ASCII.
    package var isASCIILetter: Bool {
        let lower = self | 0x20
        return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
    }

    /// Whether it is a digit or a letter in ASCII.
    package var isASCIILetterOrDigit: Bool { isASCIILetter || isASCIIDigit }
}
