import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing

/// Directories by F_NOTIFY, in test threads that others share a process with: the signal reaches the loop's own thread
/// only.
@Suite struct DirectorySourceTests {
    @Test func tellsMadeWrittenRenamedAndRemovedFilesAndWhatIsRenamedIn() throws {
        let loop = try Loop()
        let (outside, inside) = (TemporaryFolder(), TemporaryFolder())
        let directory = OwnedDescriptor(owning: unsafe open(inside.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        var count = 0
        let source = try loop.watchDirectory(directory.number, description: "test") { count += 1 }
        directory.close()
        let actions: [(String, () -> Int32)] = [
            ("made", { close(unsafe open("\(inside.path)/a", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)) }),
            ("renamed", { unsafe rename("\(inside.path)/a", "\(inside.path)/b") }),
            ("removed", { unsafe unlink("\(inside.path)/b") }),
            (
                "renamed in",
                {
                    close(unsafe open("\(outside.path)/c", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
                    return unsafe rename("\(outside.path)/c", "\(inside.path)/c")
                }
            ),
            ("written", { unsafe truncate("\(inside.path)/c", 10) }),
        ]
        for (name, action) in actions {
            count = 0
            #expect(action() == 0, "\(name)")
            loop.runUntilIdle()
            #expect(count >= 1, "\(name)")
        }
        source.cancel()
        source.cancel()
        count = 0
        unsafe unlink("\(inside.path)/c")
        loop.runUntilIdle()
        #expect(count == 0)
    }

    @Test func aThousandChangesWhileTheLoopIsBusyAreToldAtMostTwice() throws {
        let loop = try Loop()
        let place = TemporaryFolder()
        let directory = OwnedDescriptor(owning: unsafe open(place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        var count = 0
        let source = try loop.watchDirectory(directory.number, description: "test") { count += 1 }
        for _ in 0..<1_000 {
            close(unsafe open("\(place.path)/a", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            unsafe unlink("\(place.path)/a")
        }
        loop.runUntilIdle()
        #expect((1...2).contains(count))
        source.cancel()
    }

    @Test func severalDirectoriesShareTheSignal() throws {
        let loop = try Loop()
        let places = [TemporaryFolder(), TemporaryFolder()]
        var told: [Bool] = [false, false]
        var sources: [DirectorySource] = []
        for (index, place) in places.enumerated() {
            let directory = OwnedDescriptor(owning: unsafe open(place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
            sources.append(try loop.watchDirectory(directory.number, description: "\(index)") { told[index] = true })
        }
        close(unsafe open("\(places[1].path)/a", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        loop.runUntilIdle()
        #expect(told[1])
        sources[0].cancel()
        told = [false, false]
        close(unsafe open("\(places[1].path)/b", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        loop.runUntilIdle()
        #expect(told == [false, true])
        sources[1].cancel()
    }

    @Test func onlyTheDirectoryThatChangedCostsACallBack() throws {
        let loop = try Loop()
        let watched = try Watched(count: 100, on: loop)
        // All are told for safety when the second comes.
        loop.runUntilIdle()
        watched.told = []
        for index in [0, 57, 99, 57] {
            try watched.change(index)
            loop.runUntilIdle()
            #expect(watched.told == [index], "the first one too, which was watched before there was a second")
            watched.told = []
        }
        for index in [3, 5, 3, 5] { try watched.change(index) }
        loop.runUntilIdle()
        #expect(Set(watched.told) == [3, 5] && watched.told.count <= 4)
        watched.cancel()
    }

    @Test func aChangeThatIsMadeByACallBackIsToldAgain() throws {
        let loop = try Loop()
        let watched = try Watched(count: 2, on: loop)
        loop.runUntilIdle()
        watched.told = []
        var left = 3
        watched.onTold = { index in
            left -= 1
            if left > 0 { try? watched.change(index) }
        }
        try watched.change(1)
        loop.runUntilIdle()
        #expect(left == 0 && watched.told == [1, 1, 1])
        watched.cancel()
    }

    @Test func severalThatWatchTheSameDirectoryAreAllTold() throws {
        let loop = try Loop()
        let watched = try Watched(count: 2, on: loop)
        loop.runUntilIdle()
        watched.told = []
        let again = try watched.watch(1, as: 7, on: loop)
        try watched.change(1)
        loop.runUntilIdle()
        #expect(watched.told.sorted() == [1, 7])
        again.cancel()
        watched.told = []
        try watched.change(1)
        loop.runUntilIdle()
        #expect(watched.told == [1])
        watched.cancel()
    }

    @Test func aSourceThatIsCancelledWhileItsSignalWaitsSaysNothing() throws {
        let loop = try Loop()
        let watched = try Watched(count: 3, on: loop)
        loop.runUntilIdle()
        try watched.change(1)
        watched.sources[1].cancel()
        // The number of its descriptor is free, and the next to be watched takes it: that may be told for nothing.
        watched.told = []
        let other = TemporaryFolder()
        let source = try watched.watch(other.path, as: 9, on: loop)
        loop.runUntilIdle()
        #expect(watched.told.allSatisfy { $0 == 9 })
        watched.told = []
        for name in ["a", "b"] {
            close(unsafe open("\(other.path)/\(name)", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            loop.runUntilIdle()
        }
        #expect(watched.told == [9, 9], "it is told of each change of its own, and once")
        source.cancel()
        watched.cancel()
    }

    /// In a process of its own: signals that wait count for the whole user.
    @Test func whenNoMoreSignalsCanBeQueuedAllAreToldAndNoneIsLostAfterwards() async {
        await #expect(processExitsWith: .success) {
            let loop = try Loop()
            let watched = try Watched(count: 20, on: loop)
            // RLIMIT_SIGPENDING, which is a macro of an enumeration's member.
            let resource = __rlimit_resource_t(11)
            var limit = rlimit()
            _ = unsafe getrlimit(resource, &limit)
            let before = limit
            limit.rlim_cur = 0
            _ = unsafe setrlimit(resource, &limit)
            for index in 0..<20 { try watched.change(index) }
            limit = before
            _ = unsafe setrlimit(resource, &limit)
            loop.runUntilIdle()
            precondition(Set(watched.told) == Set(0..<20), "\(watched.told)")
            watched.told = []
            for index in 0..<20 {
                try watched.change(index)
                loop.runUntilIdle()
                precondition(watched.told == [index], "\(watched.told) for \(index)")
                watched.told = []
            }
        }
    }

    /// As a loop does that a worker keeps for later: what happens until it is prepared waits for it.
    @Test func changesBeforeTheLoopIsPreparedAreToldAfterwards() async {
        await #expect(processExitsWith: .success) {
            let loop = try Loop(preparesLater: true)
            let watched = try Watched(count: 3, on: loop)
            try watched.change(2)
            try loop.prepare()
            precondition(watched.told.isEmpty)
            loop.runUntilIdle()
            precondition(watched.told.contains(2))
            watched.told = []
            try watched.change(1)
            loop.runUntilIdle()
            precondition(watched.told == [1], "\(watched.told)")
        }
    }
}

/// Directories that a loop watches, and which of them have been told of.
private final class Watched {
    var told: [Int] = []
    var onTold: (Int) -> Void = { _ in }
    private(set) var sources: [DirectorySource] = []
    private var places: [TemporaryFolder] = []
    private var changeCount = 0

    init(count: Int, on loop: Loop) throws {
        for index in 0..<count {
            places.append(TemporaryFolder())
            sources.append(try watch(index, as: index, on: loop))
        }
    }

    func watch(_ index: Int, as number: Int, on loop: Loop) throws -> DirectorySource {
        try watch(places[index].path, as: number, on: loop)
    }

    func watch(_ path: String, as number: Int, on loop: Loop) throws -> DirectorySource {
        let directory = OwnedDescriptor(owning: unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        return try loop.watchDirectory(directory.number, description: "\(number)") { [unowned self] in
            told.append(number)
            onTold(number)
        }
    }

    /// Makes a file in the directory.
    func change(_ index: Int) throws {
        changeCount += 1
        let path = "\(places[index].path)/\(changeCount)"
        let file = try checked("open", on: path) { unsafe open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600) }
        close(file)
    }

    func cancel() {
        for source in sources { source.cancel() }
    }
}
