import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    /// What neither a lock nor a disk may delay, by what is heard.
    @Suite("R14 R22: calls ring and fall silent without the group file") struct Storage {
        /// Peaks of two sounds that can be told from one another: of the first call's, and of the second's.
        private static let (firstPeak, secondPeak) = (0.5, 0.05)
        /// Far less than a lock is waited for, and far more than a worker needs.
        private static let atOnceSeconds = 0.3

        private static func configuration(sound: String) -> String { "[Ring]\nSound=\(sound)\n" }

        @Test(
            "R4 R7 R10 R12: two calls ring, one is answered, one is hung up, one's worker is killed",
            arguments: StorageFault.allCases)
        func twoCalls(fault: StorageFault) throws {
            let storage = try BrokenStorage(fault, configuration: Self.configuration(sound: "ring"))
            let phone = storage.phone
            let first = try ring("A", .loud, on: storage)
            #expect(waitUntil { Recording.listening(forMilliseconds: 100).map { $0.peak > Self.firstPeak } ?? false })
            phone.configure(Self.configuration(sound: quietSound(in: phone.folder)))
            let second = try ring("B", .soft, on: storage)
            #expect(try phone.rings().map { "\($0.call) \($0.mode)" } == ["A loud", "B soft"])

            try answer(first, beside: second, fault, on: storage)
            #expect(try phone.call("A").story().contains("silent answered"))
            try hangUp(second, fault, on: storage)
            phone.configure(Self.configuration(sound: "ring"))
            let third = try killThird(on: storage)
            expectAtOnce([first, second, third])

            try storage.mend()
            _ = try phone.hangUp("nobody").story()
            let ledger = phone.ledger()
            #expect(ledger.call(.init("C"))?.state == .missed)
            // With a file that is set aside, so is what it knew of calls that were over.
            if fault != .corruptFile {
                #expect(ledger.call(.init("A"))?.state == .answered)
                #expect(ledger.call(.init("B"))?.state == .hangup)
            }
        }

        /// Pushes a call that rings at once in `mode`.
        private func ring(_ id: String, _ mode: RingMode, on storage: BrokenStorage) throws -> Client {
            try storage.spoil()
            let call = try storage.phone.call(id)
            try call.wait(for: "ringing")
            #expect(call.story.last == "ringing \(mode.rawValue)")
            return call
        }

        /// That calls rang at once, of which a busy machine may hold up all but one.
        private func expectAtOnce(_ calls: [Client]) {
            let ringing = calls.compactMap { call in call.events.first { $0.name == "ringing" }?.at }
            #expect(ringing.min() ?? .infinity < Self.atOnceSeconds, "\(ringing)")
        }

        /// Answers the loud call: it falls silent, and the other becomes loud.
        private func answer(
            _ first: Client, beside second: Client, _ fault: StorageFault, on storage: BrokenStorage
        ) throws {
            try storage.spoil()
            let answer = try storage.phone.belfry("answer")
            #expect(answer.status == fault.status, "\(answer.errors)")
            #expect(answer.errors.contains("cannot be written") == (fault.status != .exited(code: 0)))
            #expect(try #require(Recording.peakFromNow()) < Self.firstPeak / 2)
            #expect(first.story().last == "ended answered")
            try second.wait(for: "ringing")
            #expect(second.story.last == "ringing loud")
            let loud = Recording()
            #expect(waitUntil { loud.peak > Self.secondPeak })
            #expect(loud.peak < Self.firstPeak / 2)
        }

        private func hangUp(_ second: Client, _ fault: StorageFault, on storage: BrokenStorage) throws {
            try storage.spoil()
            let hangup = try storage.phone.belfry("hangup", "B")
            #expect(hangup.status == fault.status, "\(hangup.output)\(hangup.errors)\(second.story())")
            #expect(Recording.peakFromNow() == 0)
            #expect(second.story().suffix(2) == ["ended hangup cancelled", "missed"])
        }

        /// A third call's worker is killed while it is heard.
        private func killThird(on storage: BrokenStorage) throws -> Client {
            let third = try ring("C", .loud, on: storage)
            let recording = Recording()
            #expect(waitUntil { recording.peak > Self.firstPeak })
            let worker = try #require(try storage.phone.rings().first { $0.call == "C" }?.worker)
            try storage.spoil()
            kill(worker, SIGKILL)
            #expect(third.story().last == "delivered extension")
            // Nobody waits for the sound server to notice; a ring that went on is never silent for so long.
            #expect(Recording.waitUntilSilent())
            #expect(try storage.phone.rings().isEmpty)
            return third
        }

        /// The installed ring at a tenth of its amplitude.
        private func quietSound(in folder: TemporaryFolder) -> String {
            let headerBytes = 44
            let ring = bytes(of: "\(Surroundings.programs)/../share/belfry/sounds/ring.wav")
            var quiet = Array(ring.prefix(headerBytes))
            for index in stride(from: headerBytes, to: ring.count - 1, by: 2) {
                let sample = Int16(bitPattern: UInt16(ring[index]) | UInt16(ring[index + 1]) << 8) / 10
                quiet += [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
            }
            return folder.write(quiet, to: "quiet.wav")
        }

        @Test("R22: however many calls are answered on a full disk, belfry says that the app does not know") func many()
            throws
        {
            let storage = try BrokenStorage(.fullDisk)
            let calls = try (1...12).map { number in
                let call = try ring("call-\(number)", .loud, on: storage)
                #expect(try storage.phone.belfry("answer").status == StorageFault.fullDisk.status, "call \(number)")
                #expect(call.story().last == "ended answered")
                return call
            }
            expectAtOnce(calls)
        }

        @Test("R5 R7: the app that comes to the front silences on a full disk, and says that nobody reads of it")
        func foreground() throws {
            let storage = try BrokenStorage(.fullDisk, configuration: Self.configuration(sound: "ring"))
            let call = try ring("A", .loud, on: storage)
            let recording = Recording()
            #expect(recording.waitUntilHeard())
            let app = try storage.phone.belfry("app", "foreground")
            #expect(app.status == .exited(code: 69), "\(app.errors)")
            #expect(Recording.peakFromNow() == 0)
            #expect(call.story().last == "ended foreground")
            #expect(try storage.phone.call("B").story().contains("silent foreground"))
        }
    }
}
