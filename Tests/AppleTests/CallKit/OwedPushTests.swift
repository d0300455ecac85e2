import BelfryAppDoor
import CallChannel
import Foundation
import Testing

@testable import CallKit

/// For which push a report is that does not know its own, once belfry-calls has died.
@Suite struct OwedPushTests {
    @Test("C2 a report from another queue, for a push of a belfry-calls that died, names that push, once")
    func reported() async {
        // In a process of its own: a push is remembered for a minute, and beside all tests the turns take longer.
        await #expect(processExitsWith: .success) {
            let app = try PlayedApp()
            defer { app.end() }
            let provider = app.door.run { CXProvider(configuration: CXProviderConfiguration()) }
            #expect(await app.centre.next() == .connected)
            _ = await app.centre.welcome(after: 2)
            app.centre.say(.push(7, payload: "{}", mustReport: true))
            app.centre.hangUp()
            while await app.centre.next() != .connected {}
            _ = await app.centre.welcome(after: 2)
            for push in [7, nil] as [Int64?] {
                provider.reportNewIncomingCall(with: UUID(), update: CXCallUpdate()) { _ in }
                let report = await app.centre.first { if case .report(let report) = $0 { report } else { nil } }
                #expect(report?.push == push)
            }
        }
    }

    @Test("C2 belfry-calls knows its own pushes; those of an earlier one are named, the oldest first, for a minute")
    func oldest() {
        var owed = OwedPushes()
        #expect(owed.report(for: nil, at: 0) == nil)
        for number in 1...5 as ClosedRange<Int64> { owed.came(number, at: TimeInterval(number)) }
        #expect(owed.report(for: nil, at: 5) == nil, "the first, which its centre knows")
        owed.centreLost()
        #expect(owed.report(for: 3, at: 5) == 3)
        #expect(owed.report(for: nil, at: 5) == 2)
        owed.came(6, at: 64)
        #expect(owed.report(for: nil, at: 64.5) == 5, "the fourth is forgotten")
        #expect(owed.report(for: nil, at: 65) == nil, "the sixth")
        for number in 1...200 as ClosedRange<Int64> { owed.came(number, at: 70) }
        owed.centreLost()
        #expect(owed.report(for: nil, at: 70) == 101)
    }
}
