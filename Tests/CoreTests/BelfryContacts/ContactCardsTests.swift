@testable import BelfryContacts
import Support
import Testing

/// Address books: files of vCards of each version, as telephones and programs write them.
@Suite struct ContactCardsTests {
    private func cards(_ text: String, withPictures: Bool = true) throws -> [ContactCard] {
        try ContactCards(Array(text.utf8), withPictures: withPictures).all
    }

    private func card(_ lines: String...) throws -> ContactCard {
        let text = "BEGIN:VCARD\r\n" + lines.map { $0 + "\r\n" }.joined() + "END:VCARD\r\n"
        return try #require(try cards(text).first, "\(text)")
    }

    @Test("a card of version 3, as a Mac writes it: folded, escaped, with labels of the person's") func versionThree()
        throws
    {
        let card = try card(
            "VERSION:3.0", "N:Lovelace;Ada;King;Dr.;FRS", "FN:Dr. Ada King Lovelace FRS", "NICKNAME:Countess",
            "ORG:Analytical\\, Engines;Notes", "TITLE:Mathematician", "BDAY;value=date:1815-12-10",
            "item1.TEL;type=pref:+44 20 7946 0018", "item1.X-ABLabel:_$!<Mobile>!$_", "TEL;type=HOME;type=VOICE:020 1",
            "item2.EMAIL;type=INTERNET:ada@exa", " mple.org", "item2.X-ABLabel:engine", "TEL;TYPE=\"work,fax\":5",
            "NOTE:one\\ntwo\\\\three", "PHOTO;ENCODING=b;TYPE=PNG:iVBO", " Rw0K", "UID:4711")
        #expect(card.familyName == "Lovelace" && card.givenName == "Ada" && card.middleName == "King")
        #expect(card.namePrefix == "Dr." && card.nameSuffix == "FRS" && card.nickname == "Countess")
        #expect(
            card.organization == "Analytical, Engines" && card.department == "Notes" && card.jobTitle == "Mathematician"
        )
        #expect(card.birthday?.year == 1815 && card.birthday?.month == 12 && card.birthday?.day == 10)
        #expect(card.numbers.map(\.value) == ["+44 20 7946 0018", "020 1", "5"])
        #expect(card.numbers.map(\.label) == [.mobile, .home, .workFax])
        #expect(card.mailAddresses == [ContactCard.Labelled(label: .own("engine"), value: "ada@example.org")])
        #expect(card.note == "one\ntwo\\three" && card.identifier == "4711")
        #expect(card.picture == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A])
    }

    @Test("a card of version 2.1, quoted-printable, and one of version 4, with addresses") func otherVersions() throws {
        let old = try card(
            "VERSION:2.1", "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BC=\r\nller;J=C3=B6rg", "TEL;CELL;PREF:0301",
            "PHOTO;JPEG;ENCODING=BASE64:\r\n /9j/\r\n")
        #expect(old.familyName == "Müller" && old.givenName == "Jörg" && old.numbers.first?.label == .mobile)
        #expect(old.picture == [0xFF, 0xD8, 0xFF])
        let new = try card(
            "VERSION:4.0", "FN:Bob", "TEL;VALUE=uri;TYPE=\"cell,voice\":tel:+1-202-555-0143", "BDAY:--0412",
            "EMAIL:mailto:bob@example.org", "PHOTO:data:image/png;base64,iVBORw0K")
        #expect(new.givenName == "Bob" && new.numbers.first?.value == "+1-202-555-0143")
        #expect(new.birthday?.year == nil && new.birthday?.month == 4 && new.picture?.count == 6)
        #expect(new.mailAddresses.first?.value == "bob@example.org")
    }

    @Test(
        "a number's label is of its types, and before them what the person calls it",
        arguments: [
            ("TEL;TYPE=CELL", nil, .mobile), ("TEL;TYPE=IPHONE", nil, .mobile), ("TEL;TYPE=PAGER", nil, .pager),
            ("TEL;TYPE=MAIN", nil, .main), ("TEL;TYPE=HOME", nil, .home), ("TEL;TYPE=WORK", nil, .work),
            ("TEL;TYPE=OTHER", nil, .other), ("TEL;TYPE=fax,home", nil, .homeFax), ("TEL;TYPE=fax", nil, .workFax),
            ("TEL;TYPE=work,cell", nil, .mobile), ("TEL;TYPE=x=cell", nil, nil), ("TEL", nil, nil),
            ("i.TEL", "i.X-ABLabel:_$!<Mobile>!$_", .mobile), ("i.TEL", "i.X-ABLabel:_$!<Home>!$_", .home),
            ("i.TEL", "i.X-ABLabel:_$!<Work>!$_", .work), ("i.TEL", "i.X-ABLabel:_$!<Main>!$_", .main),
            ("i.TEL", "i.X-ABLabel:_$!<HomeFAX>!$_", .homeFax), ("i.TEL", "i.X-ABLabel:_$!<WorkFAX>!$_", .workFax),
            ("i.TEL", "i.X-ABLabel:_$!<Pager>!$_", .pager), ("i.TEL", "i.X-ABLabel:_$!<Other>!$_", .other),
            ("i.TEL;TYPE=HOME", "i.X-ABLabel:boat", .own("boat")), ("i.TEL;TYPE=HOME", "i.X-ABLabel:", .home),
            ("TEL;TYPE=HOME", "X-ABLabel:boat", .home), ("i.TEL;TYPE=HOME", "j.X-ABLabel:boat", .home),
        ] as [(String, String?, ContactCard.Label?)])
    func labels(head: String, own: String?, label: ContactCard.Label?) throws {
        #expect(try card(head + ":1", own ?? "NOTE:").numbers == [ContactCard.Labelled(label: label, value: "1")])
    }

    @Test("own labels beyond the most are not kept") func manyLabels() throws {
        let labels = (0...ContactCards.valuesMax).map { "i\($0).X-ABLabel:own\r\n" }.joined()
        let numbers = "i\(ContactCards.valuesMax - 1).TEL:1\r\ni\(ContactCards.valuesMax).TEL:2"
        #expect(try card(labels + numbers).numbers.map(\.label) == [.own("own"), nil])
    }

    @Test(
        "a birthday is a day of a month, with its year or without",
        arguments: [
            ("19990919", [1999, 9, 19]), ("1985-12-31T10:00:00Z", [1985, 12, 31]), ("--01-01", [nil, 1, 1]),
            ("19851301", nil), ("19850001", nil), ("19850432", nil), ("19850400", nil), ("1985", nil),
        ] as [(String, [Int?]?)])
    func birthdays(text: String, parts: [Int?]?) throws {
        let birthday = try card("FN:A", "BDAY:" + text).birthday
        #expect(birthday.map { [$0.year, $0.month, $0.day] } == parts)
    }

    @Test("a picture has every letter of base64, and may be longer than what says that it is one") func pictures()
        throws
    {
        #expect(try card("FN:A", "PHOTO;ENCODING=b:Zz+/").picture == [0x67, 0x3F, 0xBF])
        let text = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7"
        #expect(try card("FN:A", "PHOTO:data:image/png;base64," + text).picture == Array(0..<60))
    }

    @Test("what is not said is empty, and a value may begin with any letter") func bareValues() throws {
        let card = try card("FN:nora", "ORG:Engines", "TEL:", "EMAIL:mailto:")
        #expect(card.fullName == "nora" && card.organization == "Engines" && card.department.isEmpty)
        #expect(card.numbers.isEmpty && card.mailAddresses.isEmpty)
    }

    @Test(
        "what is no line changes nothing of a card",
        arguments: [";FN:B", "FN.:B", "a.b.FN:B", "a..FN:B", ":B", "FN", "a.;FN:B"])
    func noLine(text: String) throws {
        #expect(try card("FN:A", text) == card("FN:A"))
    }

    @Test(
        "a number is found however it is written, and never another",
        arguments: [
            ("+49 30 1234567", "0049301234567", true), ("+49 30 1234567", "030 1234567", true),
            ("(030) 123-4567", "+49 (30) 1234567", true), ("030 1234567", "0301234567", true),
            ("+49 30 1234567", "+43 30 1234567", false), ("110", "+49110", false),
            ("030 1234567", "040 1234567", false),
            ("+49 (0)30 1234567", "+49301234567", true), ("tel:+49301234567;ext=102", "+49301234567", true),
            ("1234567", "0301234567", false), ("", "", false), ("x", "y", false), ("110", "110", true),
        ])
    func numbers(one: String, other: String, isSame: Bool) {
        #expect(PhoneDigits(one).isSame(as: PhoneDigits(other)) == isSame)
        #expect(PhoneDigits(other).isSame(as: PhoneDigits(one)) == isSame)
    }

    @Test("a mark of the encoding before the first card hides none") func byteOrderMark() throws {
        let text = "\u{FEFF}BEGIN:VCARD\nFN:Bob\nEND:VCARD\nBEGIN:VCARD\nFN:Ali\nEND:VCARD"
        #expect(try cards(text).map(\.fullName) == ["Bob", "Ali"])
    }

    @Test("people are found by the beginnings of their names, and by their addresses") func found() throws {
        let card = try card("N:Lovelace;Ada", "EMAIL:Ada@Example.org", "TEL:+442079460018")
        for name in ["ada", "LOVE", "lovelace a"] { #expect(card.isNamed(name), "\(name)") }
        for name in ["", " ", "adam", "lace", "ada bob"] { #expect(!card.isNamed(name), "\(name)") }
        #expect(card.has(mailAddress: "ada@example.ORG") && !card.has(mailAddress: "ada@example"))
        #expect(card.has(number: "020 7946 0018") && !card.has(number: "0018"))
    }

    @Test("what is known by nothing else is known by its text, whatever its picture is") func identifiers() throws {
        let (one, same) = (try card("FN:A", "PHOTO:x"), try card("FN:A"))
        #expect(one.identifier == same.identifier && !one.identifier.isEmpty)
        #expect(try one.identifier != card("FN:B").identifier)
        // FNV-1a of "FNA". Apps keep it, so it is the same in every version.
        #expect(one.identifier == "card-f32bcf199cf24c1c")
    }

    @Test("what is no address book is an error, what is half a card is passed over") func hostile() throws {
        #expect(throws: ContactCards.Problem.noCard) { try cards("hello") }
        #expect(try cards("").isEmpty)
        #expect(throws: ContactCards.Problem.noCard) { try cards("BEGIN:VCARD\nFN:A\n") }
        #expect(throws: ContactCards.Problem.noCard) { try cards("BEGIN:VCARD\nEND:VCARD\n") }
        let mixed = "END:VCARD\nBEGIN:VCARD\n:\n;\nTEL\nBDAY:99\nBDAY:18151399\nFN:A\nFN\nEND:VCARD\nBEGIN:VCARD\nFN:B"
        #expect(try cards(mixed).map(\.givenName) == ["A"] && cards(mixed).first?.birthday == nil)
        let many = String(repeating: "BEGIN:VCARD\nFN:A\nEND:VCARD\n", count: ContactCards.cardsMax + 1)
        #expect(throws: ContactCards.Problem.tooMany(max: ContactCards.cardsMax)) { try cards(many) }
        let numbers = (0..<200).map { "TEL:\($0)\n" }.joined()
        #expect(try cards("BEGIN:VCARD\n\(numbers)END:VCARD\n").first?.numbers.count == ContactCards.valuesMax)
        let picture = "BEGIN:VCARD\nFN:A\nPHOTO;ENCODING=b:iVBO\nPHOTO;ENCODING=b:!\nEND:VCARD"
        #expect(try cards(picture).first?.picture == [0x89, 0x50, 0x4E])
        #expect(try cards(picture, withPictures: false).first?.picture == nil)
    }

    @Test("what is long and odd is read in linear time", .timeLimit(.minutes(10))) func linear() throws {
        let folded = String(repeating: " x\n", count: 1 << 17)
        let soft = "A;ENCODING=QUOTED-PRINTABLE" + String(repeating: "x=\n", count: 1 << 17)
        let quotes = String(repeating: "\"", count: 1 << 17) + "\n"
        for text in [
            folded, "A:" + folded, soft, "QUOTED-PRINTABLE:" + soft, quotes,
            String(repeating: "BEGIN:VCARD\n", count: 1 << 13),
        ] {
            #expect(throws: ContactCards.Problem.noCard) { try cards(text) }
        }
    }

    @Test("read in pieces of any size, the cards are the same", arguments: [1, 2, 3, 7, 64, 1_000])
    func pieces(size: Int) throws {
        let text = """
            BEGIN:VCARD\r\nFN:A\r\nNOTE:one\r\n two\r\n\tthree\r\nEND:VCARD\r\nBEGIN:VCARD
            N;ENCODING=QUOTED-PRINTABLE:M=C3=BC=\r\nller;J=C3=B6=
            rg\nNOTE:=\nEND:VCARD\nBEGIN:VCARD\nFN:B\nEND:VCARD\n x\nEND:VCARD
            """
        let bytes = Array(text.utf8)
        var reader = ContactCardReader(withPictures: true)
        var found: [ContactCard] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let goesOn = try reader.read(Array(bytes[start..<min(start + size, bytes.count)])) { card in
                found.append(card)
                return true
            }
            #expect(goesOn)
        }
        try reader.end { found.append($0) }
        #expect(try found == cards(text) && found.map(\.fullName) == ["A", "", "B"])
        #expect(found[0].note == "onetwothree" && found[1].givenName == "Jörg")
    }

    @Test("of a large file what is kept is a line and a card; what is enough ends it") func smallMemory() throws {
        let card = Array("BEGIN:VCARD\nFN:A\nPHOTO:\(String(repeating: "x", count: 2_000))\nEND:VCARD\n".utf8)
        var reader = ContactCardReader(withPictures: false)
        var (count, kept) = (0, 0)
        for _ in 0..<1_000 {
            let goesOn = try reader.read(Array(card + card + card)) { _ in
                count += 1
                return true
            }
            #expect(goesOn)
            kept = max(kept, reader.rest.count)
        }
        #expect(count > 2_990 && kept < 4_000)
        count = 0
        let goesOn = try reader.read(Array(card + card)) { _ in
            count += 1
            return false
        }
        #expect(!goesOn && count == 1)
    }

    @Test("how many cards and how long a line is its reader's to say, and a card knows its line") func limits() throws {
        let cards = Array("BEGIN:VCARD\nFN:A\n B\nEND:VCARD\n\nBEGIN:VCARD\nFN:C\nEND:VCARD\n".utf8)
        var reader = ContactCardReader(withPictures: false, cardsMax: 2, lineBytesMax: 20)
        var lines: [Int] = []
        _ = try reader.read(cards) { card in
            lines.append(card.line)
            return true
        }
        try reader.end { lines.append($0.line) }
        #expect(lines == [1, 6])
        #expect(throws: ContactCards.Problem.tooMany(max: 2)) { try reader.read(cards + cards) { _ in true } }
        var other = ContactCardReader(withPictures: false, lineBytesMax: 20)
        let long = Array("BEGIN:VCARD\nNOTE:0123456789012345678".utf8)
        #expect(try other.read(long) { _ in true })
        #expect(throws: ContactCards.Problem.lineTooLong(line: 2, bytesMax: 20)) {
            try other.read(Array("x\n x".utf8)) { _ in true }
        }
    }
}
