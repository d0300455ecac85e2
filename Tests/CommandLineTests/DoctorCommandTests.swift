import BelfryCommandLine
import BelfryJSON
import BelfrySyscalls
import Glibc
import Support
import Testing

/// The real program beside real sound servers, and on a real disk without room. One after another: each server is
/// started, stopped and asked.
@Suite(.serialized) struct DoctorCommandTests {
    let server = PrivateSoundServer()

    /// How long all of its checks may take beside a server that hangs, on a machine where other tests run.
    static let secondsMax = 4.0

    /// What `belfry doctor` finds about `check`: the level, then the detail.
    func finding(_ check: String, _ environment: [String: String] = [:]) throws -> String {
        let output = try run(testedProgram("belfry"), ["doctor", "--json"], environment)
        return try self.finding(check, in: output)
    }

    func finding(_ check: String, in output: [UInt8]) throws -> String {
        for line in output.split(separator: UInt8(ascii: "\n")) {
            guard let object = try JSONValue.parse(Array(line)).objectValue else { continue }
            guard object["check"]?.stringValue == check else { continue }
            return "\(object["level"]?.stringValue ?? "") \(object["detail"]?.stringValue ?? "")"
        }
        return "nothing in \(String(decoding: output, as: UTF8.self))"
    }

    /// What a program prints.
    func run(_ path: String, _ arguments: [String], _ environment: [String: String]) throws -> [UInt8] {
        let folder = TemporaryFolder()
        let file = OwnedDescriptor(owning: unsafe open(folder.write([], to: "output"), O_RDWR | O_CLOEXEC))
        let process = try ChildProcess(
            ChildCommand(
                path: path, arguments: arguments, environment: server.environment.merging(environment) { $1 },
                streams: [0: .null, 1: .descriptor(file.number), 2: .null]))
        try process.waitUntilExit()
        lseek(file.number, 0, SEEK_SET)
        return ScriptedWorker.readAll(file.number)
    }

    @Test func aServerThatIsMissingOrWasKilledIsSaid() throws {
        #expect(try finding("sound server").hasPrefix("fail no PulseAudio or PipeWire answers: "))
        try server.start()
        server.kill()
        #expect(try finding("sound server").hasPrefix("fail no PulseAudio or PipeWire answers: "))
    }

    @Test func aServerThatWasStoppedIsSaidWithinASecond() throws {
        try server.start()
        try server.hang()
        let start = bootTimeMicroseconds()
        #expect(try finding("sound server") == "fail it hangs, or was stopped: it does not answer")
        #expect(Double(bootTimeMicroseconds() - start) / 1_000_000 < Self.secondsMax)
    }

    @Test(arguments: [[], ["module-always-sink"]])
    func aServerThatNobodyHearsIsSaid(modules: [String]) throws {
        try server.start(modules: modules)
        #expect(try finding("sound server") == "fail it answers, but has no device to play to")
    }

    @Test func ofManySinksTheOneThatIsUsedIsNamed() throws {
        try server.start(
            modules: (0..<12).map { "module-null-sink sink_name=s\($0)" }
                + ["module-pipe-sink sink_name=real file=\(server.runtimeDirectory)/pipe"])
        _ = try run("/usr/bin/pactl", ["set-default-sink", "real"], [:])
        #expect(try finding("sound server").hasPrefix("ok it plays to real;"))
    }

    @Test("an extension is started once, and told nothing but where it is")
    func anExtension() throws {
        let folder = TemporaryFolder()
        folder.makeFolder("A.appex")
        let path = "\(folder.path)/A.appex"
        let environment = ["BELFRY_EXTENSION": path, "BELFRY_STATE_DIRECTORY": folder.makeFolder("state")]
        #expect(try finding("extension", environment).hasPrefix("fail \(path)/Info.plist cannot be read: "))
        let plist = "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>a</string></dict></plist>"
        folder.write(Array(plist.utf8), to: "A.appex/Info.plist")
        let program = { (code: String) in
            unsafe chmod(folder.write(Array("#!/bin/sh\n\(code)\n".utf8), to: "A.appex/A"), 0o755)
        }
        _ = program(#"echo '{"say":"hello"}' >&3; cat <&3 >"$HOME/heard""#)
        let good = try finding("extension", environment)
        #expect(good.hasPrefix("ok \(path) starts in "), "\(good)")
        #expect(good.contains(" ms, and can attach files; tried w"), "\(good)")
        _ = program("echo no library >&2; exit 3")
        let library = "fail \(path) ends at once, with status 3: no library; "
        #expect(try finding("extension", environment).hasPrefix(library))
        _ = program("kill -11 $$")
        let signal = "fail \(path) ends at once, by signal 11; tried w"
        #expect(try finding("extension", environment).hasPrefix(signal))
        #expect(try finding("extension").hasPrefix("nothing in "))
    }

    @Test func aDiskThatIsFullIsSaid() throws {
        let folder = TemporaryFolder()
        let state = folder.makeFolder("state")
        #expect(try finding("state", ["BELFRY_STATE_DIRECTORY": state]).hasPrefix("ok "))
        // With the group file in place, so that nothing but room is missing.
        let script = """
            set -e
            mount -t tmpfs -o size=256k,mode=700 none "$1"
            "$2" group set probe -int 1
            head -c 1M /dev/zero >"$1/filler" 2>/dev/null || true
            "$2" doctor --json || true
            """
        let namespaces = geteuid() == 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"]
        let output = try run(
            "/usr/bin/unshare", namespaces + ["/bin/sh", "-c", script, "sh", state, testedProgram("belfry")],
            ["BELFRY_STATE_DIRECTORY": state])
        let found = try finding("state", in: output)
        #expect(found.hasPrefix("fail nothing can be written to \(state): "), "\(found)")
        #expect(found.contains("No space left on device"), "\(found)")
        #expect(String(decoding: output, as: UTF8.self).contains("make room on its disk"))
    }
}
