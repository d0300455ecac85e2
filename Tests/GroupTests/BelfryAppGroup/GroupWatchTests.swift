import BelfryAppGroup
import BelfryEventLoop
import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing

/// News of the group file.
@Suite struct GroupWatchTests {
    let place: Place
    let loop: Loop

    init() throws {
        place = try Place()
        loop = try Loop()
    }

    @Test func aBelfryWriterInAnotherProcessWakesTheLoop() throws {
        let file = place.file()
        var seen: [PropertyListValue?] = []
        let (watch, failure) = file.watch(on: loop) { snapshot in
            seen.append(snapshot.root["n"])
            loop.stop()
        }
        #expect(failure == nil)
        loop.runUntilIdle()
        #expect(seen.isEmpty)
        let writer = try GroupProcess("increment", place)
        loop.run()
        #expect(seen == [.integer(1)])
        try writer.child.waitUntilExit()
        loop.runUntilIdle()
        #expect(seen == [.integer(1)])
        watch.cancel()
        #expect(change(place.file(), on: loop) { $0.root["n"] = .integer(2) }.outcome == .written)
        loop.runUntilIdle()
        #expect(seen.count == 1)
    }

    @Test func strangersWakeItByRenameByWritingInPlaceAndByRemoving() throws {
        try place.makeDirectories()
        var statuses: [GroupSnapshot.Status] = []
        var roots: [[String]] = []
        let (watch, _) = place.file().watch(on: loop) { snapshot in
            statuses.append(snapshot.status)
            roots.append(snapshot.root.keys)
        }
        try place.write(Place.example)
        loop.runUntilIdle()
        #expect(roots.last == ["theirs"])
        let other = "\(place.preferencesPath)/theirs.tmp"
        try checked("rename") { unsafe rename(place.filePath, other) }
        loop.runUntilIdle()
        #expect(statuses.last == .missing)
        try checked("rename") { unsafe rename(other, place.filePath) }
        loop.runUntilIdle()
        #expect(statuses.last == .read)
        try checked("truncate") { unsafe truncate(place.filePath, 10) }
        loop.runUntilIdle()
        guard case .unreadable? = statuses.last else { throw Unexpected(what: "\(statuses)") }
        try checked("unlink") { unsafe unlink(place.filePath) }
        loop.runUntilIdle()
        #expect(statuses.last == .missing)
        watch.cancel()
    }

    @Test func aTickSeesWhatNoNoticeTold() throws {
        try place.write(Place.example)
        // Old enough to be told from later versions by its status alone.
        try place.age(bySeconds: 60)
        var seen: [PropertyListValue?] = []
        let (watch, _) = place.file().watch(on: loop) { seen.append($0.root["n"]) }
        loop.runUntilIdle()
        watch.look()
        #expect(seen.isEmpty)
        #expect(change(place.file(), on: loop) { $0.root["n"] = .integer(1) }.outcome == .written)
        watch.look()
        #expect(seen == [.integer(1)])
        watch.look()
        #expect(seen == [.integer(1)])
        watch.cancel()
    }

    @Test func aWatchThatIsCancelledTellsNothingMoreNotEvenAtALook() throws {
        var seen = 0
        let (watch, _) = place.file().watch(on: loop) { _ in seen += 1 }
        #expect(change(place.file(), on: loop) { $0.root["n"] = .integer(1) }.outcome == .written)
        watch.cancel()
        watch.look()
        loop.runUntilIdle()
        #expect(seen == 0)
    }

    @Test func whatItsFileHasReadForSomebodyElseIsNewsForTheNextLookAllTheSame() throws {
        try place.write(Place.example)
        let file = place.file()
        var seen = 0
        let (watch, _) = file.watch(on: loop) { _ in seen += 1 }
        loop.runUntilIdle()
        #expect(change(place.file(), on: loop) { $0.root["n"] = .integer(1) }.outcome == .written)
        // Old enough to be told from later versions by its status alone.
        try place.age(bySeconds: 60)
        #expect(file.snapshot().root["n"] == .integer(1))
        watch.look()
        #expect(seen == 1)
        watch.cancel()
    }

