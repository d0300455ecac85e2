import BelfryPropertyList
import CBelfryLinux
import Glibc

/// Tells by a group file's bytes what is new in focus, without reading the rest as a property list.
///
/// If a hundred calls ring, each change wakes a hundred processes and concerns one or two: this costs the others a
/// fiftieth of reading the file, and spares those that are hung up all together the entries of each other. It knows our
/// own writer's layout, with the dictionary in focus last; anything else is unclear to it. Another program's file
/// of just that layout could deceive it by another dictionary of dictionaries behind the news; so whoever glances reads
/// the file in full from time to time.
struct GroupGlance {
    /// What a glance finds.
    enum Finding: Equatable {
        /// What is in focus stands as it was.
        case nothing
        /// The first member or what is outside of the dictionary has changed: the file as it is, but the members that
        /// are not in focus are left out, and the others in focus are as they were; `isAll` where they are so still.
        case news(PropertyListDictionary, isAll: Bool)
        /// The file has to be read in full.
        case unclear
    }

    private static let dictionaryEnd = "</dict>\n"
    /// How a file ends behind its last member.
    private static let end = Array("</dict>\n</plist>\n".utf8)
    /// A member that is a dictionary ends, the dictionary in focus ends, the file ends.
    private static let tail = Array("</dict>\n</dict>\n".utf8) + end

    private let dictionary: String
    /// The opening of the dictionary in focus.
    private let opening: [UInt8]
    /// How the key begins that is passed over and stands before it; nil if there is none.
    private let passedOver: [UInt8]?
    /// All that is before these two.
    private let head: [UInt8]
    private var parts: [Part]

    /// A glance for `focus` at later versions of the file that says `root`; nil if it has not all of the members.
    init?(_ root: PropertyListDictionary, focus: GroupFocus) {
        guard case .dictionary(let members)? = root[focus.dictionary] else { return nil }
        parts = focus.members.compactMap { key in
            members.serializedXML(ofMember: key).map { Part(key: key, text: $0) }
        }
        guard parts.count == focus.members.count else { return nil }
        dictionary = focus.dictionary
        opening = Self.opening(of: dictionary)
        passedOver = focus.passedOver.map { Self.opening(of: $0).dropLast("<dict>\n".utf8.count) }
        var before = root
        before[dictionary] = nil
        if let key = focus.passedOver { before[key] = nil }
        head = before.serializedXML().dropLast(Self.end.count)
    }

    /// What is new in `bytes`, a version of the file.
    mutating func finding(in bytes: [UInt8]) -> Finding {
        guard isAt(bytes.count - Self.tail.count, Self.tail, in: bytes) else { return .unclear }
        let isHeadAsItWas = isHeadAsItWas(in: bytes)
        var changed: [Int] = []
        for index in parts.indices where !parts[index].isFound(in: bytes) { changed.append(index) }
        guard let firstChanged = changed.first else {
            return isHeadAsItWas ? .nothing : news(in: bytes, changed, isHeadAsItWas)
        }
        // The others' news are for who reads in full.
        return isHeadAsItWas && firstChanged > 0 ? .unclear : news(in: bytes, changed, isHeadAsItWas)
    }

    private func isHeadAsItWas(in bytes: [UInt8]) -> Bool {
        guard isAt(0, head, in: bytes) else { return false }
        if isAt(head.count, opening, in: bytes) { return true }
        return passedOver.map { isAt(head.count, $0, in: bytes) } ?? false
    }

    private func news(in bytes: [UInt8], _ changed: [Int], _ isHeadAsItWas: Bool) -> Finding {
        guard let first = parts.first, let headEnd = range(of: opening, in: bytes)?.upperBound else { return .unclear }
        var excerpt = isHeadAsItWas ? head + opening : Array(bytes[..<headEnd])
        if changed.first == 0 {
            guard let text = first.textNow(in: bytes) else { return .unclear }
            excerpt += text
        } else {
            excerpt += first.text
        }
        for part in parts.dropFirst() { excerpt += part.text }
        excerpt += Array(Self.dictionaryEnd.utf8) + Self.end
        // Of a layout that deceived us so far this makes nothing that can be read, or not what was cut out.
        guard let root = try? PropertyListDictionary.parse(excerpt), let members = root[dictionary]?.dictionaryValue,
            members.count == parts.count
        else { return .unclear }
        return .news(root, isAll: changed.allSatisfy { $0 == 0 })
    }

    /// How the dictionary `key` begins.
    private static func opening(of key: String) -> [UInt8] {
        let empty = PropertyListDictionary(dictionaryLiteral: (key, .dictionary([:])))
        return empty.serializedXML(ofMember: key)?.dropLast(dictionaryEnd.utf8.count) ?? []
    }

    /// One member as the file spells it.
    private struct Part {
        let text: [UInt8]
        private let opening: [UInt8]
        /// Where it was found last: calls come at the end.
        private var offset = 0

        init(key: String, text: [UInt8]) {
            self.text = text
            opening = GroupGlance.opening(of: key)
        }

        mutating func isFound(in bytes: [UInt8]) -> Bool {
            if isAt(offset, text, in: bytes) { return true }
            // By its short beginning: before a search for all of it, that would be taken apart.
            var from = 0
            while let found = range(of: opening, in: bytes, from: from) {
                offset = found.lowerBound
                if isAt(offset, text, in: bytes) { return true }
                from = offset + 1
            }
            return false
        }

        /// The member's text in `bytes`; nil if it is no dictionary there. One that holds another is cut off.
        func textNow(in bytes: [UInt8]) -> ArraySlice<UInt8>? {
            let start = isAt(offset, opening, in: bytes) ? offset : range(of: opening, in: bytes)?.lowerBound
            let end = Array("\n\(GroupGlance.dictionaryEnd)".utf8)
            // The opening's own line feed may be the one before the end.
            guard let start, let found = range(of: end, in: bytes, from: start + opening.count - 1) else { return nil }
            return bytes[start..<found.upperBound]
        }
    }
}

/// Whether `bytes` have `text` at `offset`.
private func isAt(_ offset: Int, _ text: [UInt8], in bytes: [UInt8]) -> Bool {
    guard offset >= 0, offset + text.count <= bytes.count else { return false }
    return unsafe bytes.withUnsafeBytes { bytes in
        unsafe text.withUnsafeBytes { text in
            guard let start = bytes.baseAddress, let wanted = text.baseAddress else { return unsafe text.isEmpty }
            return unsafe memcmp(start + offset, wanted, text.count) == 0
        }
    }
}

/// Where `text` stands in `bytes` first, at `from` or behind it; nil if it does not. The corresponding C function is
/// `memmem`.
private func range(of text: [UInt8], in bytes: [UInt8], from offset: Int = 0) -> Range<Int>? {
    guard (0...bytes.count).contains(offset) else { return nil }
    return unsafe bytes.withUnsafeBytes { bytes in
        unsafe text.withUnsafeBytes { text in
            guard let start = bytes.baseAddress, let wanted = text.baseAddress,
                let found = unsafe memmem(start + offset, bytes.count - offset, wanted, text.count)
            else { return nil }
            let lower = unsafe UnsafeRawPointer(found) - start
            return lower..<(lower + text.count)
        }
    }
}
