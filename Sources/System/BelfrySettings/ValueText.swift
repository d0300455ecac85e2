public import BelfryTerms
import Glibc

/// How values are written in systemd's manner: durations, sizes, numbers and booleans.
///
/// Each reader answers nil for what it does not understand or what is out of range; none can overflow.
public enum ValueText {
    /// Digits behind a decimal point that count; more are cut, since time is in whole microseconds.
    private static let fractionDigitsMax = 6

    /// The most bytes of a command.
    private static let commandBytesMax = 4_096

    /// What the service manager can run: the name of a unit, or an absolute path, with arguments between spaces.
    static func command(_ text: String) -> String? {
        let words = text.split(separator: " ")
        guard let first = words.first, text.utf8.count <= commandBytesMax, !text.utf8.contains(0),
            first.utf8.last != UInt8(ascii: "/")
        else { return nil }
        let isUnit = words.count == 1 && [".service", ".target"].contains { first.hasSuffix($0) }
        return first.utf8.first == UInt8(ascii: "/") || isUnit && !first.utf8.contains(UInt8(ascii: "/")) ? text : nil
    }

    /// Absolute paths of folders with this ending. One begins where a slash follows a space, since the name of a folder
    /// may have spaces.
    static func bundles(_ text: String, ending: String, max: Int) -> [String]? {
        var paths: [String] = []
        for word in text.split(separator: " ") {
            if word.utf8.first == UInt8(ascii: "/") {
                paths.append(String(word))
            } else {
                guard let last = paths.popLast() else { return nil }
                paths.append("\(last) \(word)")
            }
        }
        let names = paths.map { $0.utf8.last == UInt8(ascii: "/") ? String($0.dropLast()) : $0 }
        let isRight = names.allSatisfy { name in
            let folder = name.utf8.split(separator: UInt8(ascii: "/")).last ?? name.utf8[...]
            return name.hasSuffix(ending) && folder.count > ending.utf8.count && path(name) != nil
        }
        return isRight && names.count <= max ? names : nil
    }

    /// A country code of ITU-T E.164: it begins with no zero; empty for none.
    static func countryCode(_ text: String) -> String? {
        text.isEmpty || isDigits(text, max: 3) && text.utf8.first != UInt8(ascii: "0") ? text : nil
    }

    /// What is dialled before a number; `none` for nothing.
    static func dialledPrefix(_ text: String) -> String? { text == "none" || isDigits(text, max: 5) ? text : nil }

    private static func isDigits(_ text: String, max: Int) -> Bool {
        (1...max).contains(text.utf8.count) && text.utf8.allSatisfy(\.isASCIIDigit)
    }

    /// A duration such as `30s`, `1500ms`, `1min 30s`, or a plain number of seconds with or without a fraction.
    ///
    /// The units are those of systemd.time(7) from `us` to `d`.
    public static func duration(
        _ text: String,
        from shortest: TimeSpan = .zero,
        to longest: TimeSpan = .longest
    ) -> TimeSpan? {
        var rest = Array(text.utf8)[...]
        var total: Int64 = 0
        var parts = 0
        skipSpaces(&rest)
        while !rest.isEmpty {
            guard let part = durationPart(&rest) else { return nil }
            // A number without a unit means seconds only if it stands alone: "1 30" is a mistake.
            guard part.hasUnit || (parts == 0 && rest.isEmpty) else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(part.microseconds)
            guard !overflow, sum <= TimeSpan.longest.microseconds else { return nil }
            total = sum
            parts += 1
        }
        let span = TimeSpan(microseconds: total)
        return parts > 0 && span >= shortest && span <= longest ? span : nil
    }

