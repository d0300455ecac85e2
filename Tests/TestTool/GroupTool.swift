import BelfryAppGroup
import BelfryEventLoop
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support

/// A program of the group, for tests of what many processes do to one file:
///
///     test-tool group increment STATE GROUP COUNT   adds 1 to `n` COUNT times; prints what is not `written`
///     test-tool group squeeze STATE GROUP   adds 1 where no file may grow, as on a full disk; prints the outcome
///     test-tool group hold STATE GROUP      takes the lock, prints `held`, keeps it until its standard input ends
///     test-tool group work STATE GROUP      takes the lock, prints `held`, and computes until it is killed
///     test-tool group own STATE GROUP       takes the lock, and changes the file all the same; prints the outcome
///     test-tool group watch STATE GROUP     prints `ready`, then the boot time in µs at each change, until killed
enum GroupTool {
    /// Does what `arguments` say, which begin with the word; ends with 70 if that fails.
    static func run(_ arguments: [String]) {
        guard arguments.count >= 3, let group = GroupName(arguments[2]) else { exit(64) }
        let state = StateDirectory(path: arguments[1])
        let file = GroupFile(state: state, group: group)
        do {
            switch arguments[0] {
            case "increment": try increment(file, count: arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1)
            case "squeeze":
                signal(SIGXFSZ, SIG_IGN)
                try increment(file, count: 1)
            case "hold": try hold(state, group)
            case "work": try work(state, group)
            case "own": try own(state, group, file)
            case "watch": try watch(file)
            default: exit(64)
            }
        } catch {
            say("\(error)")
            exit(70)
        }
    }

    private static func increment(_ file: GroupFile, count: Int) throws {
        let loop = try Loop()
        for _ in 0..<count {
            var transaction: GroupTransaction<Void>
            repeat {
                transaction = file.transactAndWait(on: loop) { edit in
                    guard case .integer(let number) = edit.root["n"] ?? .integer(0) else { return }
                    edit.root["n"] = .integer(number + 1)
                }
            } while transaction.gaveUp
            if transaction.outcome != .written { say("\(transaction.outcome)") }
            for warning in transaction.warnings { say("\(warning.code.rawValue): \(warning.detail)") }
        }
    }

    private static func lock(_ state: StateDirectory, _ group: GroupName) throws -> FileLock {
        let directory = try Directory.open(path: "\(state.path)/groups/\(group.text)/Library/Preferences", makes: false)
        guard let lock = try FileLock.tryTake("\(group.text).plist.lock", in: directory) else { exit(75) }
        return lock
    }

    private static func hold(_ state: StateDirectory, _ group: GroupName) throws {
        let lock = try lock(state, group)
        say("held")
        var byte: UInt8 = 0
        while unsafe read(0, &byte, 1) > 0 {}
        _ = consume lock
    }

    private static func work(_ state: StateDirectory, _ group: GroupName) throws {
        let lock = try lock(state, group)
        say("held")
        // Nobody waits until it has counted so far.
        for _ in 0..<UInt64.max { _ = getpid() }
        _ = consume lock
    }

    private static func own(_ state: StateDirectory, _ group: GroupName, _ file: GroupFile) throws {
        let lock = try lock(state, group)
        // Time by hand: on a busy machine a second may be over before this process has looked at the lock twice.
        let loop = HandLoop()
        file.transact(on: loop) {
            $0.root["n"] = .integer(1)
        } completion: {
            say("\($0.outcome)")
        }
        loop.advance(by: .seconds(1))
        _ = consume lock
    }

    private static func watch(_ file: GroupFile) throws {
        let loop = try Loop()
        let (watch, failure) = file.watch(on: loop) { _ in say("\(loop.now.microseconds)") }
        if let failure { throw failure }
        _ = file.snapshot()
        say("ready")
        loop.run()
        watch.cancel()
    }
}

extension GroupTransaction {
    /// Whether others passed the lock on among themselves for a second.
    fileprivate var gaveUp: Bool {
        if case .failed(let error) = outcome { error.errno == EWOULDBLOCK } else { false }
    }
}
