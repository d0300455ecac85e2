import BelfrySyscalls
import CBelfryLinux
import Glibc
import Support

/// What Tests/run and Tests/in-user-manager hand to these tests; without them there is nothing to test.
enum Surroundings {
    /// Where the programs are installed.
    static let programs = required("BELFRY_TEST_BIN")
    /// The user's runtime directory.
    static let runtimeDirectory = required("XDG_RUNTIME_DIR")
    /// The user's private home.
    static let home = required("HOME")
    /// What the sound server's only sink has played so far: 16 bits, one channel, 48,000 samples a second.
    static let recording = required("BELFRY_TEST_RECORDING")
    /// The sound server, to be stopped and continued.
    static let soundServer = Int32(required("BELFRY_TEST_PULSEAUDIO")) ?? 0
    /// The journal, to be stopped and continued.
    static let journal = Int32(required("BELFRY_TEST_JOURNALD")) ?? 0

    /// A folder on a file system of 256 KiB, to be filled.
    static let smallDisk = required("BELFRY_TEST_SMALL_DISK")

    /// How many calls those meet over who want to end them at once; nil if nobody says that.
    static var meetings: Int? { value("BELFRY_MEETINGS").flatMap { Int($0) } }

    static func value(_ name: String) -> String? { testVariable(name) }

    /// All cases, or the one that the environment's `name` names, if that is set and not empty.
    static func cases<Case: CaseIterable & RawRepresentable<String>>(chosenBy name: String) -> [Case] {
        guard let chosen = value(name), !chosen.isEmpty else { return Array(Case.allCases) }
        guard let only = Case(rawValue: chosen) else { preconditionFailure("\(name)=\(chosen) is no case here") }
        return [only]
    }

    private static func required(_ name: String) -> String {
        guard let value = value(name) else {
            preconditionFailure("\(name) is not set: run these tests by make test")
        }
        return value
    }
}

/// What a program printed, and how it ended.
struct Finished {
    let status: ChildExit
    let output: String
    let errors: String
}

/// Runs a program to its end.
func run(
    _ path: String, _ arguments: [String], environment: [String: String] = [:], input: String = ""
) throws -> Finished {
    let folder = TemporaryFolder()
    let command = ChildCommand(
        path: "/bin/sh",
        arguments: [
            "-c", "folder=$1; shift; exec \"$@\" <$folder/in >$folder/out 2>$folder/err", "run", folder.path, path,
        ] + arguments,
        environment: inherited().merging(environment) { $1 })
    folder.write(Array(input.utf8), to: "in")
    let status = try ChildProcess(command).waitUntilExit()
    return Finished(
        status: status, output: contents(of: "\(folder.path)/out"), errors: contents(of: "\(folder.path)/err"))
}

/// The environment of these tests without Belfry's own variables.
func inherited() -> [String: String] {
    var environment: [String: String] = [:]
    for name in ["PATH", "HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "LANG", "TMPDIR"] {
        environment[name] = Surroundings.value(name)
    }
    return environment
}

/// What is in the file; empty where there is none.
func contents(of path: String) -> String { String(decoding: bytes(of: path), as: UTF8.self) }

/// The bytes of the file, from `offset` on.
func bytes(of path: String, from offset: Int = 0) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    lseek(descriptor, off_t(offset), SEEK_SET)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = unsafe read(descriptor, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
    return bytes
}

/// How long the file is.
func size(of path: String) -> Int {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
}

/// The names in the folder; none where there is none.
func names(in folder: String) -> [String] {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names
}

/// Looks again and again, with `milliseconds` in between, whether something has come true that nothing announces; false
/// after `seconds`.
func waitUntil(seconds: Int64 = 10, every milliseconds: Int32 = 5, _ isTrue: () throws -> Bool) rethrows -> Bool {
    let end = bootTimeMicroseconds() + seconds * 1_000_000
    while bootTimeMicroseconds() < end {
        if try isTrue() { return true }
        _ = poll(nil, 0, milliseconds)
    }
    return try isTrue()
}
