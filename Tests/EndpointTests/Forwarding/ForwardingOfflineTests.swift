import BelfryDevices
import BelfryTerms
import Testing

@testable import Forwarding

/// R20: an offline device keeps the latest push of each topic.
@Suite struct ForwardingOfflineTests {
    @Test("R20 of five pushes to a device that is off the fifth arrives")
    func fifth() {
        var played = Played()
        #expect(played.machine.setOff(true, "a", at: played.now) == [])
        #expect(played.accept(to: "a") == [.store(1)])
        for number: Int64 in 2...5 {
            #expect(played.accept(to: "a") == [.discard(number - 1, .replaced), .store(number)])
        }
        #expect(played.machine.setOff(false, "a", at: played.now) == [.start(5)])
        #expect(played.settled(5) == [] && played.machine.waitingCount == 0)
    }

    @Test("R20 two topics have a place each, and are handed over in the order of acceptance")
    func topics() {
        var played = Played()
        _ = played.machine.setOff(true, "a", at: played.now)
        _ = played.accept(to: "a", topic: "app.voip")
        _ = played.accept(to: "a", topic: "app")
        #expect(played.accept(to: "a", topic: "app.voip") == [.discard(1, .replaced), .store(3)])
        #expect(played.machine.setOff(false, "a", at: played.now) == [.start(2)])
        #expect(played.settled(2) == [.start(3)])
    }

