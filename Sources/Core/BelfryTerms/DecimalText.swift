/// Numbers, written for people without a C format string.
package enum DecimalText {
    /// A larger number is shown as this one: a number from outside may be 1e300 (R18).
    private static let largest = 1e12

    /// `value` rounded to `digits` (at most 6) decimals; NaN is written as `?`.
    package static func fixed(_ value: Double, digits: Int) -> String {
        guard !value.isNaN else { return "?" }
        var scale: Int64 = 1
        for _ in 0..<min(max(digits, 0), 6) { scale *= 10 }
        let bounded = min(max(value, -largest), largest)
        let scaled = Int64((bounded * Double(scale)).rounded())
        let integer = String(scaled.magnitude / UInt64(scale))
        let sign = scaled < 0 ? "-" : ""
        guard scale > 1 else { return sign + integer }
        let fraction = String(scaled.magnitude % UInt64(scale))
        return sign + integer + "." + String(repeating: "0", count: min(digits, 6) - fraction.count) + fraction
    }

    /// A length of time in seconds with as many decimals as it needs, at most `digits`: `30 s`, `1.5 s`.
    package static func seconds(_ value: Double, digits: Int = 3) -> String {
        var text = fixed(value, digits: digits)
        while text.hasSuffix("0"), text.contains(".") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text + " s"
    }
}
