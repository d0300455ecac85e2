import BelfryDevices
import BelfryTerms
import Testing

@testable import Forwarding

/// R20 where devices are on several machines: each machine is served by itself.
@Suite struct ForwardingMachineTests {
    private let machines = ["kiosk", "desk", "door"].compactMap { FleetName($0) }

    private func accept(
        _ played: inout Played, to device: String, on machine: FleetName?
    ) -> [ForwardingStateMachine.Effect] {
        let push = played.push(to: device)
        return played.accept(push, to: device, on: machine)
    }

    @Test("R20 a machine that answers nothing delays no other, and this machine least of all")
    func apart() {
        var limits = ForwardingStateMachine.Limits()
        limits.inFlightMax = 2
        var played = Played(limits)
        for number in 1...3 {
            let effects = accept(&played, to: "a\(number)", on: machines[0])
            #expect(effects == (number <= 2 ? [.start(Int64(number))] : []))
        }
        #expect(accept(&played, to: "b", on: machines[1]) == [.start(4)])
        #expect(accept(&played, to: "c", on: nil) == [.start(5)])
        #expect(played.settled(4).isEmpty && played.settled(5).isEmpty)
        #expect(played.settled(1) == [.start(3)])
        #expect(played.settled(2).isEmpty && played.settled(3).isEmpty && played.machine.waitingCount == 0)
    }

    @Test(
        "R20 of so many hand-overs to other machines a place that is free goes to who waits longest; none of this one")
    func elsewhere() {
        var limits = ForwardingStateMachine.Limits()
        limits.inFlightElsewhereMax = 2
        var played = Played(limits)
        #expect(accept(&played, to: "a1", on: machines[0]) == [.start(1)])
        #expect(accept(&played, to: "a2", on: machines[0]) == [.start(2)])
        #expect(
            accept(&played, to: "b1", on: machines[1]).isEmpty && accept(&played, to: "b2", on: machines[1]).isEmpty)
        #expect(accept(&played, to: "c", on: machines[2]).isEmpty)
        #expect(accept(&played, to: "here", on: nil) == [.start(6)])
        #expect(played.settled(6).isEmpty)
        #expect(played.settled(1) == [.start(3)])
        #expect(played.settled(3) == [.start(5)])
        #expect(played.offline(2) == [.store(2), .start(4)])
        #expect(played.settled(4).isEmpty && played.settled(5).isEmpty && played.machine.waitingCount == 1)
    }

    @Test("R20 a machine's return tries its own devices, and no others")
    func back() {
        var played = Played()
        for (index, machine) in ([nil] + machines).enumerated() {
            _ = accept(&played, to: "\(index)", on: machine)
            _ = played.offline(Int64(index + 1))
        }
        #expect(played.machine.isBack(machines[1], at: played.now) == [.start(3)])
        #expect(played.machine.isBack(nil, at: played.now) == [.start(1)])
        played.advance(.seconds(1))
        #expect(Set(played.wake()) == [.start(2), .start(4)])
    }
}
