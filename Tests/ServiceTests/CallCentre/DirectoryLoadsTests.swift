import BelfryAppGroup
import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallDirectory
import CallDirectoryFiles
import Glibc
import Support
import Testing

@testable import CallCentre

/// Loads of the call directory that apps ask for: whose extensions they may load, and what a loader says, for which a
/// script stands in.
@Suite struct DirectoryLoadsTests {
    private static let id = "com.example.phone"
    private static let numbers = "com.example.phone.numbers"
    private static let alone = "com.example.phone.alone"

    /// A centre with an app of one extension, another beside it, and the loader `script`, which gets its argument.
    private func end(
        _ script: String, enabled: [String] = [numbers, alone], loadMax: TimeSpan = .seconds(60),
        prepare: @escaping (inout CentreSettings, TemporaryFolder) throws -> Void = { _, _ in }
    ) throws -> CentreEnd {
        try CentreEnd(
            script: "exec sleep 60",
            prepare: { settings, folder in
                Self.makeExtension(Self.numbers, at: "Phone.app/PlugIns/Numbers.appex", in: folder)
                Self.makeExtension("com.other.numbers", at: "Phone.app/PlugIns/Foreign.appex", in: folder)
                Self.makeExtension(
                    "com.example.phone.service", at: "Phone.app/PlugIns/Service.appex", in: folder,
                    point: "com.apple.usernotifications.service")
                Self.makeExtension(Self.alone, at: "Alone.appex", in: folder)
                Self.makeExtension("com.else.phone.alone", at: "Else.appex", in: folder)
                settings.directoryExtensions = ["Alone.appex", "Else.appex"].map { "\(folder.path)/\($0)" }
                let program = folder.write(Array("#!/bin/sh\n\(script)\n".utf8), to: "belfry-directory")
                #expect(unsafe chmod(program, 0o755) == 0)
                settings.loaderCommand = [program]
                settings.loadMax = loadMax
                let opened = try DirectoryFolder.open(inStateDirectory: settings.state.path, makes: true)
                try DirectoryRecords.change(in: #require(opened)) { records in
                    for id in enabled {
                        guard let name = GroupName(id) else { preconditionFailure("\(id) is no name") }
                        var record = DirectoryRecord(name, app: "Phone")
                        record.isEnabled = true
                        records.all.append(record)
                    }
                }
                try prepare(&settings, folder)
            })
    }

    private static func makeExtension(
        _ id: String, at path: String, in folder: TemporaryFolder, point: String = "com.apple.callkit.call-directory"
    ) {
        folder.makeFolder(path)
        let text = """
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>\(id)</string>
            <key>NSExtension</key><dict>
            <key>NSExtensionPointIdentifier</key><string>\(point)</string>
            </dict></dict></plist>
            """
        folder.write(Array(text.utf8), to: "\(path)/Info.plist")
        let name = path.split(separator: "/").last?.dropLast(6) ?? ""
        let program = folder.write([], to: "\(path)/\(name)")
        #expect(unsafe chmod(program, 0o755) == 0)
    }

    /// What is in a file of the centre's folder; empty if there is none.
    private func text(_ end: CentreEnd, _ name: String) -> String {
        let bytes = try? readFile(at: "\(end.folder.path)/\(name)", bytesMax: 1 << 16).bytes
        return String(decoding: bytes ?? [], as: UTF8.self)
    }

    private func isOver(_ word: AppWord) -> Bool { if case .directory = word { true } else { false } }

    /// What `app` is answered, once as many answers have come.
    private func answers(_ count: Int, to app: CentrePeer, of end: CentreEnd) throws -> [AppWord] {
        var words: [AppWord] = []
        for _ in 0..<1_000 {
            words += try app.words().filter(isOver)
            guard words.count < count else { break }
            end.run(for: .milliseconds(10))
        }
        return words
    }

