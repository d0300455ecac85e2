import BelfryProtocol
import BelfrySyscalls
import BelfryTesting
import CBelfryLinux
import Glibc
import Support
import Testing

/// Many at once, and what they leave: nothing.
@Suite struct CrowdTests {
    /// In a process of its own, whose descriptors, threads and children are nobody else's.
    @Test("200 calls of 40 bells ring at once and are hung up: discarded, cancelled, read twice, read late")
    func manyAtOnce() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            do {
                let before = try await Left.afterOneBell(in: folder)
                try await crowd(bells: 40)
                try before.waitUntilNoMore(in: folder)
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test("a bell may open as many descriptors as the system lets its process") func descriptorLimit() async {
        await #expect(processExitsWith: .success) {
            let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            try checked("getrlimit") { unsafe getrlimit(descriptors, &limit) }
            limit.rlim_cur = limit.rlim_max - 1
            try checked("setrlimit") { unsafe setrlimit(descriptors, &limit) }
            try await Belfry.start().stop()
            try checked("getrlimit") { unsafe getrlimit(descriptors, &limit) }
            #expect(limit.rlim_cur == limit.rlim_max)
        }
    }
}

private let patience = Duration.seconds(120)

/// Bells at once with five calls each, some of whose stories are read when all bells have ended.
private func crowd(bells: Int) async throws {
    let late = try await withThrowingTaskGroup(of: [BellPush].self) { group in
        for _ in 0..<bells {
            // So that no call rings to its end on a machine that is slow.
            let settings = BellSettings(ringDuration: patience, expiryBudget: patience)
            group.addTask { try await Belfry.running(settings: settings) { try await sessions(with: $0) } }
        }
        return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(late.count == bells)
    for call in late { #expect(try await call.waitFor(.ended).ended?.reason == .hangup) }
}

/// Five calls at once; those whose stories are to be read when the bell has ended.
private func sessions(with bell: Bell) async throws -> [BellPush] {
    try await withThrowingTaskGroup(of: BellPush?.self) { group in
        for number in 0..<5 { group.addTask { try await session(number, with: bell) } }
        return try await group.reduce(into: []) { late, call in if let call { late.append(call) } }
    }
}

/// A call and its hangup, in one of four manners; the call if its story is to be read when the bell has ended.
private func session(_ number: Int, with bell: Bell) async throws -> BellPush? {
    let id = "call-\(number)"
    let call = try await bell.call(id: id)
    try await call.waitFor(.ringing, within: patience)
    let isDiscarded = number % 4 == 0
    if number % 4 == 1 {
        let waiting = Task<Void, any Error> { try await call.waitFor(.rejected, within: patience) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
    let hangup = try await bell.hangup(id)
    if isDiscarded { return nil }
    try await hangup.waitUntilDone(within: patience)
    let story = try await call.waitUntilDone(within: patience)
    #expect(try await call.waitUntilDone(within: patience) == story && story.last?.kind == .missed)
    return number % 4 == 3 ? call : nil
}

/// What this process holds.
private struct Left {
    private let descriptors: Int
    private let threads: Int

    /// What is there once all that is made once for a process is made, with bells in `folder`.
    static func afterOneBell(in folder: TemporaryFolder) async throws -> Left {
        unsafe setenv("TMPDIR", folder.path, 1)
        unsafe unsetenv("XDG_RUNTIME_DIR")
        try await Belfry.running { bell in _ = try await session(1, with: bell) }
        return try Left()
    }

    private init() throws {
        descriptors = try Directory.open(path: "/proc/self/fd", makes: false).names(max: 10_000).count
        threads = try Directory.open(path: "/proc/self/task", makes: false).names(max: 10_000).count
    }

    /// A thread that was told to end takes a moment. Of Swift's own pool some come and go.
    func waitUntilNoMore(in folder: TemporaryFolder) throws {
        let deadline = ContinuousClock.now + patience
        var now = try Left()
        while now.descriptors > descriptors || now.threads > threads + 4, ContinuousClock.now < deadline {
            sched_yield()
            now = try Left()
        }
        #expect(now.descriptors <= descriptors && now.threads <= threads + 4)
        let child = waitpid(-1, nil, WNOHANG)
        #expect(child == -1 && errno == ECHILD, "a worker is left")
        #expect(try Directory.open(path: folder.path, makes: false).names(max: 100).isEmpty, "a file is left")
    }
}
