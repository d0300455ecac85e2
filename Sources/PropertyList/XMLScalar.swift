/// What stands between the tags of `<integer>`, `<real>`, `<date>` and `<data>`.
enum XMLScalar {
    /// The value that `text` says, nil if it says none of that kind; white space around it does not count.
    static func value(of text: ArraySlice<UInt8>, as name: XMLTag.Name) -> PropertyListValue? {
        switch name {
        case .integer: integer(trimmed(text))
        case .real: Double(String(decoding: trimmed(text), as: UTF8.self)).map { .real($0) }
        case .date: date(trimmed(text)).map { .date($0) }
        case .data: data(text).map { .data($0) }
        case .plist, .dict, .array, .key, .string, .true, .false: nil
        }
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        while let first = text.first, isWhiteSpace(first) { text.removeFirst() }
        while let last = text.last, isWhiteSpace(last) { text.removeLast() }
        return text
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Decimal, or hexadecimal after `0x` as Apple's reader takes it.
    private static func integer(_ text: ArraySlice<UInt8>) -> PropertyListValue? {
        var digits = text
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        var radix: UInt64 = 10
        if digits.starts(with: [0x30, 0x78]) || digits.starts(with: [0x30, 0x58]) {
            radix = 16
            digits.removeFirst(2)
        }
        guard !digits.isEmpty else { return nil }
        var magnitude: UInt64 = 0
        for byte in digits {
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46 where radix == 16: digit = byte - 0x41 + 10
            case 0x61...0x66 where radix == 16: digit = byte - 0x61 + 10
            default: return nil
            }
            let (product, isTooLarge) = magnitude.multipliedReportingOverflow(by: radix)
            let (sum, isStillTooLarge) = product.addingReportingOverflow(UInt64(digit))
            guard !isTooLarge, !isStillTooLarge else { return nil }
            magnitude = sum
        }
        if isNegative {
            guard magnitude <= UInt64(Int64.max) + 1 else { return nil }
            return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
        }
        return Int64(exactly: magnitude).map { .integer($0) } ?? .unsigned(magnitude)
    }

    /// Seconds since 2001 of `2026-11-20T16:19:00Z`. Years of other than four digits, which libplist writes, and a
    /// fraction of the second, which nobody writes, are read too.
    private static func date(_ text: ArraySlice<UInt8>) -> Double? {
        let isNegative = text.first == UInt8(ascii: "-")
        let parts = text.dropFirst(isNegative ? 1 : 0)
        guard let yearEnd = parts.firstIndex(of: UInt8(ascii: "-")), (1...9).contains(yearEnd - parts.startIndex),
            parts.last == UInt8(ascii: "Z"), (16...26).contains(parts.count - (yearEnd - parts.startIndex))
        else { return nil }
        let marks: [(offset: Int, mark: UInt8)] = [
            (3, UInt8(ascii: "-")), (6, UInt8(ascii: "T")), (9, UInt8(ascii: ":")), (12, UInt8(ascii: ":")),
        ]
        guard marks.allSatisfy({ parts[yearEnd + $0.offset] == $0.mark }) else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            let digits = parts[range]
            guard digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        func pair(_ offset: Int) -> Int? { number((yearEnd + offset)..<(yearEnd + offset + 2)) }
        guard let year = number(parts.startIndex..<yearEnd), let month = pair(1), let day = pair(4),
            let hour = pair(7), let minute = pair(10), let second = pair(13), (1...12).contains(month),
            (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction = 0.0
        let fractionStart = yearEnd + 15
        if fractionStart < parts.endIndex - 1 {
            guard parts[fractionStart] == UInt8(ascii: "."), fractionStart + 1 < parts.endIndex - 1,
                number((fractionStart + 1)..<(parts.endIndex - 1)) != nil,
                let value = Double("0" + String(decoding: parts[fractionStart..<(parts.endIndex - 1)], as: UTF8.self))
            else { return nil }
            fraction = value
        }
        let days = CivilDate(year: isNegative ? -year : year, month: month, day: day).daysSince2001
        return Double(days * 86_400 + hour * 3600 + minute * 60 + second) + fraction
    }

    /// Base64 with white space anywhere; what follows the padding must be white space.
    private static func data(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var data: [UInt8] = []
        data.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var digitCount = 0
        var paddingCount = 0
        for byte in text where !isWhiteSpace(byte) {
            if byte == UInt8(ascii: "=") {
                paddingCount += 1
                continue
            }
            guard paddingCount == 0, let digit = digit(byte) else { return nil }
            bits = bits << 6 | UInt32(digit)
            digitCount += 1
            if digitCount.isMultiple(of: 4) {
                data.append(UInt8(truncatingIfNeeded: bits >> 16))
                data.append(UInt8(truncatingIfNeeded: bits >> 8))
                data.append(UInt8(truncatingIfNeeded: bits))
            }
        }
        switch (digitCount % 4, paddingCount) {
        case (0, 0): break
        case (2, 2): data.append(UInt8(truncatingIfNeeded: bits >> 4))
        case (3, 1):
            data.append(UInt8(truncatingIfNeeded: bits >> 10))
            data.append(UInt8(truncatingIfNeeded: bits >> 2))
        default: return nil
        }
        return data
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5A: byte - 0x41
        case 0x61...0x7A: byte - 0x61 + 26
        case 0x30...0x39: byte - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