    @Test(
        "a load is the loader's: its code is answered once it has ended, and its warnings are told",
        arguments: [
            (
                #"{"code":null,"problem":null,"rows":3,"blocked":1,"identified":2,"incremental":false,"seconds":0.4}"#,
                nil
            ),
            (#"{"code":3,"problem":"in words"}"#, 3), (#"{"code":8,"problem":""}"#, 8), (#"{"code":99}"#, 0),
            // Nothing, what is no outcome, a line that is cut short, and more than a line may be.
            ("", 2), ("[]", 2), (#"{"code":nu"#, 2),
        ] as [(String, Int64?)])
    func loads(_ outcome: String, _ code: Int64?) throws {
        let warning = #"{"warning":"directory-order","detail":"entry 2"}"#
        let end = try end("printf '%s\\n' '\(warning)' '\(outcome)'; echo \"$*\" > \"$0.loaded\"; exit 1")
        let watcher = try end.peer(ClientMessage.watch.line)
        let app = try end.app()
        app.say(AppMessage.directory(7, .reload(Self.numbers)).line)
        #expect(try answers(1, to: app, of: end) == [.directory(7, isEnabled: nil, error: code)])
        #expect(text(end, "belfry-directory.loaded") == "\(Self.numbers)\n")
        let warnings = try watcher.events().map(\.body)
        #expect(
            warnings == [.warning(code: CodeWord(rawValue: "directory-order"), detail: "\(Self.numbers): entry 2")])
    }

    @Test(
        "of its own extensions that are enabled, an app may load each, and no other",
        arguments: [
            (numbers, nil), (alone, nil), ("com.other.numbers", 1), ("com.else.phone.alone", 1), ("", 1), (id, 1),
            ("com.example.phone.service", 1), ("com.example.phone.none", 1), ("../\(numbers)", 1),
            (String(repeating: "n", count: 100_000), 1),
        ] as [(String, Int64?)])
    func ownership(_ id: String, _ code: Int64?) throws {
        let end = try end(#"printf '{"code":null}\n'"#)
        let app = try end.app()
        app.say(AppMessage.directory(1, .status(id)).line)
        app.say(AppMessage.directory(2, .reload(id)).line)
        let status = code == nil ? true : Bool?.none
        #expect(
            try answers(2, to: app, of: end)
                == [.directory(1, isEnabled: status, error: code), .directory(2, isEnabled: nil, error: code)])
        #expect(!app.isClosed)
    }

    @Test("one that the person has not enabled is disabled, and no loader is started") func disabled() throws {
        let end = try end("touch \"$0.loaded\"", enabled: [])
        let app = try end.app()
        app.say(AppMessage.directory(1, .status(Self.numbers)).line)
        app.say(AppMessage.directory(2, .reload(Self.numbers)).line)
        #expect(
            try app.words().filter(isOver)
                == [.directory(1, isEnabled: false, error: nil), .directory(2, isEnabled: nil, error: 6)])
        end.run(for: .milliseconds(50))
        #expect(text(end, "belfry-directory.loaded").isEmpty)
    }

    @Test("of a thousand reloads at once one loads, and the others are refused at once; the loop goes on meanwhile")
    func many() throws {
        let end = try end(
            "echo >> \"$0.count\"; while [ ! -e \"$0.go\" ]; do sleep 0.01; done; printf '{\"code\":null}\\n'")
        let app = try end.app()
        for number in 0..<1_000 as Range<Int64> { app.say(AppMessage.directory(number, .reload(Self.numbers)).line) }
        let refused = try app.words().filter(isOver)
        #expect(refused == (1..<1_000 as Range<Int64>).map { .directory($0, isEnabled: nil, error: 7) })
        // Another extension is loaded beside it.
        app.say(AppMessage.directory(1_000, .reload(Self.alone)).line)
        app.say(AppMessage.directory(1_001, .status(Self.alone)).line)
        #expect(try app.words().filter(isOver) == [.directory(1_001, isEnabled: true, error: nil)])
        end.folder.write([], to: "belfry-directory.go")
        let loaded = try answers(2, to: app, of: end)
        let expected: [AppWord] = [
            .directory(0, isEnabled: nil, error: nil), .directory(1_000, isEnabled: nil, error: nil),
        ]
        #expect(Set(loaded) == Set(expected))
        #expect(text(end, "belfry-directory.count") == "\n\n")
        app.say(AppMessage.directory(2, .reload(Self.numbers)).line)
        #expect(try answers(1, to: app, of: end) == [.directory(2, isEnabled: nil, error: nil)])
    }

