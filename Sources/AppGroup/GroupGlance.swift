internal import CLinux
internal import Glibc
internal import PropertyList

/// Tells by a group file's bytes, without reading them as a property list, that nothing in focus has changed.
///
/// Where a hundred calls ring, each change wakes a hundred processes and concerns one or two: this costs each of the
/// others a fiftieth of reading the file. It knows our own writer's layout, with the dictionary in focus last, and
/// takes all else for a change. A stranger's file of just that layout could deceive it by another dictionary of
/// dictionaries behind the news; so whoever glances reads the file in full from time to time.
struct GroupGlance {
    /// The last member of the dictionary ends, it ends, the file ends.
    private static let tail = Array("</dict>\n</dict>\n</dict>\n</plist>\n".utf8)
    /// How a file ends whose last value is no dictionary.
    private static let end = Array("</dict>\n</plist>\n".utf8)

    /// All that is before the dictionary's first member.
    private let head: [UInt8]
    private var parts: [Part]

    /// A glance for `focus` at later versions of the file that says `root`; nil where it has not all of the members.
    init?(_ root: PropertyListDictionary, focus: GroupFocus) {
        guard case .dictionary(let dictionary)? = root[focus.dictionary] else { return nil }
        parts = focus.members.compactMap { dictionary.serializedXML(ofMember: $0).map(Part.init) }
        guard parts.count == focus.members.count else { return nil }
        var before = root
        before[focus.dictionary] = nil
        let empty = PropertyListDictionary(dictionaryLiteral: (focus.dictionary, .dictionary([:])))
        let opening = empty.serializedXML(ofMember: focus.dictionary)?.dropLast("</dict>\n".utf8.count) ?? []
        head = before.serializedXML().dropLast(GroupGlance.end.count) + opening
    }

    /// Whether `bytes`, a version of the file, say the same of what is in focus.
    mutating func findsNothingNew(in bytes: [UInt8]) -> Bool {
        guard bytes.count >= head.count + GroupGlance.tail.count, isAt(0, head, in: bytes),
            isAt(bytes.count - GroupGlance.tail.count, GroupGlance.tail, in: bytes)
        else { return false }
        for index in parts.indices {
            // Where it was, nearly always: calls come at the end.
            if isAt(parts[index].offset, parts[index].text, in: bytes) { continue }
            guard let offset = offset(of: parts[index].text, in: bytes) else { return false }
            parts[index].offset = offset
        }
        return true
    }

    /// One member as the file spells it.
    private struct Part {
        let text: [UInt8]
        /// Where it was found last.
        var offset = 0

        init(text: [UInt8]) { self.text = text }
    }
}

/// Whether `bytes` have `text` at `offset`.
private func isAt(_ offset: Int, _ text: [UInt8], in bytes: [UInt8]) -> Bool {
    guard offset + text.count <= bytes.count else { return false }
    return unsafe bytes.withUnsafeBytes { bytes in
        unsafe text.withUnsafeBytes { text in
            guard let start = bytes.baseAddress, let wanted = text.baseAddress else { return unsafe text.isEmpty }
            return unsafe memcmp(start + offset, wanted, text.count) == 0
        }
    }
}

/// Where `text` begins in `bytes`, nil where it is nowhere. The corresponding C function is `memmem`.
private func offset(of text: [UInt8], in bytes: [UInt8]) -> Int? {
    unsafe bytes.withUnsafeBytes { bytes in
        unsafe text.withUnsafeBytes { text in
            guard let start = bytes.baseAddress, let wanted = text.baseAddress,
                let found = unsafe memmem(start, bytes.count, wanted, text.count)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - start
        }
    }
}
