import BelfryTesting
import Testing

@Suite(.belfry) struct CallTests {
    @Test func answered() async throws {
        let bell = try Belfry.bell
        let call = try await bell.call(name: "Anna")
        try await call.waitFor(.ringing)
        try await bell.answer()
        let end = try await call.waitFor(.ended, within: .seconds(5))
        #expect(end.ended?.reason == .answered)
    }
}
