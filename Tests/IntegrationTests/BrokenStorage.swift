import BelfryAppGroup
import BelfrySyscalls
import Glibc
import Support
import Testing

/// What can be wrong with a group file.
enum StorageFault: String, CaseIterable, CustomTestStringConvertible {
    case heldLock, fullDisk, readOnlyFolders, corruptFile

    var testDescription: String { rawValue }

    /// What `belfry` ends with if it silences a ring: it says so if the file will not tell the app.
    var status: ChildExit {
        switch self {
        case .heldLock, .corruptFile: .exited(code: 0)
        case .fullDisk, .readOnlyFolders: .exited(code: 69)
        }
    }
}

/// A phone whose group file has a fault.
final class BrokenStorage {
    let phone: Phone
    private let fault: StorageFault
    private let folder: TemporaryFolder
    private var holder: ChildProcess?

    /// The fault is there once a call has made the file.
    init(_ fault: StorageFault, configuration: String? = nil) throws {
        self.fault = fault
        folder = fault == .fullDisk ? TemporaryFolder(in: Surroundings.smallDisk) : TemporaryFolder()
        phone = try Phone(["BELFRY_STATE_DIRECTORY": "\(folder.path)/state"], configuration: configuration)
        _ = try phone.call("first", #""duration": 1"#).story()
        // What its worker still had to write would not find the disk full.
        #expect(try waitUntil { try phone.livingWorkers() == 0 })
        switch fault {
        case .heldLock: holder = try holdLock()
        case .fullDisk: fillDisk(at: "\(folder.path)/filler")
        case .readOnlyFolders: try changeMode("a-w")
        case .corruptFile: break
        }
    }

    deinit { try? mend() }

    /// A corrupt file is mended by whoever finds it, so this corrupts it again. The others stay.
    func spoil() throws {
        guard fault == .corruptFile else { return }
        // Of long ago, for one that was changed just now may be half-written.
        let words = "printf '<plist><dict><key>' >\"$1\" && touch --date=yesterday \"$1\""
        try #require(try run("/bin/sh", ["-c", words, "spoil", phone.file().path]).status.isSuccess)
    }

    /// Lets the file be written again.
    func mend() throws {
        try holder?.signal(SIGKILL)
        switch fault {
        case .heldLock, .corruptFile: break
        case .fullDisk: unsafe unlink("\(folder.path)/filler")
        case .readOnlyFolders: try changeMode("u+w")
        }
    }

    private func holdLock() throws -> ChildProcess {
        let ready = "\(folder.path)/ready"
        let arguments = ["--no-fork", phone.file().path + ".lock", "/bin/sh", "-c", "echo >'\(ready)'; exec sleep 600"]
        let holder = try ChildProcess(ChildCommand(path: "/usr/bin/flock", arguments: arguments))
        #expect(waitUntil { size(of: ready) > 0 })
        try holder.signal(SIGSTOP)
        return holder
    }

    private func changeMode(_ mode: String) throws {
        let changed = try run("/bin/chmod", ["--recursive", mode, phone.state.path])
        try #require(changed.status.isSuccess, "\(changed.errors)")
    }
}

/// Fills the disk of the file at `path`, which is made, to the last page.
func fillDisk(at path: String) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let page = [UInt8](repeating: 0, count: 4_096)
    while unsafe write(descriptor, page, page.count) > 0 {}
    #expect(errno == ENOSPC)
    close(descriptor)
}
