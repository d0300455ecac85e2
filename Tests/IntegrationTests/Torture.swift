import BelfryAppGroup
import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import CallLedger
import Glibc
import Support
import Testing

/// What workers suffer while calls, hangups and answers keep coming.
enum Torment: String, CaseIterable, CustomTestStringConvertible {
    case kill, freeze, fullDisk, fewDescriptors, stoppedSoundServer, stoppedJournal

    var testDescription: String { rawValue }
}

/// A phone whose workers are struck at random instants, in waves of calls.
final class Torture {
    /// Calls of one wave at most.
    static let waveMax = 40
    /// How long anything may take that comes by itself once a wave is over.
    private static let patienceSeconds: Int64 = 10
    /// A victim that is not there yet is looked for so often, and so long.
    private static let lookMicroseconds: Int64 = 200
    private static let lookMicrosecondsMax: Int64 = 60_000

    let torment: Torment
    let phone: Phone
    /// How many workers were struck so far.
    private(set) var blows = 0
    /// How many missed calls were told twice, as is allowed if the worker that told it was killed.
    private(set) var toldTwice = 0
    private let folder: TemporaryFolder
    private let workers: String
    /// Where ears and notes lie.
    private let memory = TemporaryFolder()
    private var random: SeededRandom
    private var connections = 0
    private var waves = 0
    private var timeline: [(at: Int64, act: () throws -> Void)] = []
    private var begun: Int64 = 0
    /// What takes descriptors away.
    private var limits: [ChildProcess] = []

    init(_ torment: Torment, seed: UInt64) throws {
        self.torment = torment
        random = SeededRandom(seed: seed)
        folder = torment == .fullDisk ? TemporaryFolder(in: Surroundings.smallDisk) : TemporaryFolder()
        phone = try Phone([
            "BELFRY_STATE_DIRECTORY": "\(folder.path)/state", "BELFRY_RUNTIME_DIRECTORY": memory.path,
            "BELFRY_RING_DURATION": "\(Ordeal.ringMicroseconds / 1_000)ms", "BELFRY_RING_INTERVAL": "200ms",
            "BELFRY_SOUND": "ring",
        ])
        let manager = try phone.systemctl("show", "--property=ControlGroup", "--value").output
        workers = "/sys/fs/cgroup\(manager.prefix { $0 != "\n" })/belfry.slice"
    }

    /// Lets `count` calls come and strikes at most as many workers; then everything is mended, and what is not as it
    /// must be is returned.
    func wave(of count: Int) throws -> [String] {
        waves += 1
        let groups = (0..<2).map { "group.\(phone.name).\(waves)-\($0)" }
        let ordeals = (0..<count).map { Ordeal(number: $0, in: random.pick(groups), using: &random) }
        let sufferers = ordeals.map(Sufferer.init)
        begun = bootTimeMicroseconds()
        plan(sufferers)
        worsen()
        while let next = timeline.popLast() {
            wait(until: begun + next.at)
            try next.act()
        }
        mend()
        for sufferer in sufferers { try sufferer.readToTheEnd() }
        for limit in limits { try limit.waitUntilExit() }
        limits = []
        if torment == .fullDisk || torment == .fewDescriptors {
            for group in groups { try connect { try phone.hangUp("nobody", group: group) }.story() }
        }
        var complaints: [String] = []
        for group in groups {
            complaints += try judge(sufferers.filter { $0.ordeal.group == group }, in: group)
        }
        complaints += whatIsLeft()
        for group in groups { _ = try run("/bin/rm", ["-r", "-f", "\(phone.state.path)/groups/\(group)"]) }
        return complaints
    }

    // MARK: The wave