    /// A number of bytes, with `K`, `M` or `G` (powers of 1024) behind it or not.
    public static func size(_ text: String, in range: ClosedRange<Int>) -> Int? {
        var digits = Array(text.utf8)
        var shift = 0
        switch digits.last {
        case UInt8(ascii: "K"), UInt8(ascii: "k"): shift = 10
        case UInt8(ascii: "M"), UInt8(ascii: "m"): shift = 20
        case UInt8(ascii: "G"), UInt8(ascii: "g"): shift = 30
        default: break
        }
        if shift > 0 { digits.removeLast() }
        guard let count = naturalNumber(digits[...]) else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: 1 << Int64(shift))
        guard !overflow, let size = Int(exactly: bytes), range.contains(size) else { return nil }
        return size
    }

    /// A whole number without a sign.
    public static func integer(_ text: String, in range: ClosedRange<Int>) -> Int? {
        guard let number = naturalNumber(Array(text.utf8)[...]), let value = Int(exactly: number) else { return nil }
        return range.contains(value) ? value : nil
    }

    /// A boolean as systemd reads it: `yes`, `true`, `on`, `1` and their opposites, in any case.
    public static func boolean(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "1", "yes", "y", "true", "t", "on": true
        case "0", "no", "n", "false", "f", "off": false
        default: nil
        }
    }

    /// The shortest of the usual spellings of a duration: `30s`, `1500ms`, or with microseconds.
    public static func text(of span: TimeSpan) -> String {
        let microseconds = span.microseconds
        if microseconds % 1_000_000 == 0 { return "\(microseconds / 1_000_000)s" }
        if microseconds % 1_000 == 0 { return "\(microseconds / 1_000)ms" }
        return "\(microseconds)us"
    }

    /// A size with the largest unit that divides it.
    public static func text(ofSize bytes: Int) -> String {
        if bytes > 0, bytes % (1 << 20) == 0 { return "\(bytes >> 20)M" }
        if bytes > 0, bytes % (1 << 10) == 0 { return "\(bytes >> 10)K" }
        return String(bytes)
    }

    /// Durations of vibrating and resting in turn.
    static func pattern(_ text: String) -> [TimeSpan]? {
        let spans = text.split { $0 == " " || $0 == "," || $0 == "\t" }.map {
            duration(String($0), from: .milliseconds(10), to: .seconds(10))
        }
        let pattern = spans.compactMap { $0 }
        return pattern.count == spans.count && (2...16).contains(pattern.count) ? pattern : nil
    }

    /// As ``pattern(_:)`` reads it.
    static func text(ofPattern spans: [TimeSpan]) -> String { spans.map { text(of: $0) }.joined(separator: " ") }

    /// Names of environment variables, or their beginnings before a `*`.
    static func variables(_ text: String) -> [String]? {
        let names = text.split { $0 == " " || $0 == "," || $0 == "\t" }.map(String.init)
        let areNames = names.allSatisfy { name in
            let letters = name.utf8.last == UInt8(ascii: "*") ? name.utf8.dropLast() : name.utf8[...]
            return name.utf8.count <= 256 && letters.first?.isASCIIDigit != true
                && letters.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
        }
        return areNames && (1...Settings.passedVariablesMax).contains(names.count) ? names : nil
    }

    /// The name of a sound, an absolute path, or `none`.
    static func sound(_ text: String) -> String? { path(text) ?? (SoundName.isValid(text) ? text : nil) }

    /// An absolute path without control characters.
    static func path(_ text: String) -> String? {
        let bytes = text.utf8
        let isPath = bytes.first == UInt8(ascii: "/") && bytes.count <= 1_024
        return isPath && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? text : nil
    }

    /// The name of a sink: printable ASCII without spaces.
    static func device(_ text: String) -> String? {
        (1...256).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : nil
    }

    /// A whole number from 1 to 100, with or without its `%`.
    static func percent(_ text: String) -> Int? {
        integer(text.hasSuffix("%") ? String(text.dropLast()) : text, in: 1...100)
    }

    private static func skipSpaces(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, while fits: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: fits)
        rest = rest.dropFirst(taken.count)
        return taken
    }

    /// Digits alone, without overflow; nil if there are none.
    private static func naturalNumber(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard digit.isASCIIDigit else { return nil }
            let (tens, overflowing) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflowed) = tens.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            guard !overflowing, !overflowed else { return nil }
            number = sum
        }
        return number
    }

    private static func durationPart(_ rest: inout ArraySlice<UInt8>) -> (microseconds: Int64, hasUnit: Bool)? {
        let integral = take(&rest, while: \.isASCIIDigit)
        var fraction: ArraySlice<UInt8> = []
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            fraction = take(&rest, while: \.isASCIIDigit)
            guard !fraction.isEmpty else { return nil }
        }
        guard !integral.isEmpty || !fraction.isEmpty else { return nil }
        skipSpaces(&rest)
        let unit = String(decoding: take(&rest, while: { $0.isASCIILetter || $0 >= 0x80 }), as: UTF8.self)
        skipSpaces(&rest)
        guard let scale = microseconds(per: unit) else { return nil }
        guard let number = integral.isEmpty ? 0 : naturalNumber(integral) else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: scale)
        guard !overflow, product <= TimeSpan.longest.microseconds else { return nil }
        var part: Int64 = 0
        var place: Int64 = 1
        for digit in fraction.prefix(fractionDigitsMax) {
            part = part * 10 + Int64(digit - UInt8(ascii: "0"))
            place *= 10
        }
        return (product + part * scale / place, !unit.isEmpty)
    }

    private static func microseconds(per unit: String) -> Int64? {
        switch unit {
        case "us", "usec", "µs", "μs": 1
        case "ms", "msec": 1_000
        case "", "s", "sec", "second", "seconds": 1_000_000
        case "m", "min", "minute", "minutes": 60_000_000
        case "h", "hr", "hour", "hours": 3_600_000_000
        case "d", "day", "days": 86_400_000_000
        default: nil
        }
    }
}

/// A list of hosts as `[Avatar] Allow=` and `From=` write it.
enum HostList {
    /// The entries of `text`, separated by spaces or commas; nil if one is no host, or there are too many.
    ///
    /// With `addresses` an entry may also be an IPv4 or IPv6 address, or a block such as `10.0.0.0/8`.
    static func parse(_ text: String, addresses: Bool) -> [String]? {
        let entries = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",") }
        guard entries.count <= Settings.hostsMax else { return nil }
        var hosts: [String] = []
        for entry in entries {
            let host = String(decoding: entry, as: UTF8.self)
            guard isHostName(host) || (addresses && isAddressOrBlock(host)) else { return nil }
            hosts.append(host.lowercased())
        }
        return hosts
    }

    /// Whether it is a DNS name (RFC 1123, and the underscore that private networks use) or an IPv4 address.
    private static func isHostName(_ text: String) -> Bool {
        guard text.utf8.count <= 253 else { return false }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            !label.isEmpty && label.count <= 63 && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { $0.isASCIILetterOrDigit || "-_".utf8.contains($0) }
        }
    }

    private static func isAddressOrBlock(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return false }
        let address = String(decoding: parts[0], as: UTF8.self)
        let bits: Int
        if isAddress(address, family: AF_INET) {
            bits = 32
        } else if isAddress(address, family: AF_INET6) {
            bits = 128
        } else {
            return false
        }
        guard parts.count == 2 else { return true }
        return ValueText.integer(String(decoding: parts[1], as: UTF8.self), in: 0...bits) != nil
    }

    private static func isAddress(_ text: String, family: Int32) -> Bool {
        // A NUL would end the text early for C.
        guard !text.utf8.contains(0) else { return false }
        var address = in6_addr()
        return unsafe withUnsafeMutablePointer(to: &address) { unsafe inet_pton(family, text, $0) } == 1
    }
}
