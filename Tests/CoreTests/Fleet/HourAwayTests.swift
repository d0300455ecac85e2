import BelfryDevices
import BelfryTerms
import Fleet
import Forwarding
import Testing

/// A gateway whose machine is off for an hour: its queue of pushes and its relay together, in virtual time.
@Suite struct HourAwayTests {
    /// A gateway, and the machine that it asks.
    private struct World {
        let kiosk = FleetName("kiosk")!
        var now = Instant(microseconds: 0)
        var queue = ForwardingStateMachine()
        var relay = AskingStateMachine(at: Instant(microseconds: 0))
        var isThere = true
        /// What the machine was given, in its order.
        var taken: [Int64] = []
        var dropped: [Int64: ForwardingStateMachine.Discard] = [:]
        private var asked: [UInt64: Int64] = [:]

        init() {
            _ = relay.lineIsUp(0, at: now)
            hereAgain()
        }

        private var time: ForwardingTime {
            ForwardingTime(instant: now, wall: WallTime(microseconds: now.microseconds + 1))
        }

        private func token(_ topic: String) -> DeviceToken {
            DeviceToken(bytes: [UInt8](repeating: topic == "voip" ? 1 : 2, count: 32))!
        }

        /// A push server sends push `number` about `topic`.
        mutating func push(_ number: Int64, _ topic: String) {
            let push = EndpointPush(
                apnsID: "\(number)", token: token(topic), topic: topic, pushType: .alert, payload: [],
                acceptedAt: time.wall)
            #expect(queue.admit(PushDigest(push), to: push.token, at: now) == .admitted)
            carryOut(queue.accept(WaitingPush(number: number, push, deviceID: "d", machine: kiosk), at: time))
        }

        mutating func hereAgain() {
            isThere = true
            carryOut(relay.hear(kiosk, agent: 1, at: now))
        }

        mutating func pass(_ span: TimeSpan) {
            let end = now + span
            while true {
                let next = [relay.wakeAt, queue.nextWake()].compactMap(\.self).min() ?? end
                guard next <= end else { break }
                now = max(now, next)
                carryOut(relay.wake(at: now))
                carryOut(queue.wake(at: time))
                guard now < end else { break }
            }
            now = end
        }

        private mutating func carryOut(_ effects: [ForwardingStateMachine.Effect]) {
            for effect in effects {
                switch effect {
                case .start(let push):
                    let number = UInt64(asked.count + 1)
                    asked[number] = push
                    carryOut(relay.ask(kiosk, toTake: number, at: now))
                case .store: break
                case .discard(let push, let why): dropped[push] = why
                }
            }
        }

        private mutating func carryOut(_ effects: [AskingStateMachine.Effect]) {
            for effect in effects {
                switch effect {
                case .ask(let number, _, let line):
                    guard isThere else {
                        relay.nobodyHears(number, over: line)
                        continue
                    }
                    taken.append(asked[number]!)
                    for word in [FleetSaying.Word.taken, .received, .over] {
                        let saying = FleetSaying(word, by: 1, place: 0)
                        carryOut(relay.hear(saying, of: number, by: kiosk, over: line, at: now))
                    }
                case .tell(let number, .said(.offline)): carryOut(queue.carried(asked[number]!, .offline, at: time))
                case .tell(let number, .said(.received)): carryOut(queue.carried(asked[number]!, .settled, at: time))
                case .tell, .forget, .twice: break
                case .returned: carryOut(queue.isBack(kiosk, at: time))
                }
            }
        }
    }

    @Test("it gets the last alert and the hangup; nothing rings, and the log says that the call was replaced")
    func away() {
        var world = World()
        world.push(1_000, "alert")
        #expect(world.taken == [1_000], "as long as it is there, each push comes at once")
        world.isThere = false
        let (call, hangup): (Int64, Int64) = (2_000, 2_001)
        for minute in 1...60 as ClosedRange<Int64> {
            world.push(minute, "alert")
            if minute == 30 { world.push(call, "voip") }
            if minute == 31 { world.push(hangup, "voip") }
            world.pass(.seconds(60))
        }
        #expect(world.taken == [1_000] && world.dropped[call] == .replaced)
        #expect(world.queue.waitingByMachine == [world.kiosk: 2])
        world.hereAgain()
        #expect(world.taken.sorted() == [60, 1_000, hangup])
        #expect((1...59).allSatisfy { world.dropped[$0] == .replaced } && world.dropped.count == 60)
        world.pass(.seconds(3_600))
        #expect(world.taken.count == 3 && world.queue.waitingCount == 0)
    }
}
