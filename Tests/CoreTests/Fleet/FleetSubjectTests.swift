import BelfryDevices
import Fleet
import Testing

/// The subjects of a fleet.
@Suite struct FleetSubjectTests {
    private static let (kiosk, gate) = (FleetName("kiosk-1")!, FleetName("gate")!)

    @Test(
        "each subject is read as it is written",
        arguments: [
            (.push(to: kiosk), "belfry.push.kiosk-1"),
            (.said(by: kiosk, to: gate, number: .max), "belfry.said.kiosk-1.gate.18446744073709551615"),
            (.here(kiosk), "belfry.here.kiosk-1"),
            (.device(of: kiosk), "belfry.device.kiosk-1"),
            (.answer(to: kiosk, number: 0), "belfry.answer.kiosk-1.0"),
        ] as [(FleetSubject, String)])
    func both(_ subject: FleetSubject, _ text: String) {
        #expect(subject.text == text)
        #expect(FleetSubject(text) == subject)
    }

    @Test(
        "all else is none",
        arguments: [
            "", "belfry", "belfry.push", "belfry.push.", "belfry.push.*", "belfry.push.>", "belfry.push.a.b",
            "other.push.a", "belfry.other.a", "belfry.answer.a", "belfry.answer.a.-1", "belfry.answer.a.+1",
            "belfry.answer.a.01", "belfry.answer.a.18446744073709551616", "belfry.said.a.b", "belfry.said.a.B.1",
            "belfry.said.a.b.1.2", "belfry.said.a.b.", " belfry.push.a",
        ])
    func others(_ text: String) { #expect(FleetSubject(text) == nil) }

    @Test("both sides hear what is for them and nothing else")
    func heard() {
        #expect(FleetSubject.heard(byMachine: Self.kiosk) == ["belfry.push.kiosk-1", "belfry.answer.kiosk-1.>"])
        #expect(
            FleetSubject.heard(byGateway: Self.gate) == ["belfry.here.*", "belfry.device.*", "belfry.said.*.gate.*"])
    }
}
