import BelfryTerms
import Showing
import Support
import Testing

/// A machine, and what it had done, in short.
private struct Phone {
    var machine: FeelingStateMachine

    /// A phone whose first reports are due at once, unless it is at its start.
    init(vibrates: Bool = true, minds: Bool = true, isAtStart: Bool = false) {
        machine = FeelingStateMachine(vibrates: vibrates, minds: minds)
        if !isAtStart { _ = machine.ready() }
    }

    static func id(_ call: String) -> ShownCallID {
        ShownCallID(group: GroupName("group.a") ?? { preconditionFailure("no group") }(), call: call)
    }

    /// A worker connects as `link`, whose notification is about `call`.
    mutating func comes(_ link: Int64, about call: String? = nil) {
        _ = machine.came(link)
        machine.received(call.map(Self.id), from: link)
    }

    mutating func rings(_ call: String, _ mode: RingMode = .loud, why: MuteReason? = nil) -> [String] {
        machine.rings(Self.id(call), mode, why: why)
        return done()
    }

    mutating func ends(_ call: String) -> [String] {
        machine.ended(Self.id(call))
        return done()
    }

    mutating func felt(_ isPlaying: Bool, _ detail: String) -> [String] {
        machine.felt(isPlaying: isPlaying, detail)
        return done()
    }

    mutating func disturbs(_ level: DoNotDisturbLevel) -> [String] { done(machine.disturbs(level)) }

    /// What `effects` are, and then what has to be done.
    mutating func done(_ effects: [FeelingEffect] = []) -> [String] {
        (effects + machine.reconcile()).map { effect in
            switch effect {
            case .first(let link, let isMuted, let mayVibrate):
                "first \(link)\(isMuted ? " muted" : "")\(mayVibrate ? " vibrates" : "")"
            case .muted(let isMuted): "muted \(isMuted)"
            case .doNotDisturb(let isOn): "do not disturb \(isOn)"
            case .ring: "ring"
            case .stop: "stop"
            case .buzz: "buzz"
            case .stopBuzz: "stop buzz"
            case .report(let link, let state, let detail): "report \(link) \(state.rawValue): \(detail)"
            }
        }
    }
}

@Suite("What is felt of calls, and what workers hear of do-not-disturb") struct FeelingTests {
    @Test("R21 workers that come at the start wait until the state is known, those that come later do not")
    func firstReports() {
        var phone = Phone(isAtStart: true)
        for link in [3, 1, 2] as [Int64] { #expect(phone.done(phone.machine.came(link)) == []) }
        #expect(phone.done(phone.machine.left(1)) == [])
        #expect(phone.disturbs(.muted) == ["do not disturb true", "muted true"])
        #expect(
            phone.done(phone.machine.ready()) == ["first 3 muted", "first 2 muted"], "in their order, and who left not")
        #expect(phone.done(phone.machine.ready()) == [], "and once")
        #expect(phone.done(phone.machine.came(4)) == ["first 4 muted"])
    }

    @Test(
        "R21 what mutes the device mutes a ring, and its vibration unless it is to be felt; not if it is not minded",
        arguments: [
            (DoNotDisturbLevel.none, "first 1 vibrates", "first 1 vibrates"),
            (.unheard, "first 1 muted vibrates", "first 1 vibrates"), (.muted, "first 1 muted", "first 1 vibrates"),
        ])
    func levels(level: DoNotDisturbLevel, minded: String, notMinded: String) {
        for (minds, report) in [(true, minded), (false, notMinded)] {
            var phone = Phone(minds: minds)
            _ = phone.disturbs(level)
            #expect(phone.done(phone.machine.came(1)) == [report])
            var still = Phone(vibrates: false, minds: minds)
            _ = still.disturbs(level)
            #expect(still.done(still.machine.came(1)) == [report.replacing(" vibrates", with: "")])
        }
    }

