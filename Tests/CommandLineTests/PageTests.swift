import BelfryCommandLine
import BelfrySettings
import BelfryTerms
import Support
import Testing
@testable import belfry
@testable import belfry_apns
@testable import belfry_fleet

/// Manual pages and completions are written by people: each command, option and setting of the programs stands in them,
/// and nothing that the programs do not know.
@Suite struct PageTests {
    static let pages = [
        "belfry.1", "belfry-worker.8", "belfry-desktop.8", "belfry-apns.8", "belfry-calls.8", "belfry-fleet.8",
        "belfry.conf.5",
    ]

    private static func file(_ path: String) -> String { String(decoding: sourceBytes(path), as: UTF8.self) }

    /// The words behind a command's name of which it has to be given one.
    private static func verbs(of command: Command) -> [String] {
        command.synopsis.flatMap { form -> [String] in
            let words = form.split(separator: " ")
            guard words.count > 1, words[1].allSatisfy({ $0.isLowercase || $0 == "|" }) else { return [] }
            return words[1].split(separator: "|").map(String.init)
        }
    }

    @Test("belfry(1) has each command with its forms and options, and the exit statuses")
    func commands() throws {
        let page = ManualPage(Self.file("docs/man/belfry.1"))
        #expect(page.titles(under: "COMMANDS") == Program.commands.map(\.name))
        for command in Program.commands {
            let section = try #require(page.section(command.name))
            #expect(section.forms == command.synopsis.map { "belfry " + $0 })
            #expect(section.words == command.options.map(\.spelling), "\(command.name)")
        }
        #expect(page.section("OPTIONS")?.words == Option.common.map(\.spelling))
        #expect(page.section("EXIT STATUS")?.words == HelpText.exitStatuses.map { $0[0] })
    }

    @Test("belfry-apns(8) has the forms and options of each of its commands")
    func endpoint() throws {
        let page = ManualPage(Self.file("docs/man/belfry-apns.8"))
        let main = Self.file("Sources/Programs/belfry-apns/main.swift")
        #expect(
            page.section("OPTIONS")?.words == ["--listeners N"] && main.contains("case (\"--listeners\", let count?)"))
        let tables = [
            ("CREDENTIALS", CredentialCommands.options), ("DEVICES", DeviceCommand.options),
            ("PUSHES", LogCommand.options), ("FAULTS", TesterCommands.options),
        ]
        for (title, options) in tables { #expect(page.section(title)?.words == options.map(\.spelling), "\(title)") }
        let forms = tables.compactMap { page.section($0.0)?.forms }.joined().map {
            $0.split(separator: " ").map(String.init)
        }
        for command in [Command.apns, .device] {
            let verbs = forms.filter { $0[1] == command.name }.map { $0[2] }
            #expect(Set(verbs) == Set(Self.verbs(of: command)), "\(command.name)")
        }
    }

    @Test("belfry-fleet(8) has the forms of belfry fleet, and the options that its program takes")
    func fleet() throws {
        let page = ManualPage(Self.file("docs/man/belfry-fleet.8"))
        #expect(page.section("SYNOPSIS")?.forms == Command.fleet.synopsis.map { "belfry \($0)" })
        #expect(page.section("OPTIONS")?.words == FleetCommands.options.map(\.spelling))
        let usage = FleetCommands.help.split(separator: "\n").prefix(Command.fleet.synopsis.count)
        let forms = usage.map { $0.dropFirst("Usage: ".utf8.count).drop { $0 == " " } }
        #expect(forms.map(String.init) == page.section("SYNOPSIS")?.forms)
    }

    @Test("calling-apps.md has each warning about an app's calling code, with what iOS does and what to do")
    func warnings() {
        let rows = Self.file("docs/calling-apps.md").split(separator: "\n").map { $0.split(separator: "|") }
        for code in WarningCode.allCases where code.appExplanation != nil {
            let row = rows.first { $0.count == 3 && $0[0] == " `\(code.rawValue)` " }
            #expect(row?.allSatisfy { $0.count > 2 } == true, "\(code.rawValue)")
        }
    }

