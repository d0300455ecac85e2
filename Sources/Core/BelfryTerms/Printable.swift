/// Text from outside made fit for people's screens (S3).
public enum Printable {
    /// `text` with control characters, line and paragraph separators and direction controls written as `\u{…}`,
    /// so that nothing a payload says moves a cursor, starts a line or turns text around.
    public static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnprintable) else { return text }
        var printable = ""
        for scalar in text.unicodeScalars { append(scalar, to: &printable) }
        return printable
    }

    /// The first `charactersMax` characters (Unicode scalars) of `text`, each written as ``escaped(_:)`` writes it;
    /// `…` marks what is cut off.
    package static func excerpt(of text: String, charactersMax: Int = 64) -> String {
        var excerpt = ""
        for scalar in text.unicodeScalars.prefix(charactersMax) { append(scalar, to: &excerpt) }
        return text.unicodeScalars.dropFirst(charactersMax).isEmpty ? excerpt : excerpt + "…"
    }

    private static func append(_ scalar: Unicode.Scalar, to printable: inout String) {
        if isUnprintable(scalar) {
            printable += "\\u{" + String(scalar.value, radix: 16) + "}"
        } else {
            printable.unicodeScalars.append(scalar)
        }
    }

    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
