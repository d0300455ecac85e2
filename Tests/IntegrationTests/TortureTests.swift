import BelfryProtocol
import Glibc
import Testing

extension IntegrationTests {
    @Suite("R11 R12 R14: workers are struck at random instants while calls, hangups and answers keep coming")
    struct TortureTests {
        /// How many workers each torment strikes: `make torture` asks for more.
        private static let blowsMin = Surroundings.value("BELFRY_TORTURE_KILLS").flatMap { Int($0) } ?? 8
        private static let torments: [Torment] = Surroundings.cases(chosenBy: "BELFRY_TORTURE_WAY")
        private static let seed =
            Surroundings.value("BELFRY_TORTURE_SEED").flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max))

        @Test(
            "nothing rings or is stuck, each ring has one end, and one missed where due", arguments: torments)
        func torture(torment: Torment) throws {
            let torture = try Torture(torment, seed: Self.seed)
            var calls = 0
            while torture.blows < Self.blowsMin {
                // Some victims are gone before the blow falls.
                let count = min((Self.blowsMin - torture.blows) * 9 / 8 + 1, Torture.waveMax)
                calls += count
                for complaint in try torture.wave(of: count) {
                    Issue.record("BELFRY_TORTURE_SEED=\(Self.seed): after \(calls) calls: \(complaint)")
                }
            }
            print(
                "torture \(torment): seed \(Self.seed), \(calls) calls, \(torture.blows) blows,",
                "\(torture.toldTwice) missed calls told twice")
            #expect(try torture.traps().isEmpty)
            #expect(Recording.waitUntilSilent())
            let call = try torture.phone.call("after")
            #expect(try call.wait(for: "ringing").at < 5)
            try torture.phone.hangUp("after").story()
            #expect(call.story().suffix(2) == ["ended hangup cancelled", "missed"])
            #expect(!call.story.contains { $0.hasPrefix("warning") }, "\(call.story)")
        }
    }
}