    @Test("R21 each change of a mute is reported, and the bus hears of it though the operator does not mind it")
    func changes() {
        var phone = Phone()
        #expect(phone.disturbs(.none) == [])
        #expect(phone.disturbs(.unheard) == ["do not disturb true", "muted true"])
        #expect(phone.disturbs(.muted) == [], "it is muted already")
        #expect(phone.disturbs(.none) == ["do not disturb false", "muted false"])
        var other = Phone(minds: false)
        #expect(other.disturbs(.muted) == ["do not disturb true"])
        #expect(other.disturbs(.none) == ["do not disturb false"])
    }

    @Test("a loud ring is felt to its end; its worker hears what came of it, once, and again if that changes")
    func loud() {
        var phone = Phone()
        phone.comes(1, about: "A")
        #expect(phone.rings("A") == ["ring"])
        #expect(phone.rings("A") == [])
        #expect(phone.felt(true, "feedbackd") == ["report 1 playing: feedbackd"])
        #expect(phone.felt(true, "event3") == [])
        #expect(phone.felt(false, "gone") == ["report 1 unavailable: gone"])
        #expect(phone.felt(true, "event3") == ["report 1 playing: event3"])
        #expect(phone.ends("A") == ["stop"])
        #expect(phone.felt(false, "late") == [], "no call is felt any more")
    }

    @Test("what came of one ring says nothing of the next")
    func anew() {
        var phone = Phone()
        phone.comes(1, about: "A")
        _ = phone.rings("A")
        _ = phone.felt(true, "feedbackd")
        _ = phone.ends("A")
        phone.comes(2, about: "B")
        #expect(phone.rings("B") == ["ring"])
        #expect(phone.felt(false, "gone") == ["report 2 unavailable: gone"])
    }

    @Test("of one call that ends as the next becomes loud, the vibration goes on, and the next worker hears of it")
    func next() {
        var phone = Phone()
        phone.comes(1, about: "A")
        phone.comes(2, about: "B")
        _ = phone.rings("A")
        _ = phone.rings("B", .soft)
        #expect(phone.felt(true, "feedbackd") == ["report 1 playing: feedbackd"], "a soft ring is not felt")
        phone.machine.ended(Phone.id("A"))
        #expect(phone.rings("B") == ["report 2 playing: feedbackd"])
        #expect(phone.ends("B") == ["stop"])
    }

    @Test(
        "R21 a muted ring is felt only where do-not-disturb alone keeps it from being heard",
        arguments: [
            (RingMode.silent, MuteReason.doNotDisturb, DoNotDisturbLevel.unheard, true),
            (.silent, .doNotDisturb, .muted, false), (.silent, .doNotDisturb, .none, false),
            (.silent, .quietHours, .unheard, false), (.silent, nil, .unheard, false),
            (.soft, .doNotDisturb, .unheard, false), (.loud, nil, .muted, true),
        ] as [(RingMode, MuteReason?, DoNotDisturbLevel, Bool)])
    func muted(mode: RingMode, why: MuteReason?, level: DoNotDisturbLevel, isFelt: Bool) {
        var phone = Phone()
        _ = phone.disturbs(level)
        #expect(phone.rings("A", mode, why: why) == (isFelt ? ["ring"] : []))
        var still = Phone(vibrates: false)
        _ = still.disturbs(level)
        #expect(still.rings("A", mode, why: why) == [], "[Ring] Vibrate=no")
    }

    @Test("R21 a profile that changes during a ring counts at once")
    func profileChanges() {
        var phone = Phone()
        _ = phone.disturbs(.unheard)
        #expect(phone.rings("A", .silent, why: .doNotDisturb) == ["ring"])
        #expect(phone.disturbs(.muted) == ["stop"])
        #expect(phone.disturbs(.unheard) == ["ring"])
        var other = Phone(minds: false)
        _ = other.disturbs(.unheard)
        #expect(other.rings("A", .silent, why: .doNotDisturb) == [], "what is not minded mutes nothing")
    }

