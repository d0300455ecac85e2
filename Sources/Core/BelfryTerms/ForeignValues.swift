// What BelfryJSON and BelfryPropertyList both need to keep foreign values as they were written.

extension String {
    /// Whether both texts have the same bytes, where `==` takes `"é"` and `"e\u{301}"` for one.
    package func hasBytes(of other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let (bytes, otherBytes) = (utf8.span, other.utf8.span)
        for index in bytes.indices where bytes[index] != otherBytes[index] { return false }
        return true
    }
}

extension Int64 {
    /// `real` cut towards zero; the nearest bound if it lies outside, 0 if it is no number.
    package init(clampingReal real: Double) {
        // 2^63 is exact as a real and the first that does not fit; Int64.max itself is not exact.
        if real.isNaN {
            self = 0
        } else if real >= 0x1p63 {
            self = .max
        } else if real < -0x1p63 {
            self = .min
        } else {
            self = Int64(real)
        }
    }
}
