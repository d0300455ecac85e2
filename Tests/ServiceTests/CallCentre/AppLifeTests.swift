import BelfryTerms
import Testing

@testable import CallCentre

/// When an app's process is started, started again, and ended.
@Suite struct AppLifeTests {
    private static let start = Instant(microseconds: 1_000_000)
    private var life = AppLife()

    private func at(_ seconds: Double) -> Instant {
        Self.start + TimeSpan(microseconds: Int64(seconds * 1_000_000))
    }

    @Test("an app that leaves before its registry is started again after 1, 2, 4 … 60 s, again and again")
    mutating func backsOff() {
        #expect(life.wanted(at: at(0)) == [.launch])
        var now = 0.0
        for delay in [1, 2, 4, 8, 16, 32, 60, 60] as [Double] {
            life.began()
            let why = "its process has ended with status 1, before its registry was there"
            #expect(life.ended("its process has ended with status 1", at: at(now)) == [.failed(why)])
            #expect(life.problem == why)
            #expect(life.deadline == at(now + delay), "after \(delay) s")
            #expect(life.wanted(at: at(now)) == [.failed("\(why); it is started again in \(Int(delay)) s")])
            #expect(life.timePassed(at: at(now + delay) - .milliseconds(1)) == [])
            #expect(life.timePassed(at: at(now + delay)) == [.launch])
            now += delay
        }
    }

    @Test("one that had its registry is not started again, and may fail anew from 1 s on") mutating func registered() {
        _ = life.wanted(at: at(0))
        life.began()
        _ = life.ended("it", at: at(0))
        _ = life.timePassed(at: at(1))
        life.began()
        life.connected()
        #expect(life.deadline == nil && !life.isRegistered)
        life.registered(true)
        #expect(life.isRegistered && life.wanted(at: at(2)) == [])
        #expect(life.disconnected(at: at(3)) == [])
        #expect(life.ended("its process has ended", at: at(3)) == [] && life.isOver)
        #expect(life.problem == "its process has ended")
        #expect(life.wanted(at: at(4)) == [.launch])
        life.began()
        _ = life.ended("it", at: at(4))
        #expect(life.deadline == at(5))
    }

    @Test("one whose death is heard before its first word is started again all the same") mutating func heardLate() {
        _ = life.wanted(at: at(0))
        life.began()
        _ = life.ended("it", at: at(0))
        life.connected()
        #expect(life.deadline == nil && life.wanted(at: at(0)) == [])
        #expect(life.disconnected(at: at(0)) == [] && life.problem == "it, before its registry was there")
        #expect(life.deadline == at(1) && life.timePassed(at: at(1)) == [.launch])
    }

    @Test("a start that shows nothing of the app for ten seconds has failed") mutating func silentStart() {
        _ = life.wanted(at: at(0))
        #expect(life.wanted(at: at(1)) == [], "it is being started")
        #expect(life.deadline == at(10))
        #expect(life.timePassed(at: at(10)) == [.failed("nothing of it has shown itself for 10 s")])
        #expect(life.launchFailed("late", at: at(10)) == [])
    }

    @Test("a process that leaves another one in its place, which is connected, has not failed") mutating func forks() {
        _ = life.wanted(at: at(0))
        life.began()
        life.connected()
        #expect(life.ended("it", at: at(1)) == [] && !life.isOver)
        life.registered(true)
        #expect(life.disconnected(at: at(2)) == [] && life.isOver && life.problem == "its connection has ended")
    }

    @Test("one that was started by hand is not started again") mutating func byHand() {
        life.connected()
        #expect(life.wanted(at: at(0)) == [])
        #expect(life.disconnected(at: at(1)) == [] && life.isOver)
    }

    @Test("one that is stopped is asked, then ended, then killed; what waits is only forgotten") mutating func stops() {
        #expect(life.stop(at: at(0)) == [.stopped])
        life.connected()
        life.began()
        #expect(life.stop(at: at(0)) == [.askToEnd] && life.stop(at: at(1)) == [])
        #expect(life.wanted(at: at(1)) == [.failed("it is being stopped")])
        #expect(life.timePassed(at: at(3)) == [.end(byForce: false)])
        #expect(life.timePassed(at: at(6)) == [.end(byForce: true)])
        #expect(life.disconnected(at: at(6)) == [])
        #expect(life.ended("it", at: at(6)) == [.stopped] && life.isOver && life.problem.isEmpty)
        _ = life.wanted(at: at(7))
        _ = life.launchFailed("no such program", at: at(7))
        #expect(life.stop(at: at(7)) == [.stopped] && life.isOver && life.deadline == nil)
    }

    @Test("a start that is stopped before anything shows ends with it") mutating func stopsStart() {
        _ = life.wanted(at: at(0))
        #expect(life.stop(at: at(0)) == [.end(byForce: false)])
        #expect(life.timePassed(at: at(3)) == [.stopped] && life.isOver)
    }
}
