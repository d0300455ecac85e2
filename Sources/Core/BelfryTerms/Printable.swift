/// Text from outside made fit for people's screens (S3).
public enum Printable {
    /// `text` with whatever people could not see, or would see as something else, written as `\u{…}`: control
    /// characters, line and paragraph separators, direction controls, invisible and deprecated format characters, tags,
    /// interlinear annotation and noncharacters. So nothing a payload says moves a cursor, starts a line, turns text
    /// around or hides in it.
    public static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { isUnprintable($0) || isJoiner($0) }) else { return text }
        return written(Array(text.unicodeScalars), scalarsMax: .max)
    }

    /// The first `charactersMax` characters (Unicode scalars) of `text`, each written as ``escaped(_:)`` writes it;
    /// `…` marks what is cut off.
    package static func excerpt(of text: String, charactersMax: Int = 64) -> String {
        // One more, since how a joiner is written depends on its neighbour.
        let scalars = Array(text.unicodeScalars.prefix(charactersMax + 1))
        return written(scalars, scalarsMax: charactersMax) + (scalars.count > charactersMax ? "…" : "")
    }

    private static func written(_ scalars: [Unicode.Scalar], scalarsMax: Int) -> String {
        var printable = ""
        for (index, scalar) in scalars.prefix(scalarsMax).enumerated() {
            let isInvisible = isJoiner(scalar) && !joins(scalars, at: index)
            if isInvisible || isUnprintable(scalar) {
                printable += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                printable.unicodeScalars.append(scalar)
            }
        }
        return printable
    }

    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E: true
        case 0xAD, 0x061C, 0x200B, 0x200E, 0x200F, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
        case 0xFDD0...0xFDEF, 0xE0000...0xE007F: true
        default: scalar.value & 0xFFFE == 0xFFFE
        }
    }

    /// Whether `scalar` is the zero width joiner or non-joiner.
    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool { scalar == "\u{200C}" || scalar == "\u{200D}" }

    /// Whether the joiner at `index` changes how its neighbours look, as in Persian, in Indic scripts and in emoji;
    /// anywhere else it would only be invisible.
    private static func joins(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
        guard index > 0, index + 1 < scalars.count else { return false }
        return [scalars[index - 1], scalars[index + 1]].allSatisfy { scalar in
            switch scalar.value {
            case 0x0620...0x0DFF, 0x2190...0x2BFF, 0xFE0F, 0x1F000...0x1FAFF: true
            default: false
            }
        }
    }
}
