import BelfryAppGroup
import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import ExtensionKeeping
import Support
import Testing

/// What the worker records in an app's notification centre.
@Suite struct ShownInCentreTests {
    private let folder = TemporaryFolder()
    private let loop = HandLoop()

    private var file: GroupFile? {
        GroupName("a").map { GroupFile(state: StateDirectory(path: "\(folder.path)/centers"), group: $0) }
    }

    private func deliver(_ id: String, _ bodies: [Event.Body]) throws {
        let app = try #require(GroupName("a"))
        let centre = ShownInCentre(
            of: app, in: StateDirectory(path: folder.path), timers: loop, wall: { WallTime(microseconds: 0) })
        let received = Event.Body.received(.init(type: .alert, call: nil, why: nil))
        for body in [received] + bodies { centre.heard(Event(at: 0, boot: 0, id: id, body: body)) }
        var isFinished = false
        centre.finish { isFinished = true }
        #expect(isFinished)
    }

    private func content(_ title: String, badge: Int64? = nil) -> NotificationContent {
        var content = NotificationContent()
        (content.title, content.badge) = (title, badge)
        return content
    }

    @Test("it keeps the newest 64, and 192 KiB of them") func limits() throws {
        for number in 0...ShownInCentre.shownMax {
            try deliver("\(number)", [.delivered(by: .passthrough, content: content("t"))])
        }
        func kept() -> [[UInt8]] {
            (file?.snapshot().root["delivered"]?.arrayValue ?? []).compactMap { value in
                if case .data(let bytes) = value { bytes } else { nil }
            }
        }
        #expect(kept().count == ShownInCentre.shownMax)
        let large = content(String(repeating: "x", count: 100_000))
        for id in ["large", "larger"] { try deliver(id, [.delivered(by: .crash, content: large)]) }
        #expect(kept().map(\.count).reduce(0, +) <= ShownInCentre.bytesMax && kept().last?.count ?? 0 > 100_000)
    }

    @Test("R2 what the extension's process has recorded is not recorded again, nor what is not shown; its badge is")
    func replies() throws {
        let reply = content("reply", badge: 1)
        try deliver("a", [.delivered(by: .extension, content: reply)])
        #expect(file?.snapshot().root["badge"] == nil)
        try deliver("b", [.delivered(by: .expiry, content: reply, isShown: false)])
        #expect(file?.snapshot().root["badge"] == .integer(1) && file?.snapshot().root["delivered"] == nil)
        try deliver("c", [.warning(code: .noAlertText, detail: ""), .delivered(by: .extension, content: reply)])
        #expect(file?.snapshot().root["delivered"]?.arrayValue?.count == 1)
    }
}
