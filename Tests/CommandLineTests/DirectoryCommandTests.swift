import BelfryCommandLine
import BelfrySyscalls
import Glibc
import Support
import Testing

@testable import belfry

/// The person's list: `belfry directory block`, `label`, `remove`, `clear`, `list`, `lookup`, `import` and `export`.
@Suite struct DirectoryCommandTests {
    let folder = TemporaryFolder()

    /// A country, so that national numbers are numbers.
    static let german = ["BELFRY_COUNTRY_CODE": "49"]

    var environment: [String: String] {
        ["BELFRY_STATE_DIRECTORY": "\(folder.path)/state", "HOME": folder.path]
    }

    func run(_ words: String..., also variables: [String: String] = [:]) -> CommandRun {
        CommandRun(["directory"] + words, environment.merging(variables) { $1 })
    }

    /// The built program with `input` before it; returns how it ended, and what it printed and complained.
    func run(_ words: [String], input: String) throws -> (ChildExit, output: String, complaints: String) {
        let inputPath = folder.write(Array(input.utf8), to: "input")
        func file(_ path: String) -> OwnedDescriptor {
            OwnedDescriptor(owning: unsafe open(path, O_RDWR | O_CLOEXEC))
        }
        let input = file(inputPath)
        let output = file(folder.write([], to: "output"))
        let errors = file(folder.write([], to: "errors"))
        let child = try ChildProcess(
            ChildCommand(
                path: testedProgram("belfry"), arguments: ["directory"] + words, environment: environment,
                streams: [
                    0: .descriptor(input.number), 1: .descriptor(output.number), 2: .descriptor(errors.number),
                ]))
        let exit = try child.waitUntilExit()
        extendLifetime(input)
        func text(_ descriptor: borrowing OwnedDescriptor) -> String {
            lseek(descriptor.number, 0, SEEK_SET)
            return String(decoding: ScriptedWorker.readAll(descriptor.number), as: UTF8.self)
        }
        return (exit, text(output), text(errors))
    }

