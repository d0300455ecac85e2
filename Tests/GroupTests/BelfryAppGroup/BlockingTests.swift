import BelfryAppGroup
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

/// Changing the file without a loop, as foreign code does.
@Suite struct BlockingTests {
    let place: Place

    init() throws {
        place = try Place()
        try place.write(Place.example)
    }

    @Test("a change is in the file once it is made, and tells what it found")
    func writes() throws {
        let transaction = place.file().transactBlocking { edit in
            edit.root["mine"] = .integer(1)
            return edit.root["theirs"]
        }
        #expect(transaction.outcome == .written && transaction.value == .real(3) && transaction.warnings.isEmpty)
        #expect(place.file().snapshot().root["mine"] == .integer(1))
        #expect(place.file().snapshot().root["theirs"] == .real(3))
    }

    @Test("a lock whose holder stands still is waited for, and then passed over with a warning")
    func waitsForTheLock() throws {
        let holder = try GroupProcess("hold", place)
        #expect(try holder.line() == "held")
        try holder.child.signal(SIGSTOP)
        let transaction = place.file().transactBlocking { $0.root["mine"] = .integer(1) }
        #expect(transaction.outcome == .written && transaction.warnings.map(\.code) == [.groupLocked])
        #expect(transaction.waited >= .milliseconds(500))
        try holder.child.signal(SIGCONT)
    }

    @Test("threads that each have the file lose nothing to one another")
    func manyThreads() throws {
        let path = place.path
        let group = try #require(GroupName("group.test"))
        let threads = (0..<4).map { _ in
            PosixThread {
                let file = GroupFile(state: StateDirectory(path: path), group: group)
                for _ in 0..<50 {
                    // A thread that gets no turn for a while loses its lock, as a stopped process does.
                    while !file.transactBlocking({ Self.countUp(&$0) }).value {}
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(place.file().snapshot().root["n"] == .integer(200))
    }

    private static func countUp(_ edit: inout GroupEdit) -> Bool {
        guard edit.isLocked else { return false }
        edit.root["n"] = .integer((edit.root["n"]?.boundedInteger(in: 0...1_000) ?? 0) + 1)
        return true
    }
}
