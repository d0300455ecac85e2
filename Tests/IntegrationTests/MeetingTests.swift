import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("R7 R8 R11: bus, command, click and hangup at once") struct Meetings {
        /// How many calls they meet over; a hundred by BELFRY_MEETINGS=100.
        private static let count = Surroundings.meetings ?? 10
        /// A worker, and a command, takes a while until it can do anything: who is next comes so much later at most.
        private static let startMilliseconds: ClosedRange<Int32> = 0...15

        /// What the person wants.
        private enum Wish: String { case answer, decline }
        /// How a call is ended.
        private enum Way: CaseIterable { case click, bus, hangup, command }

        @Test("one outcome for everyone") func meet() throws {
            let seed = UInt64.random(in: 0...UInt64(UInt32.max))
            var random = SeededRandom(seed: seed)
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            var outcomes: [String: Int] = [:]
            for number in 0..<Self.count {
                let id = "call-\(number)"
                let call = try phone.call(id)
                var asked = try server.asked()
                while asked.category != "call.incoming" { asked = try server.asked() }
                try call.waitForNotification(.shown)
                let (click, bus, command) = (wish(&random), wish(&random), wish(&random))
                let button = "choose \(asked.id) call.\(click == .answer ? "accept" : "decline")"
                let words = "call \(bus == .answer ? "Answer" : "Decline") group.belfry \(id)"
                var (hangup, typed): (Client?, TypedCommand?)
                for way in Way.allCases.shuffled(using: &random) {
                    switch way {
                    case .click: server.obey(button)
                    case .bus: server.obey(words)
                    case .hangup: hangup = try phone.hangUp(id)
                    case .command: typed = try TypedCommand([command.rawValue, id], for: phone)
                    }
                    poll(nil, 0, .random(in: Self.startMilliseconds, using: &random))
                }

                let ended = try #require(try call.wait(for: "ended").ended).reason.rawValue
                outcomes[ended, default: 0] += 1
                let what = "seed \(seed), \(id) ended as \(ended): click \(click), bus \(bus), command \(command)"
                let told = try server.outcome()
                if told.error.isEmpty {
                    #expect(state(bus) == ended, "\(what)")
                } else {
                    #expect(told == ("org.belfry.Error.AlreadyEnded", ended), "\(what): \(told)")
                }
                let (isDone, errors) = try #require(typed).end()
                if isDone {
                    #expect(state(command) == ended, "\(what)")
                } else {
                    #expect(
                        errors.contains("has ended already: \(ended)") || errors.contains("no call \(id) rings"),
                        "\(what): \(errors)")
                }
                _ = (hangup?.story(), call.story())
                // The file follows.
                #expect(waitUntil { phone.ledger().call(CallKey(id))?.state.rawValue == ended }, "\(what)")
                #expect(call.events.count { $0.name == "ended" } == 1, "\(what)")
            }
            #expect(try server.shows { shown in shown.allSatisfy { $0.category == "call.unanswered" } })
            if Self.count >= 100 { #expect(outcomes.count > 1, "nobody else ever won: \(outcomes)") }
            print("meetings: seed \(seed), \(outcomes.sorted { $0.key < $1.key })")
        }

        private func wish(_ random: inout SeededRandom) -> Wish { random.oneIn(2) ? .answer : .decline }

        private func state(_ wish: Wish) -> String { wish == .answer ? "answered" : "declined" }
    }
}