    @Test("R20 0 is never kept, and nothing that is past; what has no expiration is kept for 30 days")
    func expiration() {
        var played = Played()
        _ = played.machine.setOff(true, "a", at: played.now)
        #expect(played.accept(to: "a", once: true) == [.discard(1, .expired)])
        #expect(played.accept(to: "a", expiresIn: -2) == [.discard(2, .expired)])
        #expect(played.accept(to: "a", topic: "short", expiresIn: 10) == [.store(3)])
        #expect(played.accept(to: "a", topic: "long") == [.store(4)])
        #expect(played.accept(to: "a", topic: "far", expiresIn: 90 * 86_400) == [.store(5)])
        played.advance(.seconds(12))
        #expect(played.accept(to: "a", topic: "short", once: true) == [.discard(6, .expired)])
        played.advance(.seconds(30 * 86_400))
        #expect(
            played.machine.setOff(false, "a", at: played.now)
                == [.discard(3, .expired), .discard(4, .expired), .discard(5, .expired)])
        #expect(played.machine.waitingCount == 0)
    }

    @Test("R20 30 days are over to the microsecond, whether an expiration is stated or not")
    func keptMax() {
        for stated: Int64? in [nil, 90 * 86_400] {
            var played = Played()
            let push = WaitingPush(number: 1, played.push(to: "a", expiresIn: stated), deviceID: "a")
            let end = played.wall + .seconds(30 * 86_400)
            #expect(push.mayBeKept(at: end + TimeSpan(microseconds: -1)))
            #expect(push.mayBeKept(at: end) == (stated != nil), "\(stated ?? 0)")
            #expect(!push.mayBeKept(at: end + TimeSpan(microseconds: 1)))
        }
    }

    @Test("R20 an expiration counts to the end of its second, and one attempt is made of what is past already")
    func lastSecond() {
        var played = Played()
        #expect(played.accept(to: "a", expiresIn: -5) == [.start(1)])
        #expect(played.offline(1) == [.discard(1, .expired)])
        _ = played.machine.setOff(true, "a", at: played.now)
        _ = played.accept(to: "a", expiresIn: 10)
        played.advance(.milliseconds(10_900))
        #expect(played.machine.setOff(false, "a", at: played.now) == [.start(2)])
    }

    @Test("R20 0 is tried once, and dropped if nobody takes it")
    func once() {
        var played = Played()
        #expect(played.accept(to: "a", once: true) == [.start(1)])
        #expect(played.offline(1) == [.discard(1, .expired)])
        #expect(played.machine.nextWake() == nil && played.machine.waitingCount == 0)
    }

    @Test("R20 a setting of the wall clock moves expirations, never a retry")
    func clockSet() {
        var played = Played()
        _ = played.accept(to: "a", expiresIn: 100)
        #expect(played.offline(1) == [.store(1)])
        played.wall = played.wall + .seconds(-86_400)
        played.instant = played.instant + .seconds(1)
        #expect(played.wake() == [.start(1)])
        #expect(played.offline(1) == [])
        played.wall = played.wall + .seconds(2 * 86_400)
        played.instant = played.instant + .seconds(2)
        #expect(played.wake() == [.discard(1, .expired)])
    }

    @Test("R20 tried again after 1, 2, 4 … 60 s, and from 1 s on once something was taken")
    func delays() {
        var played = Played()
        _ = played.accept(to: "a")
        _ = played.offline(1)
        for seconds: Int64 in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
            #expect(played.machine.nextWake() == played.instant + .seconds(seconds))
            played.advance(.seconds(seconds) - TimeSpan(microseconds: 1))
            #expect(played.wake() == [])
            played.advance(TimeSpan(microseconds: 1))
            #expect(played.wake() == [.start(1)])
            _ = played.offline(1)
        }
        #expect(played.accept(to: "a", topic: "other") == [.start(2)])
        #expect(played.settled(2) == [])
        #expect(played.machine.nextWake() == played.instant + .seconds(1))
        played.advance(.seconds(1))
        #expect(played.wake() == [.start(1)])
        #expect(played.settled(1) == [] && played.machine.nextWake() == nil)
    }

    @Test("R20 what waits behind one that was not taken has its own try, and a retry begins with the oldest again")
    func rounds() {
        var played = Played()
        #expect(played.accept(to: "a", topic: "one") == [.start(1)])
        _ = played.accept(to: "a", topic: "two", once: true)
        _ = played.accept(to: "a", topic: "three")
        #expect(played.offline(1) == [.store(1), .start(2)])
        #expect(played.offline(2) == [.discard(2, .expired), .start(3)])
        #expect(played.offline(3) == [.store(3)])
        played.advance(.seconds(1))
        #expect(played.wake() == [.start(1)])
        #expect(played.settled(1) == [.start(3)])
    }

    @Test("R20 the socket's return counts for a device that is just finding it gone")
    func backWhileInFlight() {
        var played = Played()
        _ = played.accept(to: "a", topic: "one", expiresIn: 1_000)
        for seconds in [1, 2, 4] {
            _ = played.offline(1)
            played.advance(.seconds(Int64(seconds)))
            #expect(played.wake() == [.start(1)])
        }
        #expect(played.machine.isBack(nil, at: played.now) == [])
        #expect(played.offline(1) == [])
        #expect(played.machine.nextWake() == played.instant + .seconds(1))
    }

    @Test("R20 a device that is off and removed keeps nothing, whatever comes late")
    func offAndRemoved() {
        var played = Played()
        _ = played.accept(to: "a", expiresIn: 100)
        #expect(played.machine.setOff(true, "a", at: played.now) == [])
        #expect(played.machine.remove("a", at: played.now) == [])
        #expect(played.offline(1) == [.store(1)])
        played.advance(.seconds(1))
        #expect(played.wake() == [.start(1)])
        #expect(played.machine.carried(1, .settled, at: played.now) == [])
        _ = played.machine.setOff(true, "a", at: played.now)
        #expect(played.machine.remove("a", at: played.now) == [])
        #expect(played.accept(to: "a", expiresIn: 100) == [.start(2)])
        #expect(played.machine.carried(2, .settled, at: played.now) == [])
        #expect(played.machine.devices.isEmpty)
    }

    @Test("R20 what is kept is tried again though what waited behind it has expired by the time of its own try")
    func expiredBehind() {
        var played = Played()
        _ = played.accept(to: "a", topic: "one", expiresIn: 100)
        _ = played.accept(to: "a", topic: "two", expiresIn: 2)
        #expect(played.offline(1) == [.store(1), .start(2)])
        #expect(played.offline(2) == [.store(2)])
        played.advance(.seconds(1))
        #expect(played.wake() == [.start(1)])
        played.advance(.seconds(2))
        #expect(played.offline(1) == [.discard(2, .expired)])
        #expect(played.machine.nextWake() == played.instant + .seconds(2))
    }

    @Test("R20 so it is if nobody could hand over what waited behind it, for want of a place")
    func expiredInLine() {
        var limits = ForwardingStateMachine.Limits()
        limits.inFlightMax = 1
        var played = Played(limits)
        _ = played.accept(to: "a", topic: "one", expiresIn: 100)
        _ = played.accept(to: "a", topic: "two", expiresIn: 2)
        _ = played.offline(1)
        _ = played.offline(2)
        played.advance(.seconds(1))
        #expect(played.wake() == [.start(1)])
        #expect(played.accept(to: "b") == [])
        played.advance(.seconds(2))
        #expect(played.offline(1) == [.start(3)])
        #expect(played.settled(3) == [.discard(2, .expired)])
        #expect(played.machine.nextWake() == played.instant + .seconds(2))
    }

    @Test("R20 one that nobody took gives way to a later one of its topic, kept or taken, not to one that is dropped")
    func replaced() {
        var played = Played()
        _ = played.accept(to: "a")
        _ = played.accept(to: "a")
        #expect(played.offline(1) == [.discard(1, .replaced), .start(2)])
        #expect(played.offline(2) == [.store(2)])
        #expect(played.accept(to: "a", once: true) == [.start(3)])
        #expect(played.offline(3) == [.discard(3, .expired)])
        #expect(played.accept(to: "a", once: true) == [.start(4)])
        #expect(played.settled(4) == [.discard(2, .replaced)])
        #expect(played.machine.waitingCount == 0 && played.machine.nextWake() == nil)
    }

    @Test("R20 a push that comes while others are kept does not make them wait longer")
    func arrivals() {
        var played = Played()
        _ = played.accept(to: "a", topic: "one")
        _ = played.offline(1)
        let due = played.machine.nextWake()
        for number: Int64 in 2...9 {
            #expect(played.accept(to: "a", topic: "two", once: true) == [.start(number)])
            _ = played.offline(number)
        }
        #expect(played.machine.nextWake() == due)
    }

    @Test("R20 all that is kept is tried as soon as the socket is back")
    func socketBack() {
        var played = Played()
        for device in ["a", "b"] { _ = played.accept(to: device) }
        _ = played.offline(1)
        _ = played.offline(2)
        let effects = played.machine.isBack(nil, at: played.now)
        #expect(Set(effects) == [.start(1), .start(2)])
        #expect(played.machine.nextWake() == nil)
    }

    @Test("R20 once the socket was back, what is not taken waits anew, and not for the end of its earlier wait")
    func earlierWait() {
        var played = Played()
        _ = played.accept(to: "a", expiresIn: 100)
        #expect(played.offline(1) == [.store(1)])
        played.advance(.milliseconds(500))
        #expect(played.machine.isBack(nil, at: played.now) == [.start(1)])
        #expect(played.offline(1) == [])
        played.advance(.milliseconds(500))
        #expect(played.wake() == [])
        #expect(played.machine.nextWake() == played.instant + .milliseconds(500))
        played.advance(.milliseconds(500))
        #expect(played.wake() == [.start(1)])
    }

    @Test("R20 of a device for which nothing waits, and which nobody took off, nothing is remembered")
    func forgotten() {
        var played = Played()
        _ = played.accept(to: "a")
        #expect(played.machine.devices.count == 1)
        _ = played.settled(1)
        #expect(played.machine.devices.isEmpty)
        _ = played.accept(to: "b", expiresIn: 100)
        _ = played.offline(2)
        #expect(played.machine.devices.count == 1)
        _ = played.machine.remove("b", at: played.now)
        _ = played.machine.setOff(true, "c", at: played.now)
        #expect(Array(played.machine.devices.keys) == ["c"])
        _ = played.machine.setOff(false, "c", at: played.now)
        #expect(played.machine.devices.isEmpty)
    }

    @Test("R20 a device that is taken off during a hand-over keeps the rest; what is under way ends as it ends")
    func offInFlight() {
        var played = Played()
        for _ in 1...3 { _ = played.accept(to: "a") }
        #expect(played.machine.setOff(true, "a", at: played.now) == [.discard(2, .replaced), .store(3)])
        #expect(played.machine.setOff(true, "a", at: played.now) == [])
        #expect(played.offline(1) == [.discard(1, .replaced)])
        #expect(played.machine.nextWake() == nil)
        #expect(played.machine.setOff(false, "a", at: played.now) == [.start(3)])
    }

    @Test("R20 what waits for a device that is removed is dropped")
    func removed() {
        var played = Played()
        for _ in 1...3 { _ = played.accept(to: "a") }
        #expect(
            played.machine.remove("a", at: played.now) == [.discard(2, .unregistered), .discard(3, .unregistered)])
        #expect(played.settled(1) == [] && played.machine.waitingCount == 0)
    }
}