    @Test(
        "a loader that is killed, hangs, says no end of a line or cannot be started has its code",
        arguments: [
            ("kill -9 $$", 2), ("exec sleep 60", 2), ("exec head -c 3000000 /dev/zero", 2),
            // One that has said how the load ended, and then hangs.
            (#"printf '{"code":4}\n'; exec sleep 60"#, 4),
        ] as [(String, Int64)])
    func broken(_ script: String, _ code: Int64) throws {
        let end = try end(script, loadMax: .milliseconds(500))
        let app = try end.app()
        app.say(AppMessage.directory(1, .reload(Self.numbers)).line)
        #expect(try answers(1, to: app, of: end) == [.directory(1, isEnabled: nil, error: code)])
    }

    @Test("a loader that is not there is told, and answered as unknown", arguments: [false, true])
    func absent(isNamed: Bool) throws {
        let end = try end("") { settings, _ in settings.loaderCommand = isNamed ? ["/nowhere/belfry-directory"] : [] }
        let watcher = try end.peer(ClientMessage.watch.line)
        let app = try end.app()
        app.say(AppMessage.directory(1, .reload(Self.numbers)).line)
        #expect(try answers(1, to: app, of: end) == [.directory(1, isEnabled: nil, error: 0)])
        let codes = try watcher.events().compactMap { event in
            if case .warning(let code, _) = event.body { code.rawValue } else { nil }
        }
        #expect(codes == ["calls-unavailable"])
    }

    @Test("the settings open without an error, and a warning says how each of the app's is enabled")
    func settings() throws {
        let end = try end("")
        let watcher = try end.peer(ClientMessage.watch.line)
        let app = try end.app()
        app.say(AppMessage.directory(1, .settings).line)
        #expect(try app.words().filter(isOver) == [.directory(1, isEnabled: nil, error: nil)])
        guard case .warning(_, let detail)? = try watcher.events().first?.body else {
            Issue.record("no warning")
            return
        }
        for id in [Self.numbers, Self.alone] { #expect(detail.contains("\"belfry directory enable \(id)\"")) }
        #expect(!detail.contains("com.other.numbers") && !detail.contains("com.else"))
    }

    @Test("an app that leaves, and a centre that stops, disturb nothing; the loader of the latter is killed")
    func leaving() throws {
        let end = try end("echo $$ > \"$0.pid\"; exec sleep 60")
        let app = try end.app()
        app.say(AppMessage.directory(1, .reload(Self.numbers)).line)
        app.leave()
        let again = try end.app()
        again.say(AppMessage.directory(1, .reload(Self.numbers)).line)
        #expect(try again.words().filter(isOver) == [.directory(1, isEnabled: nil, error: 7)])
        while text(end, "belfry-directory.pid").isEmpty { end.run(for: .milliseconds(10)) }
        let text = text(end, "belfry-directory.pid").dropLast()
        let process = try #require(Int32(text).flatMap { ProcessIdentity(livingPID: $0) })
        let watch = try end.loop.onDeath(of: process, description: "test") { end.loop.stop() }
        end.centre?.stop {}
        end.run()
        watch.cancel()
    }

    @Test(
        "the address book's table is made at the start if there is none, or its file is newer or no setting any more",
        arguments: [
            (nil, true, true), (-5, true, true), (5, true, false), (5, false, true), (nil, false, false),
        ] as [(Int?, Bool, Bool)])
    func contacts(tableIsNewerBy seconds: Int?, isConfigured: Bool, isMade: Bool) throws {
        // Its failure is told to those who watch then.
        let script = "until [ -e \"$0.go\" ]; do sleep 0.01; done; echo \"$*\" > \"$0.loaded\""
        let end = try end("\(script); printf '{\"code\":2,\"problem\":\"no cards\"}\\n'") { settings, folder in
            let file = folder.write([], to: "contacts.vcf")
            settings.contactsFile = isConfigured ? file : nil
            if let seconds {
                let table = folder.write([], to: "state/directory/contacts.numbers")
                var times = [timespec](repeating: timespec(), count: 2)
                _ = unsafe clock_gettime(CLOCK_REALTIME, &times[0])
                times[0].tv_sec += seconds
                times[1] = times[0]
                #expect(unsafe utimensat(AT_FDCWD, table, times, 0) == 0)
            }
        }
        let watcher = try end.peer(ClientMessage.watch.line)
        end.run(for: .milliseconds(100))
        end.folder.write([], to: "belfry-directory.go")
        var warnings: [String] = []
        // A load that is begun is waited for, however long it takes; of none nothing comes.
        for _ in 0..<(isMade ? 600 : 1) where warnings.isEmpty {
            end.run(for: .milliseconds(100))
            warnings += try watcher.events().compactMap { event in
                if case .warning(let code, let detail) = event.body { "\(code.rawValue) \(detail)" } else { nil }
            }
        }
        #expect(text(end, "belfry-directory.loaded") == (isMade ? "contacts\n" : ""))
        #expect(warnings.count == (isMade ? 1 : 0) && warnings.allSatisfy { $0.hasSuffix(": no cards") }, "\(warnings)")
    }
}
