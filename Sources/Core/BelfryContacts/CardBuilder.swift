import BelfryTerms

/// Makes a card of its lines.
struct CardBuilder {
    private let withPictures: Bool
    private var found = ContactCard()
    /// What numbers and addresses are for, as the person calls it, by their groups.
    private var ownLabels: [String: String] = [:]
    private var numbers: [(group: String, value: ContactCard.Labelled)] = []
    private var mailAddresses: [(group: String, value: ContactCard.Labelled)] = []
    /// FNV-1a of the text, which is what a card without `UID` is known by.
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    init(withPictures: Bool) { self.withPictures = withPictures }

    /// The card; nil if it says of nobody how to reach or to call them.
    var card: ContactCard? {
        var card = found
        card.numbers = numbers.map(labelled)
        card.mailAddresses = mailAddresses.map(labelled)
        if card.givenName.isEmpty, card.familyName.isEmpty { card.givenName = card.fullName }
        if card.identifier.isEmpty { card.identifier = "card-" + String(hash, radix: 16) }
        let isEmpty = card.givenName.isEmpty && card.familyName.isEmpty && card.organization.isEmpty
        return isEmpty && card.numbers.isEmpty && card.mailAddresses.isEmpty ? nil : card
    }

    /// Takes a line.
    mutating func add(_ line: CardLine) {
        if line.name != "PHOTO" {
            for byte in line.name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            for byte in line.value.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        switch line.name {
        case "UID": found.identifier = Self.text(line.value)
        case "FN": found.fullName = Self.text(line.value)
        case "N": addName(line)
        case "NICKNAME": found.nickname = Self.text(line.value)
        case "ORG":
            let parts = Self.parts(line.value)
            (found.organization, found.department) = (parts[0], parts.count > 1 ? parts[1] : "")
        case "TITLE": found.jobTitle = Self.text(line.value)
        case "NOTE": found.note = Self.text(line.value)
        case "BDAY": found.birthday = Self.birthday(line.value)
        case "TEL": Self.add(line, to: &numbers)
        case "EMAIL": Self.add(line, to: &mailAddresses)
        case "X-ABLABEL":
            if ownLabels.count < ContactCards.valuesMax { ownLabels[line.group] = Self.text(line.value) }
        case "PHOTO": if withPictures { found.picture = Self.picture(line) ?? found.picture }
        default: break
        }
    }

    private mutating func addName(_ line: CardLine) {
        let parts = Self.parts(line.value) + [String](repeating: "", count: 5)
        found.familyName = parts[0]
        found.givenName = parts[1]
        found.middleName = parts[2]
        found.namePrefix = parts[3]
        found.nameSuffix = parts[4]
    }

    private static func add(
        _ line: CardLine, to list: inout [(group: String, value: ContactCard.Labelled)]
    ) {
        var value = text(line.value)
        for scheme in ["tel:", "mailto:"] where value.lowercased().hasPrefix(scheme) { value.removeFirst(scheme.count) }
        guard !value.isEmpty, list.count < ContactCards.valuesMax else { return }
        list.append((line.group, ContactCard.Labelled(label: label(line.words), value: value)))
    }

    private static func label(_ words: Set<String>) -> ContactCard.Label? {
        if words.contains("FAX") { return words.contains("HOME") ? .homeFax : .workFax }
        let known: [(String, ContactCard.Label)] = [
            ("CELL", .mobile), ("IPHONE", .mobile), ("PAGER", .pager), ("MAIN", .main), ("HOME", .home),
            ("WORK", .work), ("OTHER", .other),
        ]
        return known.first { words.contains($0.0) }?.1
    }

    private func labelled(_ entry: (group: String, value: ContactCard.Labelled)) -> ContactCard.Labelled {
        guard !entry.group.isEmpty, let own = ownLabels[entry.group], !own.isEmpty else { return entry.value }
        let known: [String: ContactCard.Label] = [
            "_$!<Mobile>!$_": .mobile, "_$!<Home>!$_": .home, "_$!<Work>!$_": .work, "_$!<Main>!$_": .main,
            "_$!<HomeFAX>!$_": .homeFax, "_$!<WorkFAX>!$_": .workFax, "_$!<Pager>!$_": .pager,
            "_$!<Other>!$_": .other,
        ]
        return ContactCard.Labelled(label: known[own] ?? .own(own), value: entry.value.value)
    }

    /// `1985-04-12`, `19850412`, `--0412` and `--04-12`, with a time behind them or not.
    private static func birthday(_ value: String) -> ContactCard.Birthday? {
        let isYearless = value.hasPrefix("--")
        let digits = value.prefix { $0 != "T" }.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits.count == (isYearless ? 4 : 8) else { return nil }
        func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
        let start = isYearless ? 0 : 4
        let (month, day) = (number(start..<(start + 2)), number((start + 2)..<(start + 4)))
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        return ContactCard.Birthday(year: isYearless ? nil : number(0..<4), month: month, day: day)
    }

    private static func picture(_ line: CardLine) -> [UInt8]? {
        if let mark = line.value.prefix(64).firstRange(of: ";base64,") {
            return decoded(line.value[mark.upperBound...])
        }
        return line.words.isDisjoint(with: ["B", "BASE64"]) ? nil : decoded(line.value[...])
    }

    private static func decoded(_ text: Substring) -> [UInt8]? {
        Base64.decoded(text.utf8.span, allowing: [.whiteSpace, .leftoverBits, .loosePadding])
    }

    /// A value without its escapes.
    private static func text(_ value: String) -> String { parts(value, separator: nil)[0] }

    /// The parts of a value between semicolons, without their escapes; at least one.
    private static func parts(_ value: String, separator: Character? = ";") -> [String] {
        var parts = [""]
        var isEscaped = false
        for character in value {
            if isEscaped {
                parts[parts.count - 1].append(character == "n" || character == "N" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == separator {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts
    }
}
