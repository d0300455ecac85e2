import BelfryTesting
import XCTest

final class HangupTests: XCTestCase {
    func testMissed() async throws {
        try await Belfry.running { bell in
            let call = try await bell.call(id: "a", name: "Anna")
            try await call.waitFor(.ringing)
            try await bell.hangup("a", reason: .cancelled)
            let missed = try await call.waitFor(.missed, within: .seconds(5))
            XCTAssertEqual(missed.missed, "a")
            XCTAssertEqual(missed.content?.title, "Anna")
        }
    }
}
