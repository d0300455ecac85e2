import BelfryCommandLine
import BelfrySyscalls
import BelfryTerms
import CallDirectory
import CallDirectoryFiles
import Glibc
import Support
import Testing

@testable import belfry

/// The sources of the call directory: look-ups in all of them, the choice of extensions, `status` and the doctor.
@Suite struct DirectorySourceTests {
    let folder = TemporaryFolder()

    var environment: [String: String] {
        [
            "BELFRY_STATE_DIRECTORY": "\(folder.path)/state", "HOME": folder.path,
            "BELFRY_DIRECTORY_EXTENSIONS": extensions.joined(separator: " "),
        ]
    }

    private let extensions: [String]

    init() {
        let folder = folder
        extensions = ["com.example.blocker", "com.example.names"].map { id in
            let name = id.split(separator: ".").last.map(String.init) ?? id
            let path = folder.makeFolder("\(name).appex")
            let text = """
                <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>\(id)</string>
                <key>CFBundleName</key><string>The \(name)</string><key>NSExtension</key><dict>
                <key>NSExtensionPointIdentifier</key><string>com.apple.callkit.call-directory</string>
                </dict></dict></plist>
                """
            folder.write(Array(text.utf8), to: "\(name).appex/Info.plist")
            let program = folder.write(Array("#!/bin/sh\n".utf8), to: "\(name).appex/\(name)")
            precondition(unsafe chmod(program, 0o755) == 0)
            return path
        }
    }

    private func run(_ words: String..., also variables: [String: String] = [:]) -> CommandRun {
        CommandRun(["directory"] + words, environment.merging(variables) { $1 })
    }

    private func directory() throws -> DirectoryFolder {
        _ = folder.makeFolder("state")
        return try #require(try DirectoryFolder.open(inStateDirectory: "\(folder.path)/state", makes: true))
    }

