/// Text from outside made fit for people's screens (S3).
public enum Printable {
    /// `text` with control characters, line and paragraph separators and direction controls written as `\u{…}`,
    /// so that nothing a payload says moves a cursor, starts a line or turns text around.
    public static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnprintable) else { return text }
        var printable = ""
        for scalar in text.unicodeScalars {
            guard isUnprintable(scalar) else {
                printable.unicodeScalars.append(scalar)
                continue
            }
            printable += "\\u{" + String(scalar.value, radix: 16) + "}"
        }
        return printable
    }

    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension String {
    /// The beginning of a foreign string, fit to stand in a message for people: control characters, line separators
    /// and what turns the direction of writing are escaped as `\u{…}`, and what is cut off is marked by `…`.
    package func excerpt(charactersMax: Int = 64) -> String {
        var excerpt = ""
        var count = 0
        for scalar in unicodeScalars {
            guard count < charactersMax else { return excerpt + "…" }
            count += 1
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                excerpt += "\\u{\(String(scalar.value, radix: 16))}"
            default: excerpt.unicodeScalars.append(scalar)
            }
        }
        return excerpt
    }
}