    @Test("numbers are blocked, labelled, removed and listed, however they are written") func list() {
        #expect(run("list").output == "your list is empty\n" && run("list", "--json").output == "")
        #expect(run("block", "+49 (0)30 123456", "tel:+15550100").output == "blocked 2 numbers; your list has 2\n")
        #expect(run("label", "030 123456", "Ada, \"A\"", also: Self.german).status == .done)
        #expect(run("list").lines == ["+15550100         blocked  -", "+4930123456       blocked  Ada, \"A\""])
        #expect(
            run("list", "--json").lines == [
                #"{"number":"+15550100","blocked":true}"#,
                #"{"number":"+4930123456","blocked":true,"label":"Ada, \"A\""}"#,
            ])
        #expect(run("block", "+15550100", "--json").output == #"{"blocked":1,"rows":2}"# + "\n")
        #expect(run("remove", "+15550100").output == "removed 1 number; your list has 1\n")
        let again = run("remove", "+15550100")
        #expect(again.status == .notFound && again.complaints.contains("+15550100 is not in your list"))
        let some = run("remove", "+15550100", "+4930123456")
        #expect(some.status == .notFound && some.complaints.contains("1 of 2 numbers are not in your list"))
        #expect(run("list").output == "your list is empty\n")
    }

    @Test("clear takes off what it says, and all") func clear() {
        func fill() {
            #expect(run("block", "+15550100").status == .done && run("label", "+15550101", "Bo").status == .done)
        }
        fill()
        #expect(run("clear", "--blocked").status == .done && run("list").lines == ["+15550101         rings    Bo"])
        fill()
        #expect(run("clear", "--labels").status == .done && run("list").lines == ["+15550100         blocked  -"])
        fill()
        #expect(run("clear").status == .done && run("list").output == "your list is empty\n")
        fill()
        #expect(run("clear", "--blocked", "--labels").status == .done)
        #expect(run("list").output == "your list is empty\n" && run("clear").status == .done)
    }

    @Test("a wrong number is refused with its reason, and nothing is written") func refusals() {
        #expect(run("block", "+15550100").status == .done)
        func refuses(_ words: String..., because reason: String, _ variables: [String: String] = [:]) {
            let refused = CommandRun(["directory"] + words, environment.merging(variables) { $1 })
            #expect(refused.status == .usage && refused.complaints.contains(reason), "\(words): \(refused)")
        }
        refuses("block", "+15550101", "030 123456", because: "or set [Directory] CountryCode=")
        refuses("block", "30 123456", because: "begins with no 0", Self.german)
        refuses("block", "+15550101", "Ada", because: "\"Ada\" is no telephone number")
        refuses("block", "+1555010155501015550101", because: "is no telephone number")
        refuses("label", "+15550101", "", because: "the label is empty")
        refuses("label", "+15550101", "a\nb", because: "line break")
        refuses("label", "+15550101", "a\u{202E}b", because: "a character that nobody sees")
        refuses("label", "+15550101", String(repeating: "x", count: 1_025), because: "more than 1024 bytes")
        refuses("remove", "0", because: "0")
        refuses("lookup", "anna@example.org", because: "is no telephone number")
        #expect(run("list").lines == ["+15550100         blocked  -"])
        for words in [
            [], ["frob"], ["block"], ["label", "+15550101"], ["label", "+15550101", "a", "b"], ["list", "x"],
            ["import"],
            ["lookup"], ["enable"], ["order"], ["order", "a", "a"], ["block", "+1555", "--labels"], ["export", "x"],
        ] { #expect(CommandRun(["directory"] + words, environment).status == .usage, "\(words)") }
        #expect(run().complaints.contains("block, label, remove"))
        #expect(run("block", "+1555").complaints.contains("+1555 has fewer than 8 digits"))
        #expect(run("block", "+1234567890123456").complaints.contains("more than 15 digits"))
        #expect(CommandRun(["directory", "list"], [:]).status == .unavailable)
    }

    @Test("from standard input come numbers, a line each, and with labels behind them") func standardInput() throws {
        let (exit, output, _) = try run(["block", "-"], input: "+15550102\n\n  +1 555 0101\r\n+15550102")
        #expect(exit.isSuccess && output == "blocked 2 numbers; your list has 2\n")
        let lines = "+15550101 Ada Miller\n+1 555 0102,Bo, Dr.\n+1 (555) 0103\tCy\n"
        #expect(try run(["label", "-"], input: lines).0.isSuccess)
        #expect(
            run("list").lines == [
                "+15550101         blocked  Ada Miller", "+15550102         blocked  Bo, Dr.",
                "+15550103         rings    Cy",
            ])
        let wrong = "+15550104 Di\n+1 555 0105 Ed\n+15550106\nx,y\n+15550107,\n+15550108,a\u{202E}\n"
        let refused = try run(["label", "-"], input: wrong)
        #expect(refused.0 == .exited(code: 65))
        for text in [
            "line 2: where the number ends cannot be told", "line 3: there is no text behind",
            "line 4: \"x\" is no telephone number", "line 5: the label is empty", "line 6: the label has a character",
            "5 lines are wrong, and your list is as it was",
        ] { #expect(refused.complaints.contains(text), "\(text) in \(refused.complaints)") }
        let many = (0..<30).map { "x\($0)\n" }.joined()
        let told = try run(["block", "-"], input: "+15550109\n" + many).complaints.split(separator: "\n")
        try #require(told.count == 22, "\(told)")
        #expect(told[19].contains("line 21: ") && told[20] == "belfry: and 10 more")
        #expect(told[21].contains("30 lines are wrong"))
        let long = try run(["block", "-"], input: String(repeating: "1", count: 70_000))
        #expect(
            long.0 == .exited(code: 65) && long.complaints.contains("line 1 of standard input is longer than 65536"))
        #expect(run("list").lines.count == 3)
    }

    @Test("100,000 numbers are one command: added, listed, removed", .timeLimit(.minutes(5)))
    func many() throws {
        let numbers = (0..<100_000).map { "+\(4_930_000_000_000 + $0 * 7)\n" }.shuffled().joined()
        #expect(try run(["block", "-"], input: numbers).output == "blocked 100000 numbers; your list has 100000\n")
        let listed = try run(["list"], input: "").output.split(separator: "\n")
        try #require(listed.count == 100_000)
        #expect(listed[1] == "+4930000000007    blocked  -")
        #expect(try run(["remove", "-"], input: numbers).output == "removed 100000 numbers; your list has 0\n")
    }

    @Test("two commands at once lose nothing") func twoAtOnce() throws {
        let runs = try (0..<8).map { command in
            let numbers = (0..<20).map { "+1555\(1_000_000 + command * 100 + $0)" }
            return try ProgramRun(testedProgram("belfry"), ["directory", "block"] + numbers, environment: environment)
        }
        for run in runs { #expect(try run.child.waitUntilExit().isSuccess) }
        #expect(run("list").lines.count == 160)
    }

    @Test("what is exported and imported is the same list") func roundTrip() throws {
        for (index, label) in ["a,b", "say \"hi\"", " blank ", "ünï 🦀", "=1+1", "yes"].enumerated() {
            #expect(run("label", "+1555010\(index)", label).status == .done)
        }
        #expect(run("block", "+15550101", "+15550200").status == .done)
        let before = run("list").output
        let exported = run("export").output
        #expect(exported.hasPrefix("number,label,blocked\n+15550100,\"a,b\",no\n+15550101,\"say \"\"hi\"\"\",yes\n"))
        let path = folder.write(Array(exported.utf8), to: "list.csv")
        #expect(run("clear").status == .done)
        #expect(run("import", path).output == "imported 7 numbers; your list has 7\n")
        #expect(run("list").output == before)
        #expect(try run(["import", "-"], input: exported).0.isSuccess && run("export").output == exported)
    }

    @Test("of a broken file each refusal is named, and the others are taken") func brokenCSV() {
        let text = """
            Number;Label;Blocked
            +15550100;Ada;no
            +15550101;"Bo
            Ada;x;yes
            +15550102;Cy;perhaps
            +15550103;;yes
            +15550104;;
            +15550105;a;b;c
            +15550106;\u{7}bell;
            +15550107;"Di; Dr.";block
            """
        let imported = run("import", folder.write(Array(text.utf8), to: "broken.csv"))
        #expect(imported.status == .badNotification)
        for reason in [
            "line 3: behind a quote that is closed stands more", "line 4: \"Ada\" is no telephone number: + and",
            "line 5: blocked is \"perhaps\"", "line 7: it says neither a label nor", "line 8: it has 4 columns",
            "line 9: the label has a character that nobody sees", "6 were refused, and the others imported",
        ] { #expect(imported.complaints.contains(reason), "\(reason) in \(imported.complaints)") }
        #expect(
            run("list").lines == [
                "+15550100         rings    Ada", "+15550103         blocked  -", "+15550107         blocked  Di; Dr.",
            ])
        let nothing = run("import", folder.write(Array("x,y\n".utf8), to: "none.csv"))
        #expect(nothing.status == .badNotification && nothing.complaints.contains("nothing was imported"))
        #expect(run("import", folder.write([], to: "empty.csv")).status == .badNotification)
        #expect(run("import", "\(folder.path)/missing.csv").status == .notFound)
        #expect(run("import", folder.path).status == .notFound)
        #expect(run("list").lines.count == 3)
    }

    @Test("what a file says of a number that is there already counts, and what it does not say stays")
    func overwriting() {
        #expect(run("label", "+15550100", "Ada").status == .done && run("block", "+15550100").status == .done)
        let path = folder.write(Array("+15550100,,no\n+15550101,Bo,yes\n+15550101,Cy\n".utf8), to: "list.csv")
        #expect(run("import", path).output == "imported 2 numbers; your list has 2\n")
        #expect(run("list").lines == ["+15550100         rings    Ada", "+15550101         blocked  Cy"])
    }

    @Test("vCards of 2.1, 3.0 and 4.0 are imported, folded and quoted-printable") func vCards() {
        let text = """
            BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\n  Miller\r\nTEL;TYPE=cell:+1 555\r\n  0100\r\nEND:VCARD\r
            BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Bo\r\nTEL;VALUE=uri:tel:+1-555-0101\r\nTEL:030 1\r\nEND:VCARD\r
            BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BC=\r\nller;J=C3=B6rg\r
            TEL;HOME:+15550102\r\nEND:VCARD\r
            BEGIN:VCARD\r\nVERSION:3.0\r\nTEL:+15550103\r\nEND:VCARD\r
            """
        let imported = run("import", folder.write(Array(text.utf8), to: "cards.vcf"))
        #expect(imported.status == .badNotification)
        #expect(imported.complaints.contains("line 8: \"030 1\" has no country code"), "\(imported.complaints)")
        #expect(imported.complaints.contains("line 20: the label is empty"), "\(imported.complaints)")
        #expect(
            run("list").lines == [
                "+15550100         rings    Ada Miller", "+15550101         rings    Bo",
                "+15550102         rings    Jörg Müller",
            ])
    }

    @Test("a vCard of 50,000 people is imported", .timeLimit(.minutes(5))) func manyCards() throws {
        let cards = (0..<50_000).map { person in
            "BEGIN:VCARD\nVERSION:3.0\nFN:Person \(person)\nTEL:+49170\(1_000_000 + person)\nEND:VCARD\n"
        }
        let path = folder.write(Array(cards.joined().utf8), to: "people.vcf")
        #expect(run("import", path).output == "imported 50000 numbers; your list has 50000\n")
        #expect(run("lookup", "+491701049999").output == "+491701049999  \"Person 49999\", by your list\n")
    }

    @Test("a list that is damaged is told, and stays as it is until it is cleared") func damage() {
        #expect(run("block", "+15550100").status == .done)
        folder.damage("state/directory/list.numbers", from: 64)
        for words in [["block", "+15550101"], ["remove", "+15550100"], ["list"], ["export"], ["clear", "--blocked"]] {
            let run = CommandRun(["directory"] + words, environment)
            #expect(
                run.status == .badNotification && run.complaints.contains("your list is damaged"), "\(words) \(run)")
        }
        #expect(run("clear").status == .done && run("block", "+15550101").status == .done)
    }

    @Test("a list that cannot be written is as it was") func unwritable() throws {
        folder.write([], to: "state")
        let run = run("block", "+15550100")
        #expect(run.status == .unavailable && run.complaints.contains("the call directory cannot be used"))
    }
}
