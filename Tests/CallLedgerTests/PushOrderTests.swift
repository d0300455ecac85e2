import BelfryTerms
@testable import CallLedger
import Testing

/// Two calls of one id, their requests and hangups in every order, each up to twice: R8 and R11.
@Suite struct PushOrderTests {
    static let pushesMax = 6

    @Test(
        "R8 order, duplication and delay never matter: no call rings after its hangup, and each is missed once",
        arguments: [true, false], World.Workers.allCases)
    func everyOrder(saysWhenSent: Bool, workers: World.Workers) {
        var worlds = 0
        var firstMistake: String?
        func walk(_ world: World) {
            guard firstMistake == nil else { return }
            worlds += 1
            firstMistake = world.mistake ?? world.copy().mistakeOnceAllIsTold()
            guard world.pushes.count < Self.pushesMax else { return }
            for push in World.Push.allCases where world.pushes.filter({ $0 == push }).count < 2 {
                let next = world.copy()
                next.feed(push)
                walk(next)
            }
        }
        walk(World(saysWhenSent: saysWhenSent, workers: workers))
        #expect(firstMistake == nil)
        #expect(worlds == 2325)
    }
}

/// What came so far, what the file made of it, and what it should have made of it.
final class World {
    enum Push: CaseIterable {
        case request, hangup, laterRequest, laterHangup

        var isRequest: Bool { self == .request || self == .laterRequest }
        /// Which of the two calls it is about.
        var call: Int { self == .request || self == .hangup ? 0 : 1 }
        var sentAt: Int64 {
            switch self {
            case .request: 10
            case .hangup: 20
            case .laterRequest: 30
            case .laterHangup: 40
            }
        }
    }

    enum Workers: CaseIterable, Sendable {
        /// See at once that their ring was ended.
        case prompt
        /// See it after all pushes have come.
        case stopped
        /// Are killed as soon as they ring; a program tells of dead rings after all pushes.
        case killed
    }

    private(set) var pushes: [Push] = []
    private(set) var mistake: String?
    private let saysWhenSent: Bool
    private let workers: Workers
    private var file = GroupFile()
    private var ringing: [(pid: Int64, call: Int)] = []
    private var told = [0, 0]

    init(saysWhenSent: Bool, workers: Workers) {
        self.saysWhenSent = saysWhenSent
        self.workers = workers
    }

    func copy() -> World {
        let copy = World(saysWhenSent: saysWhenSent, workers: workers)
        copy.pushes = pushes
        copy.file = file.copy()
        copy.ringing = ringing
        copy.told = told
        copy.mistake = mistake
        return copy
    }

    func feed(_ push: Push) {
        let shouldRing = push.isRequest && file.rings.isEmpty && !isHungUp(push.call)
        pushes.append(push)
        file.pass(.milliseconds(20))
        let sentAt = saysWhenSent ? push.sentAt : nil
        if push.isRequest {
            let pid = Int64(pushes.count)
            switch file.request("a", by: pid, sentAt: sentAt) {
            case .ring:
                demand(shouldRing, "rings")
                ringing.append((pid, push.call))
                if workers == .killed { file.dead.insert(file.process(pid)) }
            case .silent(_, let missed):
                demand(!shouldRing, "does not ring")
                if missed { told[push.call] += 1 }
            case .busy: demand(false, "is refused")
            }
        } else {
            file.hangUp("a", sentAt: sentAt)
        }
        if workers == .prompt { letWorkersLook() }
        let latest = pushes.contains(.laterRequest) ? 1 : 0
        let isWanted = pushes.contains(where: \.isRequest) && !isHungUp(latest) && workers != .killed
        demand(file.rings.isEmpty != isWanted, isWanted ? "was silenced" : "rings after its hangup")
    }

    /// Lets everybody look who has not yet, and says what the person was told wrongly.
    func mistakeOnceAllIsTold() -> String? {
        letWorkersLook()
        for call in file.change({ $0.takeDeadRings() }) {
            told[call.sentAt.map { $0.microseconds > 15_000_000 ? 1 : 0 } ?? 0] += 1
        }
        let asked = [Push.request, .laterRequest].filter(pushes.contains)
        let sum = told[0] + told[1]
        demand(saysWhenSent ? told[0] <= 1 && told[1] <= 1 : sum <= 1, "told \(told)")
        if asked.isEmpty { demand(sum == 0, "told of nothing") }
        if !asked.isEmpty, workers == .killed || asked.allSatisfy({ isHungUp($0.call) }) {
            demand(sum > 0, "told nobody")
        }
        return mistake
    }

    private func letWorkersLook() {
        for worker in ringing where !file.dead.contains(file.process(worker.pid)) {
            guard case .ended(let reason) = file.standing("a", by: worker.pid) else { continue }
            if file.settle("a", by: worker.pid, reason).isMissed { told[worker.call] += 1 }
            ringing.removeAll { $0.pid == worker.pid }
        }
    }

    private func isHungUp(_ call: Int) -> Bool {
        pushes.contains { !$0.isRequest && (!saysWhenSent || $0.call >= call) }
    }

    private func demand(_ condition: Bool, _ what: String) {
        if !condition, mistake == nil { mistake = "\(what) after \(pushes)" }
    }
}