    private func id(_ text: String) throws -> GroupName { try #require(GroupName(text)) }

    /// Loads a table as the loader does.
    private func load(_ owner: TableOwner, blocked: [Int64] = [], labels: [Int64: String] = [:]) throws {
        let load = try NumberTableLoad(owner, in: try directory(), wantsDifference: false, entriesMax: .max)
        try load.block(blocked)
        let sorted = labels.sorted { $0.key < $1.key }
        try load.identify(sorted.map(\.key), labels: sorted.map { Array($0.value.utf8)[...] })
        _ = try load.commit()
    }

    /// What a command comes to beside a loader that prints `lines`, and what that was started with.
    private func choose(
        _ lines: [String], exit: Int = 0, _ words: [String] = [],
        _ body: (ExtensionChoice) throws(CommandError) -> ProgramStatus
    ) -> (error: CommandError?, output: String, asked: String) {
        let asked = folder.write([], to: "asked")
        let script =
            "#!/bin/sh\necho \"$*\" >\(asked)\ncat <<'END'\n\(lines.joined(separator: "\n"))\nEND\nexit \(exit)\n"
        let loader = folder.write(Array(script.utf8), to: "belfry-directory")
        precondition(unsafe chmod(loader, 0o755) == 0)
        let printed = folder.write([], to: "printed")
        let descriptor = OwnedDescriptor(owning: unsafe open(printed, O_RDWR | O_CLOEXEC))
        var parsed = ParsedOptions()
        for word in words { parsed.values[word] = "" }
        var error: CommandError?
        let output = Output(standardOutput: descriptor.number, standardError: descriptor.number)
        let context = Context(options: parsed, environment: environment, output: output)
        do throws(CommandError) {
            _ = try body(ExtensionChoice(context, loader: DirectoryLoader(path: loader)))
        } catch let thrown { error = thrown }
        extendLifetime(descriptor)
        func text(_ path: String) -> String {
            let file = OwnedDescriptor(owning: unsafe open(path, O_RDONLY | O_CLOEXEC))
            defer { extendLifetime(file) }
            return String(decoding: ScriptedWorker.readAll(file.number), as: UTF8.self)
        }
        return (error, text(printed), text(asked))
    }

    private static let loaded =
        #"{"code":null,"problem":null,"rows":3,"blocked":1,"identified":2,"incremental":false,"seconds":0.4}"#

    @Test("lookup says which source decides") func lookup() throws {
        try load(.contacts, labels: [1_555_0100: "Ada"])
        #expect(run("block", "+15550100", "+15550101").status == .done)
        #expect(run("label", "+15550102", "Bo").status == .done)
        let blocker = try id("com.example.blocker")
        try load(.extension(blocker), blocked: [1_555_0102, 1_555_0103, 1_555_0104])
        try load(.extension(try id("com.example.names")), labels: [1_555_0104: "Spam"])
        #expect(run("lookup", "+15550103").output == "+15550103  no source knows it\n", "nobody has enabled it")
        #expect(
            choose([Self.loaded]) { choice throws(CommandError) in try choice.enable("com.example.blocker") }.error
                == nil)
        #expect(
            choose([Self.loaded]) { choice throws(CommandError) in try choice.enable("com.example.names") }.error == nil
        )
        #expect(run("lookup", "+1 555 0100").output == "+15550100  \"Ada\", by your contacts\n")
        #expect(run("lookup", "+15550101").output == "+15550101  blocked, by your list\n")
        #expect(run("lookup", "+15550102").output == "+15550102  \"Bo\", by your list\n")
        #expect(run("lookup", "+15550103").output == "+15550103  blocked, by The blocker (com.example.blocker)\n")
        #expect(
            run("lookup", "+15550104", "--json").output
                == #"{"number":"+15550104","blocked":true,"blockedBy":"The blocker","label":"Spam","#
                + #""labelFrom":"The names"}"# + "\n")
        #expect(run("lookup", "+15550109", "--json").output == #"{"number":"+15550109","blocked":false}"# + "\n")
    }

    @Test("enable has it count and loads it; what the loader says is told") func enable() throws {
        let lines = [
            #"{"warning":"directory-format","detail":"entry 2 is 0"}"#, #"{"output":"hello\u001b"}"#, "no JSON",
            Self.loaded,
        ]
        let run = choose(lines) { choice throws(CommandError) in try choice.enable("com.example.blocker") }
        #expect(run.error == nil && run.asked == "com.example.blocker\n")
        #expect(run.output.contains("belfry: warning: directory-format: entry 2 is 0"))
        #expect(run.output.contains("hello\\u{1b}"))
        #expect(run.output.contains("loaded com.example.blocker: 3 numbers, 1 blocked, 2 with labels"))
        let record = DirectoryRecords(in: try directory())[try id("com.example.blocker")]
        #expect(record?.isEnabled == true && record?.app == "The blocker")
        let json = choose(lines, ["json"]) { choice throws(CommandError) in try choice.reload("com.example.blocker") }
        #expect(json.output == lines.joined(separator: "\n") + "\n")
        let failed = choose([#"{"code":3,"problem":"blocking entry 2 is 1, after 5"}"#], exit: 1) {
            choice throws(CommandError) in try choice.enable("com.example.names")
        }
        #expect(failed.error?.status == .unavailable)
        #expect(failed.error?.problem.hasSuffix(": 3 entriesOutOfOrder: blocking entry 2 is 1, after 5") == true)
        #expect(DirectoryRecords(in: try directory())[try id("com.example.names")]?.isEnabled == true)
        let remedies = [1: "status", 5: "MaxEntries=", 7: "wait"]
        for (code, remedy) in remedies {
            let failed = choose([#"{"code":\#(code),"problem":"x"}"#], exit: 1) { choice throws(CommandError) in
                try choice.reload("com.example.names")
            }
            #expect(failed.error?.remedy.contains(remedy) == true, "\(code)")
        }
        let silent = choose([]) { choice throws(CommandError) in try choice.reload("com.example.names") }
        #expect(silent.error?.problem.contains("has ended and not said why") == true)
    }

    @Test("without the loader that is said") func noLoader() {
        let output = Output()
        let context = Context(options: ParsedOptions(), environment: environment, output: output)
        let choice = ExtensionChoice(context, loader: DirectoryLoader(path: "\(folder.path)/none"))
        #expect(
            throws: CommandError(
                .unavailable, "there is no belfry-directory beside belfry, which loads it", "make install")
        ) {
            try choice.enable("com.example.blocker")
        }
    }

    @Test("an extension that is not known is refused, with the one that is probably meant") func unknown() {
        for word in ["enable", "disable", "order", "reload"] {
            let run = run(word, "com.example.bloker")
            #expect(run.status == .notFound && run.complaints.contains("did you mean com.example.blocker?"), "\(run)")
        }
        #expect(run("reload", "contact").complaints.contains("did you mean contacts?"))
        #expect(run("reload", "contacts").complaints.contains("set [Contacts] File="))
        let bad = ["BELFRY_DIRECTORY_EXTENSIONS": "\(folder.path)/none.appex"]
        #expect(run("enable", "x", also: bad).complaints.contains("none.appex/Info.plist cannot be read"))
    }

    @Test("extensions in an app's PlugIns are known by the app's name, and others of an app are passed over")
    func plugIns() throws {
        func write(_ path: String, _ id: String, _ inner: String) {
            _ = folder.makeFolder(path)
            let text =
                "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>\(id)</string>\(inner)</dict></plist>"
            folder.write(Array(text.utf8), to: "\(path)/Info.plist")
            let program = folder.write([], to: "\(path)/Run")
            precondition(unsafe chmod(program, 0o755) == 0)
        }
        func point(_ name: String) -> String {
            "<key>CFBundleExecutable</key><string>Run</string><key>NSExtension</key><dict>"
                + "<key>NSExtensionPointIdentifier</key><string>com.apple.\(name)</string></dict>"
        }
        let name = "<key>CFBundleExecutable</key><string>Run</string><key>CFBundleName</key><string>Phone</string>"
        write("Phone.app", "com.phone", name)
        write("Phone.app/PlugIns/Numbers.appex", "com.phone.numbers", point("callkit.call-directory"))
        write("Phone.app/PlugIns/Other.appex", "com.phone.other", point("usernotifications.service"))
        let apps = ["BELFRY_APPS": "\(folder.path)/Phone.app"]
        let lines = run("status", "--json", also: apps).lines
        #expect(lines.contains(#"{"source":"com.phone.numbers","enabled":false,"app":"Phone"}"#), "\(lines)")
        #expect(lines.count == 5)
        #expect(run("order", "com.phone.numbers", also: apps).status == .done)
        let other = ["BELFRY_DIRECTORY_EXTENSIONS": "\(folder.path)/Phone.app/PlugIns/Other.appex"]
        #expect(run("enable", "com.phone.other", also: other).complaints.contains("is no call directory"))
    }

    @Test("disable drops its numbers; order says whose come first") func disableAndOrder() throws {
        for name in ["blocker", "names"] {
            _ = choose([Self.loaded]) { choice throws(CommandError) in try choice.enable("com.example.\(name)") }
            try load(.extension(try id("com.example.\(name)")), labels: [1_555_0100: name])
        }
        #expect(run("lookup", "+15550100").output.contains("\"blocker\", by The blocker"))
        #expect(run("order", "com.example.names").status == .done)
        #expect(run("lookup", "+15550100").output.contains("\"names\", by The names"))
        #expect(run("order", "com.example.names", "com.example.names").status == .usage)
        #expect(run("disable", "com.example.names").status == .done)
        #expect(run("lookup", "+15550100").output.contains("\"blocker\", by The blocker"))
        #expect(unsafe access("\(folder.path)/state/directory/com.example.names.extension.numbers", F_OK) != 0)
        #expect(run("disable", "com.example.names", also: ["BELFRY_DIRECTORY_EXTENSIONS": ""]).status == .done)
    }

    @Test("status shows each source in its order, and what failed last") func status() throws {
        let book = folder.write(Array("BEGIN:VCARD\nFN:A\nEND:VCARD\n".utf8), to: "book.vcf")
        let contacts = ["BELFRY_CONTACTS": book]
        try load(.contacts, labels: [1_555_0100: "Ada"])
        #expect(run("block", "+15550100").status == .done)
        _ = choose([Self.loaded]) { choice throws(CommandError) in try choice.enable("com.example.names") }
        try load(.extension(try id("com.example.names")), blocked: [1, 2], labels: [2: "x"])
        try DirectoryRecords.change(in: try directory()) { records in
            records.all[0].failure = DirectoryFailure(.duplicateEntries, "twice")
            records.all[0].failedAt = 1
        }
        let lines = run("status", "--json", also: contacts).lines
        try #require(lines.count == 4, "\(lines)")
        #expect(
            lines[0].hasPrefix(#"{"source":"contacts","enabled":true,"rows":1,"blocked":0,"identified":1,"loaded":"#))
        #expect(lines[1].hasPrefix(#"{"source":"list","enabled":true,"rows":1,"blocked":1,"identified":0"#))
        #expect(
            lines[2].hasPrefix(
                #"{"source":"com.example.names","enabled":true,"app":"The names","rows":2,"blocked":2,"identified":1"#)
                && lines[2].hasSuffix(#""code":4,"problem":"twice","failedAt":1}"#), "\(lines[2])")
        #expect(lines[3] == #"{"source":"com.example.blocker","enabled":false,"app":"The blocker"}"#)
        let table = run("status", also: contacts).lines
        try #require(table.count == 5)
        #expect(table[3].contains("4 duplicateEntries: twice"), "\(table)")
        var times = [timespec(), timespec()]
        times[0].tv_sec = 4_000_000_000
        times[1].tv_sec = 4_000_000_000
        #expect(unsafe utimensat(AT_FDCWD, book, &times, 0) == 0)
        #expect(run("status", "--json", also: contacts).lines[0].hasSuffix(#""stale":true}"#))
        let context = Context(
            options: ParsedOptions(), environment: environment.merging(contacts) { $1 },
            output: Output())
        func finding(_ word: String) -> Finding? { DirectoryChecks.run(context).first { $0.detail.contains(word) } }
        #expect(finding("contacts: the file was changed since")?.remedy == "belfry directory reload contacts")
        #expect(finding("list: on, loaded")?.level == .ok)
        let failed = finding("com.example.names (The names): on, loaded")
        #expect(failed?.level == .warn && failed?.detail.contains("2 numbers, 2 blocked, 1 with labels") == true)
        #expect(failed?.detail.hasSuffix("failed: 4 duplicateEntries: twice") == true)
        #expect(
            finding("com.example.blocker (The blocker): off")?.remedy == "belfry directory enable com.example.blocker")
        folder.damage("state/directory/com.example.names.extension.numbers", from: 70)
        #expect(finding("its table is damaged")?.remedy == "belfry directory reload com.example.names")
        #expect(run("status", "--json", also: contacts).lines[2].contains(#""damage":"#))
        folder.damage("state/directory/list.numbers", from: 0)
        #expect(finding("list: its table is damaged")?.remedy.contains("clear") == true)
    }

    @Test("the doctor tells what is missing, and is silent where nobody has a call directory") func doctor() throws {
        func findings(_ variables: [String: String]) -> [String] {
            let context = Context(
                options: ParsedOptions(), environment: environment.merging(variables) { $1 },
                output: Output())
            return DirectoryChecks.run(context).map { "\($0.level) \($0.detail)" }
        }
        let none = ["BELFRY_DIRECTORY_EXTENSIONS": ""]
        #expect(findings(none) == [])
        #expect(findings(none.merging(["BELFRY_CONTACTS": "\(folder.path)/none.vcf"]) { $1 }) == [])
        try load(.contacts, labels: [1_555_0100: "Ada"])
        #expect(findings(none) == ["warn contacts: [Contacts] File= is empty, and the numbers of before still count"])
        let reload = choose([Self.loaded]) { choice throws(CommandError) in try choice.reload("contacts") }
        #expect(reload.error == nil && reload.asked == "contacts\n")
        try directory().removeTable(of: .contacts)
        _ = choose([Self.loaded]) { choice throws(CommandError) in try choice.enable("com.example.names") }
        let book = folder.write([], to: "book.vcf")
        #expect(
            findings(["BELFRY_CONTACTS": book]) == [
                "warn contacts: not loaded yet, so that a contact may be blocked",
                "warn com.example.names (The names): on, and never loaded", "ok com.example.blocker (The blocker): off",
            ])
        let gone = findings(["BELFRY_DIRECTORY_EXTENSIONS": "", "BELFRY_CONTACTS": "\(folder.path)/none.vcf"])
        #expect(
            gone == [
                "warn contacts: its file cannot be read",
                "warn com.example.names (The names): it is in no app any more, and its numbers count",
            ])
        #expect(
            findings(["BELFRY_DIRECTORY_EXTENSIONS": "\(folder.path)/none.appex"]).first?.contains(
                "Info.plist cannot be read") == true)
    }
}
