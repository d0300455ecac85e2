// What the machine hands over: sound files, what the kernel says of processes and locks, names of files that others may
// make. A trap is a finding.
@testable import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import CallLedger
import Glibc
@testable import RingEar
@testable import SystemSound

func feedSound(_ bytes: [UInt8]) {
    let path = FileInMemory.path(of: bytes)
    let sound = try? SoundFiles(folders: []).find(configured: path)
    precondition(sound == nil || bytes.count > 44, "a sound that cannot hold a sample")
}

func feedKernel(_ bytes: [UInt8]) {
    let input = Array(bytes.dropFirst())
    let text = String(decoding: input, as: UTF8.self)
    switch bytes.first ?? 0 {
    case 0:
        guard let status = ProcessStatus(line: input) else { return }
        precondition(!(status.isBusy && status.isStopped), "a process is busy and stopped")
    case 1: _ = LockTable(input).flockHolder(inode: 1_234, device: 0x801)
    default:
        if let owner = Ear.owner(named: text), owner.pid >= 0, owner.start >= 0 {
            precondition(Ear.owner(named: Ear.name(of: owner)) == owner, "an ear's name does not read back")
        }
        if let group = GroupName(text) {
            precondition(!group.text.utf8.contains(UInt8(ascii: "/")), "a group is a path")
        }
        _ = (isUUID(text), SoundName.isValid(text), NearestName.nearest(to: text, of: ["callId", "callerName"]))
    }
}

/// The bytes that a reader finds by a path, in a file in memory that is used again and again.
enum FileInMemory {
    private static let descriptor = unsafe clinux_memory_file("fuzz")

    static func path(of bytes: [UInt8]) -> String {
        ftruncate(descriptor, 0)
        let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        precondition(written == bytes.count, "no file in memory: errno \(errno)")
        return "/proc/self/fd/\(descriptor)"
    }
}
