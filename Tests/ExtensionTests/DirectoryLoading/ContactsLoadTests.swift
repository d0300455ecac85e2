import CallDirectory
import CallDirectoryFiles
import Support
import Testing

/// The table of the person's address book.
@Suite struct ContactsLoadTests {
    private func load(_ cards: String, _ settings: [String: String?] = [:]) throws -> (LoadedExtension.Load, [String]?)
    {
        let tried = try LoadedExtension("complete")
        let file = tried.folder.write(Array(cards.utf8), to: "contacts.vcf")
        let all: [String: String?] = ["BELFRY_CONTACTS": file].merging(settings) { $1 }
        let load = try tried.load("contacts", all)
        return (load, try tried.rows(of: .contacts))
    }

    private static func card(_ name: String, _ numbers: String...) -> String {
        let lines = numbers.map { "TEL:\($0)\r\n" }.joined()
        return "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:\(name)\r\n\(lines)END:VCARD\r\n"
    }

    @Test("has each number once, by the first of its people, in order")
    func table() throws {
        let cards =
            Self.card("Grace", "+49 30 2", "tel:+49-30-1", "12") + Self.card("Ada", "+49 (0)30 1")
            + Self.card("Alan", "030 7")
        let (load, rows) = try load(cards, ["BELFRY_COUNTRY_CODE": "49"])
        #expect(load.isGood && load.count("rows") == 3 && load.count("identified") == 3, "\(load)")
        #expect(rows == ["49301 Grace", "49302 Grace", "49307 Alan"])
        #expect(try self.load(cards).1 == ["49301 Grace", "49302 Grace"])
    }

    @Test("a file that is none, or is missing, leaves the table as it was")
    func broken() throws {
        let (load, rows) = try load("no card")
        #expect(load.code == 0 && load.problem.contains("no vCard") && rows == nil, "\(load)")
        #expect(try self.load("", ["BELFRY_CONTACTS": "/nowhere/a.vcf"]).0.code == 0)
    }

    @Test("20,000 people, and one more are too many")
    func many() throws {
        let cards = (0..<20_000).reversed().map { Self.card("P\($0)", "+4930\(100_000 + $0)") }.joined()
        let (load, rows) = try load(cards)
        #expect(load.isGood && rows?.count == 20_000 && rows?.first == "4930100000 P0", "\(load)")
        #expect(try self.load(cards + Self.card("Q", "+4930999999")).0.problem.contains("more than 20000"))
    }
}