    private func plan(_ sufferers: [Sufferer]) {
        for sufferer in sufferers {
            let ordeal = sufferer.ordeal
            at(ordeal.begins) { [self] in
                sufferer.callConnection = connections
                sufferer.call = try connect { try phone.call(ordeal.id, group: ordeal.group) }
            }
            switch ordeal.fate {
            case .timeOut: break
            case .hangUp(let reason):
                at(ordeal.fateComes) { [self] in
                    sufferer.hangupConnection = connections
                    sufferer.hangup = try connect {
                        try phone.hangUp(ordeal.id, #""reason": "\#(reason.rawValue)""#, group: ordeal.group)
                    }
                }
            case .answer, .decline:
                let command = ordeal.fate == .answer ? "answer" : "decline"
                at(ordeal.fateComes) { [self] in sufferer.command = try start(command, ordeal) }
            }
            at(ordeal.falls) { [self] in try strike(sufferer, until: ordeal.falls + Self.lookMicrosecondsMax) }
        }
    }

    private func at(_ instant: Int64, _ act: @escaping () throws -> Void) {
        let index = timeline.firstIndex { $0.at <= instant } ?? timeline.endIndex
        timeline.insert((instant, act), at: index)
    }

    private func wait(until instant: Int64) {
        while case let left = instant - bootTimeMicroseconds(), left > 0 {
            var time = timespec(tv_sec: Int(left / 1_000_000), tv_nsec: Int(left % 1_000_000) * 1_000)
            _ = unsafe pselect(0, nil, nil, nil, &time, nil)
        }
    }

    private func connect(_ push: () throws -> Client) throws -> Client {
        defer { connections += 1 }
        return try push()
    }

    private func start(_ command: String, _ ordeal: Ordeal) throws -> ChildProcess {
        let environment = [
            "BELFRY_STATE_DIRECTORY": phone.state.path, "BELFRY_RUNTIME_DIRECTORY": memory.path,
            "BELFRY_SOCKET": phone.socket,
        ]
        return try ChildProcess(
            ChildCommand(
                path: "\(Surroundings.programs)/belfry", arguments: [command, "--group", ordeal.group, ordeal.id],
                environment: inherited().merging(environment) { $1 },
                streams: [0: .null, 1: .null, 2: .null]))
    }

    // MARK: Blows

    /// Strikes the victim as soon as it is there, unless it is gone already.
    private func strike(_ sufferer: Sufferer, until end: Int64) throws {
        let ordeal = sufferer.ordeal
        let connection = ordeal.victim == .call ? sufferer.callConnection : sufferer.hangupConnection
        let now = bootTimeMicroseconds() - begun
        let found = connection.flatMap(processes(of:)) ?? []
        guard !found.isEmpty else {
            if now < end { at(now + Self.lookMicroseconds) { [self] in try strike(sufferer, until: end) } }
            return
        }
        blows += 1
        sufferer.wasStruck = true
        switch torment {
        case .kill, .fullDisk, .stoppedSoundServer, .stoppedJournal:
            for process in found { Glibc.kill(process, SIGKILL) }
        case .freeze:
            for process in found { Glibc.kill(process, SIGSTOP) }
            at(now + ordeal.lasts) { for process in found { Glibc.kill(process, SIGCONT) } }
        case .fewDescriptors:
            for process in found {
                limits.append(
                    try ChildProcess(
                        ChildCommand(
                            path: "/usr/bin/prlimit",
                            arguments: ["--pid=\(process)", "--nofile=\(ordeal.descriptorsLeft)"],
                            streams: [2: .null])))
            }
        }
    }

    /// The processes of the worker that systemd has started for a connection; none if it has not, or they have ended.
    private func processes(of connection: Int) -> [Int32] {
        let prefix = "\(phone.name)@\(connection)-"
        guard let unit = names(in: workers).first(where: { $0.hasPrefix(prefix) }) else { return [] }
        return contents(of: "\(workers)/\(unit)/cgroup.procs").split(separator: "\n").compactMap { Int32($0) }
    }

    private func worsen() {
        switch torment {
        case .kill, .freeze, .fewDescriptors: break
        case .stoppedSoundServer: Glibc.kill(Surroundings.soundServer, SIGSTOP)
        case .stoppedJournal: Glibc.kill(Surroundings.journal, SIGSTOP)
        case .fullDisk:
            fillDisk(at: "\(folder.path)/filler")
            guard let last = timeline.first?.at else { return }
            for _ in 0..<3 {
                let instant = Int64.random(in: 0...last, using: &random)
                let lasts = Int64.random(in: 0...last / 4, using: &random)
                at(instant) { [self] in unsafe unlink("\(folder.path)/filler") }
                at(instant + lasts) { [self] in fillDisk(at: "\(folder.path)/filler") }
            }
        }
    }

    private func mend() {
        Glibc.kill(Surroundings.soundServer, SIGCONT)
        Glibc.kill(Surroundings.journal, SIGCONT)
        unsafe unlink("\(folder.path)/filler")
    }

    // MARK: Afterwards

    /// What is left of the wave although its calls are over: workers, and files in memory.
    private func whatIsLeft() -> [String] {
        var left: [String] = []
        _ = waitUntil(seconds: Self.patienceSeconds) {
            left = names(in: workers).filter { $0.hasPrefix(phone.name) }
            for group in names(in: "\(memory.path)/rings") { left += names(in: "\(memory.path)/rings/\(group)") }
            return left.isEmpty
        }
        return left.isEmpty ? [] : ["left behind: \(left)"]
    }

    /// What the manager says of workers, and of the tidying unit, that trapped (R18).
    func traps() throws -> [String] {
        let units = ["\(phone.name)@*.service", "\(phone.name)-tidy.service"].map { "--user-unit=\($0)" }
        let told = try run("/usr/bin/journalctl", ["--user", "--quiet", "--output=cat"] + units).output
        return told.split(separator: "\n").map(String.init).filter { line in
            ["code=dumped", "4/ILL", "5/TRAP", "6/ABRT", "7/BUS", "8/FPE", "11/SEGV"].contains(where: line.contains)
        }
    }

    private func judge(_ sufferers: [Sufferer], in group: String) throws -> [String] {
        var complaints: [String] = []
        _ = try waitUntil(seconds: Self.patienceSeconds) {
            let ledger = phone.ledger(group)
            let told = try toldInJournal(of: group)
            let verdicts = sufferers.map {
                Verdict($0, call: ledger.call(CallKey($0.ordeal.id)), told: told[$0.ordeal.id] ?? [], torment)
            }
            complaints = verdicts.compactMap(\.complaint)
            guard complaints.isEmpty else { return false }
            toldTwice += verdicts.count { $0.told.count > 1 }
            return true
        }
        return complaints
    }

    /// Which notifications, or runs of the tidying unit, told each call as missed.
    private func toldInJournal(of group: String) throws -> [String: Set<String>] {
        let entries = try run(
            "/usr/bin/journalctl",
            [
                "--user", "--quiet", "--output=json", "--output-fields=BELFRY_CALL,BELFRY_ID", "BELFRY_EVENT=missed",
                "BELFRY_GROUP=\(group)",
            ]
        ).output
        var told: [String: Set<String>] = [:]
        for line in entries.split(separator: "\n") {
            let entry = try JSONValue.parse(Array(line.utf8)).objectValue
            guard let call = entry?["BELFRY_CALL"]?.stringValue, let id = entry?["BELFRY_ID"]?.stringValue else {
                continue
            }
            told[call, default: []].insert(id)
        }
        return told
    }
}

/// A call on its way through its ordeal.
final class Sufferer {
    let ordeal: Ordeal
    var call: Client?
    var hangup: Client?
    var command: ChildProcess?
    /// The connections' numbers, by which systemd names their workers.
    var callConnection: Int?
    var hangupConnection: Int?
    var wasStruck = false

    init(_ ordeal: Ordeal) { self.ordeal = ordeal }

    /// Reads all that its workers tell, and waits for its command.
    func readToTheEnd() throws {
        call?.story()
        hangup?.story()
        _ = try command?.waitUntilExit()
    }
}
