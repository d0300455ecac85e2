import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import CallLedger
import Glibc
import Support

/// A machine that is played: its clocks, its disk and memory, its processes.
///
/// It answers the real code's system calls. Everything happens on one thread, one process after the other, in virtual
/// time; each call that has an effect is a point at which the process that makes it can be killed or frozen.
final class Machine: PlayedMachine {
    let time = PlayedTime()
    let user = geteuid()
    /// The wall clock at the beginning of the simulation, in microseconds.
    static let wallAtStart: Int64 = 1_700_000_000_000_000
    /// How wrong the wall clock is set.
    var wallOffset: Int64 = 0
    /// What CLOCK_BOOTTIME is ahead of the simulation's time: the machine runs for fourteen hours already, or for one.
    private var bootOffset: Int64
    private(set) var boots = 1
    private(set) var bootID = "11111111-2222-4333-8444-000000000001"

    private(set) var root: PlayedNode
    /// What is on the disk.
    let state: PlayedNode
    var files: [Int32: OpenFile] = [:]
    var numbersCount: Int32 = 2
    var inodesCount: UInt64 = 2
    /// What is wrong with it.
    var shortages: [Shortage] = []
    /// Called with a file that somebody sets aside as unusable, and with the name, in a directory, that a group file is
    /// about to get.
    var onSetAside: (PlayedNode) -> Void = { _ in }
    var onRename: (String, PlayedNode) -> Void = { _, _ in }
    /// Called with each packet that a process reads, or is about to send.
    var onPacket: (PlayedProcess, [UInt8]) -> Void = { _, _ in }

    private(set) var processes: [PlayedProcess] = []
    /// The process that calls; nil for what happens by itself.
    var current: PlayedProcess?
    /// How many of a hundred notices of a changed directory are lost.
    var noticesLost = 0
    var random: SeededRandom

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        bootOffset = (random.oneIn(2) ? 14 : 1) * 3_600_000_000
        root = PlayedNode(.directory, inode: 1, modified: Machine.wallAtStart, isInMemory: true)
        state = PlayedNode(.directory, inode: 2, modified: Machine.wallAtStart, isInMemory: false)
        root.names["state"] = state
        root.names["run"] = make(.directory, in: root)
    }

    /// CLOCK_BOOTTIME.
    var bootTime: Instant { Instant(microseconds: time.now + bootOffset) }

    /// The wall clock as it is set.
    var wall: WallTime { WallTime(microseconds: Machine.wallAtStart + time.now + wallOffset) }

    /// The wall clock as files have it, in ticks of 4 ms.
    var kernelTime: Int64 { wall.microseconds / 4_000 * 4_000 }
    func clock(_ clock: clockid_t) -> Int64 { clock == CLOCK_REALTIME ? wall.microseconds : bootTime.microseconds }

    /// The simulation's time at `instant` of this boot.
    func simulated(_ instant: Instant) -> Int64 { instant.microseconds - bootOffset }

    /// A new process, which does nothing yet.
    func spawn() -> PlayedProcess {
        let start = UInt64(bootTime.microseconds / 10_000)
        // Like a kernel, it gives a dead one's number again, if that did not start in the same tick.
        let reused = processes.last { !$0.isAlive && $0.identity.startTicks < start && random.oneIn(3) }?.pid
        let isFree = processes.allSatisfy { $0.pid != reused || !$0.isAlive && $0.identity.startTicks < start }
        let pid = reused.flatMap { isFree ? $0 : nil } ?? Int32(100 + processes.count)
        let process = PlayedProcess(
            machine: self, owner: Owner(bootID: bootID, pid: Int64(pid), start: Int64(start)), seed: random.next())
        processes.append(process)
        return process
    }

    var process: ProcessIdentity {
        guard let current else { preconditionFailure("nobody calls") }
        return current.identity
    }

    /// A point at which the process that calls can be killed or frozen. False if it is dead.
    func step(_ call: StaticString = #function) -> Bool { current?.step(call) ?? true }

    func kernelFile(_ path: String) -> [UInt8]? {
        let parts = path.split(separator: "/")
        if parts.count == 3, parts[2] == "stat" {
            let pid = parts[1] == "self" ? current?.pid : Int32(parts[1])
            guard let process = processes.last(where: { $0.pid == pid }), process.isAlive else { return nil }
            let state = process.isStopped ? "T" : process === current || process.isAtWork ? "R" : "S"
            return Array(
                "\(process.pid) (worker) \(state) 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 \(process.owner.start) 0\n".utf8)
        }
        guard path == "/proc/locks" else { return nil }
        let locks = files.values.filter { $0.node.lock === $0 }.map {
            "1: FLOCK  ADVISORY  WRITE \($0.process?.pid ?? 1) 00:01:\($0.node.inode) 0 EOF\n"
        }
        return Array(locks.joined().utf8)
    }

    /// The ear of `process`, if others find it.
    func ear(of process: PlayedProcess) -> PlayedSocket? {
        let name = "\(process.owner.pid)-\(process.owner.start).ear"
        let folders = node(at: "/run/rings")?.names.values ?? [:].values
        return folders.lazy.compactMap { $0.names[name]?.listener }.first
    }

    /// Closes what `process`, which has ended, has open, and tells those who wait for its end.
    func ended(_ process: PlayedProcess) {
        for (number, file) in files where file.process === process { close(number) }
        for watch in process.deathWatches { watch.isReady() }
    }

    func lacks(_ shortage: Shortage) -> Bool { shortages.contains(shortage) }

    /// Tells those who watch `directory`; now and then a notice is lost.
    func notify(_ directory: PlayedNode) {
        for watch in directory.watches where Int.random(in: 0..<100, using: &random) >= noticesLost { watch.isReady() }
    }

    /// All processes are gone, and what was in memory with them; `isSudden` loses also what was not flushed.
    func reboot(isSudden: Bool, offFor microseconds: Int64) {
        for process in processes where process.isAlive { process.end() }
        files = [:]
        root.names["run"] = make(.directory, in: root)
        if isSudden { state.loseWhatIsNotFlushed() }
        time.skip(microseconds)
        boots += 1
        bootID = "11111111-2222-4333-8444-00000000000\(boots)"
        bootOffset = 5_000_000 - time.now
    }

    /// Nothing more happens: ends the processes that are left, and their threads.
    func retire() {
        for process in processes { process.retire() }
        time.forget()
    }
}
