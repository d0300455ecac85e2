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
    private static let tick: Int64 = 4_000

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
    var disk = DiskTrouble()
    var isMemoryFull = false
    /// Called with a file that somebody sets aside as unusable.
    var onSetAside: (PlayedNode) -> Void = { _ in }
    /// Called with the name, in a directory, that a group file is about to get, or one that is set aside.
    var onRename: (String, PlayedNode) -> Void = { _, _ in }
    /// Called with who reads a file that has been as it is for a while, and how often that is.
    var onRead: (PlayedProcess, Int) -> Void = { _, _ in }
    /// Called with the directory of a group file as a process has put a new version in its place.
    var onFileWritten: (PlayedNode) -> Void = { _ in }
    var areEarsFull = false

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
        inodesCount = 2
        root.names["state"] = state
        root.names["run"] = make(.directory, in: root)
    }

    // MARK: Clocks

    /// CLOCK_BOOTTIME.
    var bootTime: Instant { Instant(microseconds: time.now + bootOffset) }

    /// The wall clock as it is set.
    var wall: WallTime { WallTime(microseconds: Machine.wallAtStart + time.now + wallOffset) }

    /// The wall clock as files have it.
    var kernelTime: Int64 {
        let now = wall.microseconds
        return now - now % Machine.tick
    }

    func clock(_ clock: clockid_t) -> Int64 {
        clock == CLOCK_REALTIME ? wall.microseconds : bootTime.microseconds
    }

    /// The simulation's time at `instant` of this boot.
    func simulated(_ instant: Instant) -> Int64 { instant.microseconds - bootOffset }

    // MARK: Processes

    /// A new process, which does nothing yet.
    func spawn() -> PlayedProcess {
        let start = UInt64(bootTime.microseconds / 10_000)
        let process = PlayedProcess(
            machine: self, owner: Owner(bootID: bootID, pid: Int64(freePID(at: start)), start: Int64(start)),
            seed: random.next())
        processes.append(process)
        return process
    }

    /// A process id that nobody living has. Like a kernel's, it may have been a dead one's, if that did not start in
    /// the same tick.
    private func freePID(at start: UInt64) -> Int32 {
        let ofThisBoot = processes.filter { $0.owner.bootID == bootID }
        if random.oneIn(3), let dead = ofThisBoot.last(where: { !$0.isAlive }),
            ofThisBoot.allSatisfy({ $0.pid != dead.pid || !$0.isAlive && $0.identity.startTicks < start })
        {
            return dead.pid
        }
        return (ofThisBoot.map(\.pid).max() ?? 99) + 1
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
        var lines = ""
        for file in files.values where file.node.lock === file {
            lines += "1: FLOCK  ADVISORY  WRITE \(file.process?.pid ?? 1) 00:01:\(file.node.inode) 0 EOF\n"
        }
        return Array(lines.utf8)
    }

    /// Closes what `process`, which has ended, has open, and tells those who wait for its end.
    func ended(_ process: PlayedProcess) {
        for (number, file) in files where file.process === process { close(number) }
        for watch in process.deathWatches { watch.isReady() }
    }

    // MARK: What happens to it

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
}

extension Machine {
    /// Nothing more happens: ends the processes that are left, and their threads.
    func retire() {
        for process in processes { process.retire() }
        time.forget()
    }
}
