extension String {
    /// How many columns of a terminal it takes: two for what is wide in East Asia, and for pictographs (Unicode
    /// Standard Annex #11, whose classes W and F these ranges are but for single signs among others).
    var columns: Int {
        reduce(0) { sum, character in
            guard let first = character.unicodeScalars.first else { return sum }
            return sum + (Self.wide.contains { $0.contains(first.value) } ? 2 : 1)
        }
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
        0x20000...0x3FFFD,
    ]
}
