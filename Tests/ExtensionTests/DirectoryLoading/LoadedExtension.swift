import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import CallDirectory
import CallDirectoryFiles
import Glibc
import Support
import Testing

/// An extension of the call directory in a place of its own, which a real `belfry-directory` loads.
struct LoadedExtension {
    static let id = "com.example.app.directory"

    let folder = TemporaryFolder()
    private var path: String { "\(folder.path)/Played.appex" }
    private var state: String { "\(folder.path)/state" }

    /// How a load went, by what the loader wrote.
    struct Load {
        let status: ChildExit?
        let objects: [JSONObject]
        let complaints: [String]

        /// Apple's code; nil if there is none.
        var code: Int64? { objects.last?["code"]?.integerValue }
        var problem: String { objects.last?["problem"]?.stringValue ?? "" }
        var warnings: [String] { objects.compactMap { $0["warning"]?.stringValue } }
        var details: [String] { objects.compactMap { $0["detail"]?.stringValue } }
        var output: [String] {
            objects.compactMap { $0["output"]?.stringValue }.joined().split(separator: "\n").map(String.init)
        }
        func count(_ key: String) -> Int64? { objects.last?[key]?.integerValue }
        var isGood: Bool { status == .exited(code: 0) && objects.last?["code"] == .null }
    }

    /// An extension that does what `text` says line by line; of nil Xcode's template.
    init(_ text: String?, isEnabled: Bool = true) throws {
        try layOut(isEnabled)
        unsafe symlink(builtProgram("DirectorySample"), "\(path)/Played")
        if let text { write(text) }
    }

    /// An extension that runs `code` in Python once it is asked for entries, with `say(…)` and `batch(…)` at hand.
    init(python code: String) throws {
        try layOut(true)
        let program = """
            #!/usr/bin/python3
            import array, fcntl, json, os, socket, struct, sys, time
            channel = socket.socket(fileno=3)
            lines = channel.makefile()

            def say(word, file=None, **fields):
                line = json.dumps({"say": word, **fields}).encode() + b"\\n"
                if file is None: channel.sendall(line)
                else: socket.send_fds(channel, [line], [file])

            def memory(data, seals=0xF):
                file = os.memfd_create("batch", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
                os.write(file, data)
                fcntl.fcntl(file, 1033, seals)
                return file

            def numbers(*values):
                return array.array("q", values).tobytes()

            say("hello")
            for line in lines:
                message = json.loads(line)
                if message["say"] == "begin": break

            \(code)
            """
        folder.write(Array(program.utf8), to: "Played.appex/Played")
        unsafe chmod("\(path)/Played", 0o755)
    }

    private func layOut(_ isEnabled: Bool) throws {
        folder.makeFolder("Played.appex")
        let plist = """
            <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>\(Self.id)</string>
            <key>CFBundleDisplayName</key><string>Numbers</string><key>NSExtension</key><dict>
            <key>NSExtensionPointIdentifier</key><string>com.apple.callkit.call-directory</string></dict></dict></plist>
            """
        folder.write(Array(plist.utf8), to: "Played.appex/Info.plist")
        try change { records in
            guard let id = GroupName(Self.id) else { return }
            var record = DirectoryRecord(id, app: "?")
            record.isEnabled = isEnabled
            records.all.append(record)
        }
    }

    /// Has it do something else from now on.
    func write(_ text: String) { folder.write(Array(text.utf8), to: "Played.appex/do.txt") }

    /// Changes what the person has chosen.
    func change(_ body: (inout DirectoryRecords) -> Void) throws {
        try DirectoryRecords.change(in: directory(), body)
    }

    /// The folder of the call directory.
    func directory() throws -> DirectoryFolder {
        try #require(try DirectoryFolder.open(inStateDirectory: state, makes: true))
    }

    var owner: TableOwner { GroupName(Self.id).map { .extension($0) } ?? .list }

    /// What the last load has left: each number, `!` if it is blocked, and its label. Nil without a table.
    func rows(of owner: TableOwner? = nil) throws -> [String]? {
        guard let file = try NumberTableFile(of: owner ?? self.owner, in: directory()) else { return nil }
        var rows: [String] = []
        try file.forEach { entry in
            rows.append("\(entry.number)\(entry.isBlocked ? "!" : "")\(entry.label.map { " \($0)" } ?? "")")
            return true
        }
        return rows
    }

    /// How many rows it has, and that no file of a load is left beside the table.
    func leftovers() throws -> [String] {
        try Directory.names(at: "\(state)/directory", max: 100).filter { $0.hasSuffix(".new") }
    }

    /// Starts `belfry-directory` with `word`.
    func start(_ word: String = id, _ settings: [String: String?] = [:]) throws -> ProgramRun {
        let own: [String: String?] = [
            "BELFRY_STATE_DIRECTORY": state, "BELFRY_RUNTIME_DIRECTORY": "\(folder.path)/run",
            "BELFRY_CONFIG_FILES": "no", "BELFRY_DIRECTORY_EXTENSIONS": path,
        ]
        return try ProgramRun(
            testedProgram("belfry-directory"), [word], environment: own.merging(settings) { $1 })
    }

    /// What a loader has written until its end.
    func end(_ run: ProgramRun) throws -> Load {
        let objects = run.lines().compactMap { try? JSONValue.parse(Array($0.utf8)).objectValue }
        let complaints = run.complaints()
        return Load(status: try run.child.waitUntilExit(), objects: objects, complaints: complaints)
    }

    /// Loads it, or `word`.
    func load(_ word: String = id, _ settings: [String: String?] = [:]) throws -> Load {
        try end(try start(word, settings))
    }

    /// What is remembered of the last load.
    func record() throws -> DirectoryRecord? {
        let id = try #require(GroupName(Self.id))
        return DirectoryRecords(in: try directory())[id]
    }
}
