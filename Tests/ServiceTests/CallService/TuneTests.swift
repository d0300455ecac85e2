import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import CallChannel
import Glibc
import Support
import SystemSound
import Testing

/// A worker whose app has a tune.
@Suite("A ring with an app's tune") struct TuneTests {
    let folder = TemporaryFolder()

    /// What a ring of ten seconds tells, of a phone of its own.
    private func story(
        of orders: WorkerOrder..., passing files: [PassedFile] = []
    ) throws -> (told: [String], world: FakeWorld) {
        let (phone, calls) = (FakePhone(), ScriptedCalls())
        phone.connect = { calls }
        calls.files = files
        let worker = try phone.push(
            #""type": "call-request", "callId": "A", "callerName": "Ada""#, aps: "",
            envelope: #""pushType": "voip""#)
        for order in orders { calls.say(order) }
        phone.loop.advance(by: .seconds(10))
        calls.say(.end(.answer))
        return (worker.world.fullStory, worker.world)
    }

    @Test("R6: it is taken before the ring, and no tick is another than without") func ticks() throws {
        let plain = try story(of: .wait(app: "a"), .ring(nil))
        #expect(plain.world.tune == nil)
        let file = try makeTuneFile(in: folder)
        let tuned = try story(of: .wait(app: "a"), .tone("tune"), .ring(nil), passing: [file])
        #expect(tuned.world.tune?.name == "tune" && tuned.world.tune?.repeats == true)
        #expect(tuned.told == plain.told && tuned.world.pulses == plain.world.pulses)
        #expect(plain.told.filter { $0.hasPrefix("tick") }.count == 10, "\(plain.told)")
        #expect(!tuned.world.isSounding)
    }

    @Test("one that comes late is taken up while it rings") func late() throws {
        let file = try makeTuneFile(in: folder)
        let (_, world) = try story(of: .wait(app: "a"), .ring(nil), .tone("late"), passing: [file])
        #expect(world.tune?.name == "late")
    }

    @Test("R16: what cannot be played is told, and the call rings all the same", arguments: BadTune.allCases)
    func bad(_ kind: BadTune) throws {
        let files = [try kind.file(in: folder)].compactMap { $0 }
        let (told, world) = try story(of: .wait(app: "a"), .tone("tune"), .ring(nil), passing: files)
        #expect(world.tune == nil && told.contains("warning sound-unreadable"), "\(told)")
        #expect(told.contains("ringing loud") && told.suffix(1) == ["ended answered"])
    }
}

/// What is no tune.
enum BadTune: CaseIterable {
    /// No file.
    case none
    /// A sound that its app could still change.
    case open
    case pipe
    /// Sealed, and no sound.
    case text

    /// The file that is passed.
    func file(in folder: TemporaryFolder) throws -> PassedFile? {
        switch self {
        case .none: return nil
        case .open:
            let path = folder.write(sourceBytes("Sounds/ring.wav"), to: "open.wav")
            return PassedFile(OwnedDescriptor(owning: unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)))
        case .pipe: return PassedFile(try DescriptorPair.pipe().reading.duplicate())
        case .text:
            let number = unsafe clinux_memory_file("text")
            let text = Array("no sound at all".utf8)
            #expect(unsafe write(number, text, text.count) == text.count)
            #expect(clinux_seal_memory_file(number) == 0)
            return PassedFile(OwnedDescriptor(owning: number))
        }
    }
}