    @Test("belfry-worker(8) has the forms of the worker's own help, and operations.md its exit statuses")
    func worker() throws {
        let main = Self.file("Sources/Programs/belfry-worker/main.swift")
        let usage = main.matches(of: #/(belfry-worker(?: \S+)*) {2,}(\S.*)/#).map { (String($0.1), String($0.2)) }
        let page = ManualPage(Self.file("docs/man/belfry-worker.8"))
        #expect(page.section("SYNOPSIS")?.forms == usage.map(\.0))
        let described = try #require(page.section("DESCRIPTION")).items.dropLast()
        #expect(described.map(\.word) == usage.map(\.0) && described.map(\.meaning) == usage.map(\.1))
        #expect(page.options(of: "belfry-worker") == Self.optionsTaken(by: main))
        let operations = Self.file("docs/operations.md")
        let statuses = try #require(page.section("EXIT STATUS")).words
        for status in statuses.dropFirst() { #expect(operations.contains("| \(status) |")) }
        #expect(statuses.count > 1)
    }

    @Test("belfry-desktop(8) has its options")
    func desktop() {
        let main = Self.file("Sources/Programs/belfry-desktop/main.swift")
        let page = ManualPage(Self.file("docs/man/belfry-desktop.8"))
        #expect(page.options(of: "belfry-desktop") == Self.optionsTaken(by: main))
    }

    @Test("belfry-calls(8) has its options")
    func calls() {
        let main = Self.file("Sources/Programs/belfry-calls/main.swift")
        let page = ManualPage(Self.file("docs/man/belfry-calls.8"))
        #expect(page.options(of: "belfry-calls") == Self.optionsTaken(by: main))
    }

    /// The options that a program compares its words with.
    private static func optionsTaken(by main: String) -> Set<String> {
        Set(main.matches(of: #/"(--[a-z-]+)"/#).map { String($0.1) })
    }

    @Test("belfry.conf(5) has each setting in its section, and no other")
    func settingNames() {
        let page = ManualPage(Self.file("docs/man/belfry.conf.5"))
        let named = page.sections.filter { $0.title.hasPrefix("[") }.flatMap { section in
            section.words.map { "\(section.title) \($0)" }
        }
        #expect(named.sorted() == Setting.allCases.map(\.name).sorted())
    }

    @Test("docs/belfry.conf has each setting, commented, with its meaning and its default, and may be used as it is")
    func example() {
        let text = Self.file("docs/belfry.conf")
        let lines = text.split(separator: "\n").map(String.init)
        let folder = TemporaryFolder()
        let file = folder.write(
            Array(
                lines.map { $0.hasPrefix("#") && !$0.hasPrefix("# ") ? String($0.dropFirst()) : $0 }
                    .joined(separator: "\n").utf8), to: "belfry.conf")
        let loaded = SettingsLoader.loadOnly(file: file)
        #expect(loaded.mistakes.isEmpty && loaded.settings == Settings(), "\(loaded.mistakes)")
        for setting in Setting.allCases {
            let line = "#\(setting.key)=\(Settings().text(of: setting))"
            #expect(lines.contains(line), "docs/belfry.conf lacks \(line), in [\(setting.section)], with its meaning")
        }
        #expect(lines.count { $0.hasPrefix("#") && !$0.hasPrefix("# ") } == Setting.allCases.count)
    }

    @Test("belfry.conf(5) says of a setting what configuration.md and the program say", arguments: Setting.allCases)
    func settings(setting: Setting) throws {
        let page = ManualPage(Self.file("docs/man/belfry.conf.5"))
        let item = page.section("[\(setting.section)]")?.items.first { $0.word == setting.key + "=" }
        let meaning = try #require(item?.meaning)
        let pages = Self.file("docs/configuration.md").split(separator: "\n")
        let row = try #require(pages.first { $0.hasPrefix("| `\(setting.name)`") })
        let cell = try #require(row.split(separator: " | ").last)
        let prose = String(cell.hasSuffix(" |") ? cell.dropLast(2) : cell)
            .replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.output.1 }.filter { $0 != "`" }
        #expect(meaning.hasPrefix(prose + ". "))
        let value = Settings().text(of: setting)
        for part in [
            "Expected: \(setting.expectation).", "Default: \(value.isEmpty ? "none" : value).",
            "Variable: \(setting.environmentVariable).",
        ] { #expect(meaning.contains(part)) }
    }

    @Test("each shell knows the commands, their verbs, options and values, and no other", arguments: Shell.allCases)
    func completions(shell: Shell) {
        let names = Program.commands.map(\.name)
        var expected: [String: Set<String>] = ["": Set(names), "*": Set(Option.common.map { "--\($0.name)" })]
        for command in Program.commands {
            let arguments = command.name == "help" ? names : Self.verbs(of: command)
            expected[command.name] = Set(arguments + command.options.map { "--\($0.name)" })
        }
        for option in Option.common + Program.commands.flatMap(\.options) where option.argument != nil {
            let values = option.name == "reason" ? HangupReason.allCases.map(\.rawValue) : []
            expected["--" + option.name] = Set(values)
        }
        let found = shell.words(of: Self.file("Completions/belfry.\(shell.rawValue)"))
        for subject in Set(found.keys).union(expected.keys).sorted() {
            // A command behind which nothing is known need not stand there.
            let nothing: Set<String>? = names.contains(subject) ? [] : nil
            #expect(found[subject] ?? nothing == expected[subject], "\(subject)")
        }
    }

    @Test("the page of a command is that of --help")
    func help() {
        for command in Program.commands {
            let page = CommandRun(["help", command.name]).output
            #expect(page == CommandRun([command.name, "--help"]).output && !page.isEmpty)
        }
        #expect(CommandRun(["help"]).output == CommandRun(["--help"]).output)
        #expect(CommandRun(["help", "statis"]).complaints.contains("did you mean status?"))
    }

    @Test("each page is installed, names its version, and no line of it is taken for a macro that it is not")
    func roff() {
        #expect(Self.file("Makefile").contains("PAGES := \(Self.pages.joined(separator: " "))\n"))
        for name in Self.pages {
            let text = Self.file("docs/man/\(name)")
            #expect(
                text.hasPrefix(".TH \(name.dropLast(2).uppercased()) \(name.suffix(1)) \"\" \"\(Program.version)\""))
            let macros = Set(
                text.split(separator: "\n").filter { ".'".contains($0.prefix(1)) }.map { $0.prefix { $0 != " " } })
            #expect(macros.isSubset(of: [".TH", ".SH", ".SS", ".PP", ".nf", ".fi", ".B", ".TP"]), "\(macros)")
        }
    }

    @Test("bash, zsh and fish complete command lines, ids of calls too, and take none of them for code")
    func shells() throws {
        let belfry = builtProgram("belfry")
        let folder = String(belfry[..<(belfry.lastIndex(of: "/") ?? belfry.endIndex)])
        let run = try ProgramRun(sourceFile("Tests/completions"), [folder, sourceFile("Completions")])
        #expect(run.complaints() == [])
    }
}

/// A page for man(1), as far as tests ask.
private struct ManualPage {
    struct Section {
        let title: String
        let isSubsection: Bool
        /// The lines that stay as they are.
        var forms: [String] = []
        /// What has a meaning below it.
        var items: [(word: String, meaning: String)] = []

        var words: [String] { items.map(\.word) }
    }

    private(set) var sections: [Section] = []

    init(_ text: String) {
        var isForm = false
        var isWord = false
        var isMeaning = false
        for line in text.split(separator: "\n").map({ Self.plain(String($0)) }) {
            let macro = String(line.prefix { $0 != " " })
            let rest = String(line.dropFirst(macro.count + 1))
            if macro.hasPrefix("."), macro != ".B" { isMeaning = false }
            switch macro {
            case ".SH", ".SS": sections.append(Section(title: rest, isSubsection: macro == ".SS"))
            case ".nf", ".fi": isForm = macro == ".nf"
            case ".TP": isWord = true
            case ".B" where isForm: sections[sections.count - 1].forms.append(rest)
            case ".B" where isWord:
                sections[sections.count - 1].items.append((rest, ""))
                (isWord, isMeaning) = (false, true)
            default:
                guard isMeaning, let items = sections.last?.items, let last = items.last else { continue }
                let meaning = last.meaning.isEmpty ? line : "\(last.meaning) \(line)"
                sections[sections.count - 1].items[items.count - 1].meaning = meaning
            }
        }
    }

    /// `line` as a person sees it.
    private static func plain(_ line: String) -> String {
        line.replacing("\\-", with: "-").replacing("\\(ti", with: "~").replacing("\\fB", with: "")
            .replacing("\\fR", with: "").replacing("\\&", with: "")
    }

    func section(_ title: String) -> Section? { sections.first { $0.title == title } }

    /// The subsections of a section.
    func titles(under title: String) -> [String] {
        sections.drop { $0.title != title }.dropFirst().prefix { $0.isSubsection }.map(\.title)
    }

    /// The options that its forms and items say of `program`.
    func options(of program: String) -> Set<String> {
        let texts = sections.flatMap { $0.forms + $0.words }.filter { $0.hasPrefix("-") || $0.hasPrefix(program + " ") }
        return Set(texts.flatMap { $0.matches(of: #/(?:^| )(--[a-z-]+)/#).map { String($0.1) } })
    }
}

/// A shell that completes command lines.
enum Shell: String, CaseIterable {
    case bash
    case zsh
    case fish

    /// What its script offers behind each command, each option with an argument, no command (``), and any (`*`).
    func words(of script: String) -> [String: Set<String>] {
        var words: [String: Set<String>] = [:]
        let lines = script.split(separator: "\n").map { String($0.drop { $0 == " " }) }
        for line in lines {
            for (subject, offered) in self == .fish ? Self.fish(line) : Self.bash(line, lines) {
                words[subject, default: []].formUnion(offered)
            }
        }
        return words
    }

    private static func split(_ text: Substring) -> [String] { text.split(separator: " ").map(String.init) }

    /// An arm of a case, as bash and zsh have it, or what is offered whatever the case.
    private static func bash(_ line: String, _ lines: [String]) -> [(String, [String])] {
        if let common = line.wholeMatch(of: #/wanted\+='(.*)'/#) { return [("*", split(common.1))] }
        guard let arm = line.wholeMatch(of: #/([a-z'|-]+)\) (.*);;/#) else { return [] }
        let names = arm.2.contains("$names") ? lines.compactMap { $0.wholeMatch(of: #/local names='(.*)'/#)?.1 } : []
        let offered = arm.2.matches(of: #/wanted='([^']*)'/#).map(\.1) + names
        return arm.1.split(separator: "|").map { ($0 == "''" ? "" : String($0), offered.flatMap(split)) }
    }

    private static func fish(_ line: String) -> [(String, [String])] {
        if let command = line.firstMatch(of: #/-n __fish_use_subcommand -a ([a-z-]+) -d '/#) {
            return [("", [String(command.1)])]
        }
        guard line.hasPrefix("complete -c belfry -") else { return [] }
        let subject = line.firstMatch(of: #/__fish_seen_subcommand_from ([a-z-]+)/#).map { String($0.1) } ?? "*"
        let offered = line.firstMatch(of: #/ -a '([a-z -]+)'/#).map { split($0.1) } ?? []
        guard let option = line.firstMatch(of: #/ -l ([a-z-]+)/#) else { return [(subject, offered)] }
        let takesArgument = line.contains(" -x ") || line.contains(" -r ")
        return [(subject, ["--\(option.1)"])] + (takesArgument ? [("--\(option.1)", offered)] : [])
    }
}
