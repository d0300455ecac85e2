import BelfryCommandLine
import BelfrySettings
import Support
import Testing
@testable import belfry

/// Help, manual pages and completions say what the program's own tables say.
@Suite struct ManualTests {
    private func file(_ path: String) -> String { String(decoding: sourceBytes(path), as: UTF8.self) }

    @Test("what lies in docs/man is what the tables say: make pages", arguments: ManualPage.allCases)
    func pages(page: ManualPage) {
        #expect(file("docs/man/\(page.rawValue)") == page.text, "make pages")
        #expect(CommandRun(["help", "--man", page.rawValue]).output == page.text)
    }

    @Test("so does what completes command lines: make pages", arguments: Completion.allCases)
    func completions(shell: Completion) {
        #expect(file("Completions/belfry.\(shell.rawValue)") == shell.text, "make pages")
        #expect(CommandRun(["help", "--completion", shell.rawValue]).output == shell.text)
    }

    @Test("configuration.md says of each setting what the manual says", arguments: Setting.allCases)
    func settings(setting: Setting) throws {
        let row = file("docs/configuration.md").split(separator: "\n").first { $0.hasPrefix("| `\(setting.name)`") }
        let cell = try #require(row).split(separator: " | ").last.map { $0.hasSuffix(" |") ? $0.dropLast(2) : $0 }
        let prose = try String(#require(cell)).replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.output.1 }
        #expect(prose == setting.meaning)
    }

    @Test("belfry-worker's own help has the forms of its page")
    func worker() {
        let main = file("Sources/Programs/belfry-worker/main.swift")
        for form in WorkerForm.all { #expect(main.contains(form.command) && main.contains(form.meaning)) }
        let forms = main.split(separator: "\n").count { $0.contains("belfry-worker ") && $0.contains("    ") }
        #expect(forms == WorkerForm.all.count)
        let operations = file("docs/operations.md")
        for row in WorkerForm.exitStatuses.dropFirst() { #expect(operations.contains("| \(row[0]) |")) }
    }

    @Test("the page of a command is that of --help; every command is in belfry(1)")
    func help() {
        for command in Program.commands {
            let page = CommandRun(["help", command.name]).output
            #expect(page == CommandRun([command.name, "--help"]).output && !page.isEmpty)
            #expect(ManualPage.belfry.text.contains(".SS \"\(command.name.replacing("-", with: "\\-"))\""))
        }
        #expect(CommandRun(["help"]).output == CommandRun(["--help"]).output)
        #expect(CommandRun(["help", "statis"]).complaints.contains("did you mean status?"))
        #expect(CommandRun(["help", "--man", "x"]).status == .usage)
        #expect(CommandRun(["help", "--completion", "csh"]).complaints.contains("one of bash, zsh, fish"))
    }

    @Test("no line of a page is taken for a macro that it is not, and no backslash is lost")
    func roff() {
        for page in ManualPage.allCases {
            let macros = Set(
                page.text.split(separator: "\n").filter { $0.hasPrefix(".") || $0.hasPrefix("'") }.map {
                    String($0.prefix { $0 != " " })
                })
            #expect(macros.isSubset(of: [".\\\"", ".TH", ".SH", ".SS", ".PP", ".nf", ".fi", ".B", ".TP"]), "\(macros)")
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