    @Test func changesThatFollowCloselyAreToldOnceAndOthersFilesNever() throws {
        let writer = place.file()
        var count = 0
        let (watch, _) = place.file().watch(on: loop) { _ in count += 1 }
        for number in 0..<100 {
            #expect(change(writer, on: loop) { $0.root["n"] = .integer(Int64(number)) }.outcome == .written)
        }
        loop.runUntilIdle()
        #expect((1...2).contains(count))
        count = 0
        close(unsafe open("\(place.preferencesPath)/else", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        loop.runUntilIdle()
        #expect(count == 0)
        watch.cancel()
    }

    @Test func aDirectoryThatWasRemovedAndMadeAgainIsWatchedAgain() throws {
        let file = place.file()
        var roots: [[String]] = []
        let (watch, _) = file.watch(on: loop) { roots.append($0.root.keys) }
        #expect(change(place.file(), on: loop) { $0.root["first"] = .bool(true) }.outcome == .written)
        loop.runUntilIdle()
        #expect(roots.last == ["first"])
        try place.removeEverything()
        loop.runUntilIdle()
        #expect(roots.last == [])
        #expect(change(place.file(), on: loop) { $0.root["second"] = .bool(true) }.outcome == .written)
        // As the next tick does.
        watch.look()
        #expect(roots.last == ["second"])
        #expect(change(place.file(), on: loop) { $0.root["third"] = .bool(true) }.outcome == .written)
        loop.runUntilIdle()
        #expect(roots.last == ["second", "third"])
        watch.cancel()
    }

    @Test func aDirectoryThatCannotBeMadeIsSaidAndTheWatchStillLooks() throws {
        try checked("chmod") { unsafe chmod(place.path, 0o777) }
        var count = 0
        let (watch, failure) = place.file().watch(on: loop) { _ in count += 1 }
        #expect(failure?.errno == EPERM)
        try checked("chmod") { unsafe chmod(place.path, 0o700) }
        #expect(change(place.file(), on: loop) { $0.root["n"] = .integer(1) }.outcome == .written)
        watch.look()
        #expect(count == 1)
        #expect(change(place.file(), on: loop) { $0.root["n"] = .integer(2) }.outcome == .written)
        loop.runUntilIdle()
        #expect(count == 2)
        watch.cancel()
    }

    @Test func aDirectoryThatItsOwnTransactionMadeAnewIsWatchedFromTheNextLookOn() throws {
        let file = place.file()
        var seen = 0
        let (watch, _) = file.watch(on: loop) { _ in seen += 1 }
        loop.runUntilIdle()
        try place.removeEverything()
        loop.runUntilIdle()
        // It is missing before and after, so that nothing is new but the directory.
        #expect(change(file, on: HandLoop()) { _ in }.outcome == .unchanged)
        watch.look()
        #expect(seen == 0)
        #expect(change(place.file(), on: HandLoop()) { $0.root["n"] = .integer(1) }.outcome == .written)
        loop.runUntilIdle()
        #expect(seen == 1)
        watch.cancel()
    }

    @Test func aDirectoryThatWasMadeAnewWithTheSameFileInItIsWatchedFromTheNextLookOn() throws {
        try place.write(number: 1)
        let file = place.file()
        var seen = 0
        let (watch, _) = file.watch(on: loop) { _ in seen += 1 }
        loop.runUntilIdle()
        try place.removeEverything()
        try place.write(number: 1)
        try place.age(bySeconds: 60)
        #expect(change(file, on: HandLoop()) { _ in }.outcome == .unchanged)
        loop.runUntilIdle()
        watch.look()
        #expect(seen == 0)
        try place.write(number: 2)
        loop.runUntilIdle()
        #expect(seen == 1)
        watch.cancel()
    }
}
