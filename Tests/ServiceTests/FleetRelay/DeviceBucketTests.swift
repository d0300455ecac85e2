import BelfryAppGroup
import BelfryDatabase
import BelfryDevices
import BelfryEventLoop
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Fleet
import FleetRelay
import Support
import Testing

/// A gateway's side of the bucket of devices, at a real broker, with the rights that a gateway has.
@Suite struct DeviceBucketTests {
    private let door = FleetName("door")!
    private let wall = WallTime(microseconds: 1_790_000_000_000_000)

    private func id(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "0a1b2c3d-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    private func addition(_ number: Int) throws -> DeviceQuestion {
        .add(
            try #require(
                DeviceQuestion.Addition(
                    id: id(number), bundleID: "com.example.phone", appGroup: nil, environment: .production)))
    }

    private func entry() -> DeviceEntry {
        DeviceEntry(
            bundleID: "com.example.phone", appGroup: nil, environment: .production, alertToken: .random(),
            voipToken: .random(), addedAt: wall)
    }

    private func device(_ answer: DeviceAnswer) throws -> NamedDevice {
        var found: NamedDevice?
        if case .devices(let devices, isAll: true) = answer, devices.count == 1 { found = devices[0] }
        return try #require(found, "\(answer)")
    }

    @Test("what a machine adds at one gateway another one knows, in its registry, and who asks again gets the same")
    func add() throws {
        let loop = try Loop()
        let played = try PlayedBucket(on: loop)
        try played.make()
        let (first, second) = (try BucketTrial("gate-1", played), try BucketTrial("gate-2", played))
        try first.connect()
        try second.connect()
        #expect(loop.runs { first.bucket.standing == .empty && second.bucket.standing == .empty })
        let added = try device(first.ask(addition(1), of: door))
        #expect(added.id == id(1) && added.entry.alertToken != added.entry.voipToken)
        #expect(loop.runs { second.registry.standing(of: added.entry.alertToken) != .unknown })
        #expect(second.registry.standing(of: added.entry.voipToken).machine == door)
        #expect(second.registry.device(id(1))?.machine == door)
        #expect(try device(second.ask(addition(1), of: door)).entry.alertToken == added.entry.alertToken)
        // At the other gateway, which hears of it as it looks.
        #expect(try second.ask(.offline(id(1)), of: door) == .done(except: []))
        #expect(loop.runs { first.registry.device(id(1))?.isOffline ?? false })
        #expect(try first.ask(.online(id(1)), of: door) == .done(except: []))
        #expect(try first.ask(.remove(id(1)), of: door) == .done(except: []))
        #expect(loop.runs { second.registry.device(id(1))?.removedAt != nil })
        #expect(try second.fence())
        // One that nobody has.
        guard case .refused(.unknownDevice, _) = try first.ask(.remove(id(2)), of: door) else {
            Issue.record("removed what is not there")
            return
        }
        #expect(first.refusals + second.refusals == [] && first.warnings + second.warnings == [])
    }

    @Test("a device of a shared name is known as such at each gateway, also when it was written again")
    func shared() throws {
        let loop = try Loop()
        let played = try PlayedBucket(on: loop)
        try played.make()
        let (first, second) = (try BucketTrial("gate-1", played), try BucketTrial("gate-2", played))
        for trial in [first, second] { try trial.connect() }
        #expect(loop.runs { first.bucket.standing == .empty && second.bucket.standing == .empty })
        var addition = try #require(
            DeviceQuestion.Addition(
                id: id(1), bundleID: "com.example.phone", appGroup: nil, environment: .production))
        addition.isShared = true
        let added = try device(first.ask(.add(addition), of: door))
        #expect(added.entry.isShared)
        #expect(loop.runs { second.registry.standing(of: added.entry.alertToken) != .unknown })
        #expect(try device(second.ask(.list(after: nil), of: door)).entry == added.entry)
        #expect(try second.ask(.offline(id(1)), of: door) == .done(except: []))
        #expect(loop.runs { first.registry.device(id(1))?.isOffline ?? false })
        #expect(try device(first.ask(.list(after: nil), of: door)).entry.isShared)
    }

    @Test("of two gateways that write at once both come through, one after the other")
    func conflict() throws {
        let loop = try Loop()
        let played = try PlayedBucket(on: loop)
        try played.make()
        let trials = [try BucketTrial("gate-1", played), try BucketTrial("gate-2", played)]
        for trial in trials { try trial.connect() }
        #expect(loop.runs { trials.allSatisfy { $0.bucket.standing == .empty } })
        var answers: [DeviceAnswer] = []
        for trial in trials { trial.bucket.ask(try addition(1), of: door) { answers.append($0) } }
        #expect(loop.runs { answers.count == 2 })
        let tokens = try answers.map { try device($0).entry.alertToken }
        #expect(Set(tokens).count == 1)
        #expect(loop.runs { trials.allSatisfy { $0.registry.standing(of: tokens[0]) != .unknown } })
        answers = []
        for round in 0..<20 {
            trials[0].bucket.ask(round.isMultiple(of: 2) ? .offline(id(1)) : .online(id(1)), of: door) {
                answers.append($0)
            }
            trials[1].bucket.ask(round.isMultiple(of: 2) ? .online(id(1)) : .offline(id(1)), of: door) {
                answers.append($0)
            }
        }
        #expect(loop.runs { answers.count == 40 } && answers.allSatisfy { $0 == .done(except: []) })
        #expect(try device(trials[0].ask(.list(after: nil), of: door)).id == id(1))
    }

    @Test("a machine announces what it has; a token of another's is refused, and no earlier place is believed")
    func announce() throws {
        let loop = try Loop()
        let played = try PlayedBucket(on: loop)
        try played.make()
        let trial = try BucketTrial("gate", played)
        try trial.connect()
        #expect(loop.runs { trial.bucket.standing == .empty })
        let devices = (0..<64).map { NamedDevice(id($0), entry())! }
        #expect(try trial.ask(.announce(devices), of: door) == .done(except: []))
        #expect(loop.runs { trial.registry.all().count == 64 })
        #expect(try trial.ask(.announce(devices), of: door) == .done(except: []))
        let other = FleetName("gate-keeper")!
        let stolen = entry().replacing(entry(), at: 1)
        let thief = NamedDevice(
            id(100),
            DeviceEntry(
                bundleID: "com.example.phone", appGroup: nil, environment: .production,
                alertToken: devices[3].entry.alertToken, voipToken: stolen.voipToken, addedAt: wall))!
        let exception = DeviceAnswer.Exception(id(100), .claimed)!
        #expect(try trial.ask(.announce([thief]), of: other) == .done(except: [exception]))
        // Its name is another's too.
        let named = NamedDevice(id(3), entry())!
        #expect(
            try trial.ask(.announce([named]), of: other) == .done(except: [DeviceAnswer.Exception(id(3), .claimed)!]))
        guard case .devices(let page, isAll: true) = try trial.ask(.list(after: id(9)), of: door) else {
            Issue.record("no list")
            return
        }
        #expect(page.map(\.id) == (10..<64).map(id))
    }

    @Test("without a bucket nothing is certain, and a machine is told so; when it is made all goes on")
    func noBucket() throws {
        let loop = try Loop()
        let played = try PlayedBucket(on: loop)
        let trial = try BucketTrial("gate", played)
        try trial.connect()
        #expect(loop.runs { !trial.warnings.isEmpty })
        #expect(trial.bucket.standing == .unread)
        #expect(try !trial.fence())
        guard case .refused(.unavailable, _) = try trial.ask(addition(1), of: door) else {
            Issue.record("added to nothing")
            return
        }
        try played.make()
        #expect(loop.runs { trial.bucket.standing == .empty })
        let added = try device(trial.ask(addition(1), of: door))
        #expect(loop.runs { trial.bucket.standing == .whole })
        // Nothing is certain before the registry has it.
        #expect(loop.runs { trial.registry.standing(of: added.entry.alertToken) != .unknown })
        #expect(try trial.fence())
        // It is removed with all that it had, and made anew: the registry keeps what is in use, and people are warned.
        try played.remove()
        try played.make()
        #expect(loop.runs(within: .seconds(30)) { trial.bucket.standing == .missing })
        #expect(try !trial.fence() && trial.registry.standing(of: added.entry.alertToken) != .unknown)
        #expect(trial.warnings.contains { $0.contains("lacks 1") })
        #expect(try device(trial.ask(addition(1), of: door)).entry.alertToken == added.entry.alertToken)
        #expect(loop.runs { trial.bucket.standing == .whole })
    }

    @Test("a bucket that was lost gets back what a gateway knows, and then all is certain as before") func restored()
        throws
    {
        let loop = try Loop()
        let played = try PlayedBucket(on: loop)
        try played.make()
        let (trial, other) = (try BucketTrial("gate-1", played), try BucketTrial("gate-2", played))
        #expect(try trial.restore().problem == "no broker is in reach")
        for trial in [trial, other] { try trial.connect() }
        #expect(loop.runs { trial.bucket.standing == .empty && other.bucket.standing == .empty })
        #expect(try trial.restore() == FleetRestoration(restoredCount: 0, problem: nil))
        let devices = (0..<300).map { NamedDevice(id($0), entry())! }
        for start in stride(from: 0, to: 300, by: 60) {
            #expect(try trial.ask(.announce(Array(devices[start..<start + 60])), of: door) == .done(except: []))
        }
        #expect(loop.runs { other.registry.all().count == 300 })
        #expect(loop.runs { trial.bucket.status?.devicesCount == 300 })
        try played.remove()
        try played.make()
        for trial in [trial, other] {
            trial.disconnect()
            try trial.connect()
        }
        #expect(loop.runs { trial.bucket.standing == .missing && other.bucket.standing == .missing })
        #expect(try !trial.fence())
        #expect(try trial.restore() == FleetRestoration(restoredCount: 300, problem: nil))
        #expect(loop.runs { trial.bucket.standing == .whole && other.bucket.standing == .whole })
        #expect(try other.fence() && other.registry.all().count { $0.removedAt == nil } == 300)
        #expect(try other.restore() == FleetRestoration(restoredCount: 0, problem: nil))
        // Where nobody keeps it, nobody takes it.
        try played.remove()
        try played.make()
        trial.disconnect()
        try trial.connect()
        #expect(loop.runs { trial.bucket.standing == .missing })
        try played.remove()
        #expect(try trial.restore().problem != nil)
    }

    @Test("each gateway learns of the others by what they write, and how the brokers keep the bucket") func gateways()
        throws
    {
        let loop = try Loop()
        let played = try PlayedBucket(on: loop)
        try played.make()
        let trials = [try BucketTrial("gate-1", played), try BucketTrial("gate-2", played)]
        #expect(trials[0].bucket.peers == [] && trials[0].bucket.status == nil)
        for trial in trials { try trial.connect() }
        for trial in trials {
            #expect(loop.runs { trial.bucket.peers.map(\.name.text) == ["gate-1", "gate-2"] })
            #expect(trial.bucket.peers.allSatisfy { !$0.isAbsent && $0.introduction.version == "7.0.0" })
            #expect(loop.runs { trial.bucket.status?.copies == BucketCopies(count: 1, missingCount: 0) })
        }
        // One that was there an hour ago, and one so long ago that it is no gateway any more.
        for (name, seconds) in [("gate-3", 3_600), ("gate-4", 31 * 86_400)] as [(String, Int64)] {
            let time = WallTime(microseconds: wallTimeMicroseconds()) + .seconds(-seconds)
            played.write(HereAnswer(gateway: FleetName(name)!, time: time).bytes, at: "_fence.\(name)")
        }
        played.write(Array("nonsense".utf8), at: "_fence.gate-5")
        #expect(loop.runs { trials[0].bucket.peers.count == 3 })
        #expect(trials[0].bucket.peers.map(\.isAbsent) == [false, false, true])
    }

    @Test("a line that goes takes its watch with it; the next reads what was missed, and the broker has one watch")
    func lines() throws {
        let loop = try Loop()
        let played = try PlayedBucket(on: loop)
        try played.make()
        let trial = try BucketTrial("gate", played)
        for round in 0..<3 {
            let written = entry()
            played.write(written.bytes, at: "door.\(id(round))")
            try trial.connect()
            #expect(loop.runs { trial.registry.standing(of: written.alertToken) != .unknown })
            #expect(try trial.fence())
            if round < 2 { trial.disconnect() }
        }
        #expect(loop.runs { (try? played.watches().count) == 1 })
        try played.broker.stop()
        var isCertain: Bool?
        trial.bucket.fence { isCertain = $0 }
        #expect(loop.runs { isCertain != nil } && isCertain == false)
        var answer: DeviceAnswer?
        trial.bucket.ask(try addition(9), of: door) { answer = $0 }
        #expect(loop.runs { answer != nil })
        guard case .refused(.unavailable, _)? = answer else {
            Issue.record("answered by nobody")
            return
        }
        try played.broker.goOn()
        #expect(loop.runs { trial.bucket.standing == .whole })
        #expect(try trial.fence())
    }

    @Test("what a broker does not deliver without an answer to flow control comes too, and the registry has all of it")
    func many() throws {
        let loop = try Loop()
        let played = try PlayedBucket(on: loop)
        try played.make()
        let count = 8_000
        try played.write(count) { ("door-\($0 % 8).\(id($0))", entry().bytes) }
        let trial = try BucketTrial("gate", played)
        try trial.connect()
        // Whoever asks meanwhile is told that nothing can be said, and the first who hears otherwise finds all there.
        let end = loop.now + .seconds(60)
        var refusedCount = 0
        while try !trial.fence() {
            refusedCount += 1
            _ = loop.runs(within: .milliseconds(2)) { false }
            try #require(loop.now < end)
        }
        #expect(trial.registry.all().count == count && trial.bucket.standing == .whole && refusedCount > 0)
        #expect(trial.refusals == [] && trial.warnings == [])
        // Who begins again knows them, and hears of none.
        let again = try BucketTrial(of: trial)
        try again.connect()
        #expect(loop.runs { again.bucket.standing == .whole })
        #expect(try again.fence())
    }

    @Test(
        "while the registry takes nothing, nothing is certain and people are warned; a second after it does all is there"
    )
    func unwritable() throws {
        let loop = try Loop()
        let played = try PlayedBucket(on: loop)
        try played.make()
        let trial = try BucketTrial("gate", played)
        try trial.connect()
        #expect(loop.runs { trial.bucket.standing == .empty })
        let database = try Database(
            "devices.sqlite", in: Directory.open(path: "\(trial.state.path)/devices", makes: false), sharing: .shared,
            bytesMax: 256 << 20)
        try database.execute(
            "CREATE TRIGGER full BEFORE INSERT ON devices BEGIN SELECT RAISE(ABORT, 'full'); END")
        let added = try device(trial.ask(addition(1), of: door))
        #expect(loop.runs { !trial.warnings.isEmpty })
        #expect(try trial.bucket.standing == .whole && !trial.fence())
        #expect(trial.registry.standing(of: added.entry.alertToken) == .unknown)
        try database.execute("DROP TRIGGER full")
        #expect(loop.runs { trial.registry.standing(of: added.entry.alertToken) != .unknown })
        #expect(try trial.fence())
    }

    @Test("a device that was removed long ago becomes a forgotten one in the bucket, and leaves the registry")
    func forgotten() throws {
        let loop = try Loop()
        let played = try PlayedBucket(on: loop)
        try played.make()
        var limits = MirrorStateMachine.Limits()
        limits.removedSpan = .seconds(1)
        limits.betweenLooks = .milliseconds(200)
        let trial = try BucketTrial("gate", played, limits: limits)
        try trial.connect()
        #expect(loop.runs { trial.bucket.standing == .empty })
        let added = try device(trial.ask(addition(1), of: door))
        #expect(loop.runs { trial.registry.device(id(1)) != nil })
        #expect(try trial.ask(.remove(id(1)), of: door) == .done(except: []))
        #expect(loop.runs { trial.registry.device(id(1))?.removedAt != nil })
        #expect(loop.runs { trial.registry.device(id(1)) == nil })
        #expect(trial.registry.standing(of: added.entry.alertToken) == .unknown)
        let key = "$KV.belfry-devices.door.\(id(1))"
        func stored() throws -> String {
            let found = try played.answer(
                "$JS.API.STREAM.MSG.GET.\(PlayedBucket.stream)", Array(#"{"last_by_subj":"\#(key)"}"#.utf8))
            let data = found["message"]?.objectValue?["data"]?.stringValue ?? ""
            return String(decoding: Base64.decoded(Array(data.utf8).span) ?? [], as: UTF8.self)
        }
        #expect(loop.runs { (try? stored())?.contains("forgotten") ?? false })
        #expect(trial.refusals == [] && trial.warnings == [])
    }
}