    @Test("a mode that this version does not know is not felt")
    func unknownMode() {
        var phone = Phone()
        phone.machine.rings(Phone.id("A"), nil, why: nil)
        #expect(phone.done() == [])
    }

    @Test("R12 a worker that leaves without a word takes its vibration along")
    func died() {
        var phone = Phone()
        phone.comes(1, about: "A")
        _ = phone.rings("A")
        #expect(phone.done(phone.machine.left(1)) == ["stop"])
        phone.comes(2)
        #expect(phone.done(phone.machine.left(2)) == [], "one that is about no call ends nothing")
    }

    @Test("an extension's vibration is once, ends with it, and is reported to it; a muted device does not vibrate")
    func buzz() {
        var phone = Phone()
        phone.comes(1)
        phone.comes(2)
        #expect(phone.done(phone.machine.buzz(from: 1)) == ["buzz"])
        #expect(phone.felt(true, "event3") == ["report 1 playing: event3"])
        #expect(phone.done(phone.machine.buzz(from: 1)) == ["buzz"])
        #expect(phone.done(phone.machine.left(2)) == [])
        #expect(phone.done(phone.machine.left(1)) == ["stop buzz"])
        for (vibrates, level, isFelt) in [
            (true, DoNotDisturbLevel.unheard, true), (true, .muted, false), (false, .none, false),
        ] {
            var phone = Phone(vibrates: vibrates)
            phone.comes(1)
            _ = phone.disturbs(level)
            #expect(phone.done(phone.machine.buzz(from: 1)) == (isFelt ? ["buzz"] : []))
            #expect(phone.felt(true, "event3").isEmpty == !isFelt)
            #expect(phone.done(phone.machine.left(1)) == (isFelt ? ["stop buzz"] : []))
        }
    }

    @Test("whatever comes in whatever order, a ring is begun once and ended once, and no worker hears the same twice")
    func anyOrder() {
        for seed in 0..<50 {
            var random = SeededRandom(seed: UInt64(seed))
            var phone = Phone()
            var (isRinging, last) = (false, 0 as Int64)
            var heard: [Int64: VibrationState] = [:]
            for _ in 0..<200 {
                let (link, call) = (Int64.random(in: 0...last, using: &random), "\(random.pick([1, 2, 3]))")
                var effects: [FeelingEffect] = []
                switch Int.random(in: 0..<7, using: &random) {
                case 0:
                    last += 1
                    heard[last] = nil
                    phone.comes(last, about: call)
                case 1: effects = phone.machine.left(link)
                case 2: phone.machine.rings(Phone.id(call), random.pick(RingMode.allCases), why: .doNotDisturb)
                case 3: phone.machine.ended(Phone.id(call))
                case 4: effects = phone.machine.buzz(from: link)
                case 5: effects = phone.machine.disturbs(random.pick([.none, .unheard, .muted]))
                default: phone.machine.felt(isPlaying: random.oneIn(2), "")
                }
                for effect in effects + phone.machine.reconcile() {
                    switch effect {
                    case .ring, .stop:
                        #expect(isRinging == (effect == .stop), "seed \(seed)")
                        isRinging.toggle()
                    case .report(let link, let state, _):
                        #expect(heard.updateValue(state, forKey: link) != state, "seed \(seed)")
                    case .first, .muted, .doNotDisturb, .buzz, .stopBuzz: break
                    }
                }
                #expect(phone.machine.reconcile() == [], "seed \(seed)")
            }
            for call in ["1", "2", "3"] { phone.machine.ended(Phone.id(call)) }
            #expect(phone.machine.reconcile().contains(.stop) == isRinging, "seed \(seed)")
        }
    }
}

extension String {
    fileprivate func replacing(_ part: String, with other: String) -> String {
        hasSuffix(part) ? dropLast(part.count) + other : self
    }
}
