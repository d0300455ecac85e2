import ExtensionTesting
@testable import RingingExtension
import Support
import Testing
import UserNotifications

/// A ringing extension as apps have it, which nobody has edited, in the process of its tests: what it shows, what ends
/// the loop that it blocks in, and what comes while it does.
@Suite struct RingingTests {
    private static let group = "group.xxp.ring.callNotification"
    private static let patience = Duration.seconds(60)
    private static let call = #"{"aps":{"alert":{"title":"Ann","body":"calls"},"mutable-content":1},"info":{"type":1}}"#
    private static let hangup =
        #"{"aps":{"alert":{"title":"Ann","body":"has hung up"},"mutable-content":1},"info":{"type":2}}"#

    private static var startKey: Any? {
        UserNotifications.UserDefaults(suiteName: group)?.object(forKey: "keyStartCallTime")
    }

    /// Pushes a call, waits until it has vibrated twice, and hands both to `end`; then what the call showed.
    @discardableResult
    private func ring(
        _ settings: (inout BellSettings) -> Void = { _ in }, until end: @escaping (Bell, BellPush) async throws -> Void
    ) async throws -> [Belfry.Event] {
        let folder = TemporaryFolder()
        let ring = try #require(FileManager.default.contents(atPath: sourceFile("Sounds/ring.wav")))
        _ = folder.write(Array(ring), to: "ring.mp3")
        var own = BellSettings(expiryBudget: .seconds(60), appGroup: Self.group)
        settings(&own)
        return try await Belfry.running(NotificationService(), resources: folder.path, settings: own) { bell in
            let push = try await bell.push(Self.call)
            let delivered = try await push.waitFor(.delivered, within: Self.patience).content
            #expect(delivered?.title == "Ann [modified]" && delivered?.body == "calls")
            #expect(delivered?.interruptionLevel == .timeSensitive)
            try await push.waitFor(.asked, within: Self.patience) { $0.asked?.what == .sound }
            // Each a second after the one before, so that nobody can hear of them sooner.
            let start = try await push.waitFor(.extensionProcess).at
            for number in 1...2 as ClosedRange<Int64> {
                let vibration = try await push.waitFor(.asked, within: Self.patience) {
                    $0.asked?.what == .vibration && $0.asked?.n == number
                }
                #expect(vibration.at - start >= Double(number - 1))
            }
            #expect(Self.startKey != nil)
            try await end(bell, push)
            return await push.events
        }
    }

    private func waitForReturn(_ push: BellPush) async throws {
        try await push.waitFor(.extensionProcess, within: Self.patience) { $0.extensionProcess?.state == .returned }
        #expect(Self.startKey == nil)
    }

    @Test(
        "a push that hangs up is handled at once, and ends the loop",
        arguments: [(false, false), (true, false), (false, true)])
    func hangup(isStrict: Bool, isReused: Bool) async throws {
        try await ring {
            ($0.extensionStrict, $0.extensionReuse) = (isStrict, isReused)
        } until: { bell, push in
            let hangup = try await bell.push(Self.hangup)
            let delivered = try await hangup.waitFor(.delivered, within: Self.patience)
            #expect(delivered.content?.title == "Ann" && delivered.content?.body == "has hung up")
            try await waitForReturn(push)
            let returned = await push.events.first { $0.extensionProcess?.state == .returned }
            // Left alone it goes on for thirty seconds.
            #expect((returned?.extensionProcess?.seconds ?? 30) < 30)
            // A process that is used again was started once.
            let isStarted = await hangup.events.contains { $0.extensionProcess?.state == .started }
            #expect(isStarted != isReused)
        }
    }

    @Test("the app that comes to the front ends the loop, and it does not ring from then on")
    func foreground() async throws {
        try await ring { bell, push in
            try await bell.enterForeground()
            try await waitForReturn(push)
            let later = try await bell.push(Self.call)
            #expect(try await later.waitFor(.delivered, within: Self.patience).content?.title == "Ann [modified]")
            try await waitForReturn(later)
            #expect(await !later.events.contains { $0.kind == .asked })
        }
    }

    @Test("so does `belfry app foreground`") func command() async throws {
        try await ring { bell, push in
            let command = try ProgramRun(
                testedProgram("belfry"), ["app", "foreground", "--group", Self.group],
                environment: bell.environment.mapValues { $0 }.merging(["BELFRY_CONFIG_FILES": "no"]) { $1 })
            _ = command.lines()
            #expect(command.complaints() == [])
            try await waitForReturn(push)
        }
    }

    @Test("a foreign program that puts another file in the group's place ends the loop") func rename() async throws {
        try await ring { bell, push in
            let state = bell.environment["BELFRY_STATE_DIRECTORY"] ?? ""
            let path = "\(state)/groups/\(Self.group)/Library/Preferences/\(Self.group).plist"
            let complaints = try ForeignProgram.remove("keyStartCallTime", from: path)
            #expect(complaints == [])
            try await waitForReturn(push)
        }
    }

    @Test("R3 the budget meets it blocking: its key stays, as on iOS") func budget() async throws {
        let events = try await ring {
            $0.expiryBudget = .seconds(6)
        } until: { _, push in
            let events = try await push.waitUntilDone(within: Self.patience)
            #expect(events.contains { $0.warning == .killedAtBudget } && events.last?.extensionProcess?.state == .ended)
            #expect(Self.startKey != nil)
        }
        #expect(!events.contains { $0.extensionProcess?.state == .returned })
    }
}
