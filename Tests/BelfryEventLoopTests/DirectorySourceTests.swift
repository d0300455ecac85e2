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
        let (outside, inside) = (try TemporaryDirectory(), try TemporaryDirectory())
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
        let place = try TemporaryDirectory()
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
        let places = [try TemporaryDirectory(), try TemporaryDirectory()]
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
}
