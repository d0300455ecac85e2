import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support

/// A foreign extension for tests: a real process that speaks the channel, whose code is a few lines of Python, run by a
/// real worker as a shell would run it.
struct PlayedExtension {
    let folder = TemporaryFolder()
    var path: String { "\(folder.path)/Played.appex" }

    /// An extension that runs `code` for its notification, with `number` and `content` at hand, `say(…)` to the host
    /// and `reply(content)`. Of the entitlements for notifications it has those of `entitlements`.
    init(
        _ code: String, information: [String: String] = ["CFBundleIdentifier": "com.example.played"],
        entitlements: [String] = []
    ) {
        folder.makeFolder("Played.appex")
        let keys =
            information.map { "<key>\($0.key)</key><string>\($0.value)</string>" }.joined()
            + entitlements.map { "<key>com.apple.developer.usernotifications.\($0)</key><true/>" }.joined()
        folder.write(Array("<plist version=\"1.0\"><dict>\(keys)</dict></plist>".utf8), to: "Played.appex/Info.plist")
        let lines = code.split(separator: "\n", omittingEmptySubsequences: false).map { "        \($0)\n" }.joined()
        let program = """
            #!/usr/bin/python3
            import json, os, signal, socket, subprocess, sys, time
            channel = socket.socket(fileno=3)
            lines = channel.makefile()

            def say(word, **fields):
                channel.sendall(json.dumps({"say": word, **fields}).encode() + b"\\n")

            def reply(content):
                say("reply", number=number, content=content)

            say("hello")
            for line in lines:
                message = json.loads(line)
                if message["say"] == "hello":
                    greeting = message
                if message["say"] == "request":
                    number, content = message["number"], message["content"]

            """
        let file = folder.write(Array((program + lines).utf8), to: "Played.appex/Played")
        unsafe chmod(file, 0o755)
    }

    /// An extension whose program is `program`.
    init(program: String) {
        folder.makeFolder("Played.appex")
        let plist = "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>a</string></dict></plist>"
        folder.write(Array(plist.utf8), to: "Played.appex/Info.plist")
        unsafe symlink(program, "\(path)/Played")
    }

    /// An extension with `program` itself in its folder, which is its main bundle therefore, and with `resources`: by
    /// their names there, files of this package.
    init(copyOf program: String, resources: [String: String]) {
        folder.makeFolder("Played.appex")
        let plist = "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>a</string></dict></plist>"
        folder.write(Array(plist.utf8), to: "Played.appex/Info.plist")
        let files = resources.mapValues(sourceFile).merging(["Played": program]) { $1 }
        for (name, file) in files {
            let copied = try? readFile(at: file, bytesMax: 1 << 30)
            folder.write(copied?.bytes ?? [], to: "Played.appex/\(name)")
        }
        unsafe chmod("\(path)/Played", 0o755)
    }

    /// The events of a worker that is handed `payload`, until it has ended; see ``run(_:budget:environment:through:)``.
    func events(
        of payload: String = #"{"aps":{"alert":{"title":"t","body":"b"},"mutable-content":1},"a":1}"#,
        budget: String = "30s", environment: [String: String?] = [:], through: String = ""
    ) throws -> [Event] {
        let run = try run(payload, budget: budget, environment: environment, through: through)
        return try run.lines().map { try Event(line: Array($0.utf8)) }
    }

    /// A worker that is handed `payload`, run by the command `through` if there is one.
    func run(
        _ payload: String = #"{"aps":{"alert":{"title":"t","body":"b"},"mutable-content":1},"a":1}"#,
        budget: String = "30s", environment: [String: String?] = [:], through: String = ""
    ) throws -> ProgramRun {
        // Each has its own: the shell of an earlier one may have yet to open its.
        let file = folder.write(Array(payload.utf8), to: "\(randomUUID()).json")
        let own: [String: String?] = [
            "BELFRY_STATE_DIRECTORY": "\(folder.path)/state", "BELFRY_RUNTIME_DIRECTORY": "\(folder.path)/run",
            "BELFRY_CONFIG_FILES": "no", "BELFRY_SOUND": "none", "BELFRY_EXPIRY_BUDGET": budget,
        ]
        return try ProgramRun(
            "/bin/sh",
            ["-c", "exec \(through) \"$0\" --extension \"$1\" <\"$2\"", testedProgram("belfry-worker"), path, file],
            environment: own.merging(environment) { $1 })
    }
}

extension [Event] {
    /// What happened, in short: `received`, `extension started`, `delivered extension`, `warning blocked`.
    var story: [String] {
        compactMap { event in
            switch event.body {
            case .delivered(let by, _, _): "delivered \(by.rawValue)"
            case .warning(let code, _): "warning \(code.rawValue)"
            case .extensionProcess(let process):
                "extension \(process.state.rawValue)" + (process.exit.map { " \($0)" } ?? "")
            case .asked(let asked): "asked \(asked.what.rawValue) \(asked.n)"
            default: event.name
            }
        }
    }

    /// What was delivered.
    var delivered: NotificationContent? {
        for event in self {
            if case .delivered(_, let content, _) = event.body { return content }
        }
        return nil
    }
}
