import BelfryAppGroup
import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

@testable import BelfryAlerts

@Suite("The list of alerts") struct AlertListTests {
    let folder = TemporaryFolder()
    var list: AlertList { AlertList(in: StateDirectory(path: "\(folder.path)/state")) }

    private func alert(_ title: String, _ body: String = "b") throws -> ListedAlert {
        var content = NotificationContent()
        (content.title, content.subtitle, content.body) = (title, "s", body)
        content.interruptionLevel = .timeSensitive
        return ListedAlert(content, in: try #require(GroupName("group.a")), name: "chat", at: 7)
    }

    @Test("an alert is kept with its whole text, for this user alone") func whole() throws {
        #expect(try list.alerts() == [])
        let one = try alert("t\u{202E}", "one\ntwo \"x\"\u{0}" + String(repeating: "x", count: 4_000))
        #expect(try list.add(one))
        #expect(try list.add(alert("two")))
        #expect(try list.alerts() == [one, alert("two")])
        #expect(one.level == "time-sensitive")
        var status = stat()
        #expect(unsafe stat("\(folder.path)/state/alerts", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("the last 200 are kept, and fewer if they are too long") func limits() throws {
        for number in 1...AlertList.alertsMax + 3 { #expect(try list.add(alert("\(number)"))) }
        #expect(try list.alerts().map(\.title) == (4...AlertList.alertsMax + 3).map { "\($0)" })
        let long = String(repeating: "x", count: 300_000)
        for number in 1...4 { #expect(try list.add(alert("long \(number)", long))) }
        #expect(try list.alerts().map(\.title) == ["long 2", "long 3", "long 4"])
        #expect(throws: SystemError.self) { try list.add(alert("", String(repeating: "x", count: 2 << 20))) }
        #expect(try list.alerts().count == 3)
    }

    @Test("what is no alert is passed over; what a killed process has left is no hindrance") func damaged() throws {
        #expect(try list.add(alert("one")))
        let state = try Directory.open(path: "\(folder.path)/state", makes: false)
        let before = try state.read("alerts", bytesMax: AlertList.bytesMax)?.bytes ?? []
        #expect(!before.isEmpty)
        folder.write(Array("{\n[1]\n\u{FF}".utf8) + [0xFF, 0x0A] + before, to: "state/alerts")
        folder.write(Array("half".utf8), to: "state/alerts.new")
        #expect(try list.add(alert("two")))
        #expect(try list.alerts().map(\.title) == ["one", "two"])
    }

    @Test("it is cleared, also if there is none; while another process changes it, nothing is done") func cleared()
        throws
    {
        #expect(try list.clear())
        #expect(try list.add(alert("one")))
        let state = try Directory.open(path: "\(folder.path)/state", makes: false)
        guard let lock = try FileLock.tryTake("alerts.lock", in: state) else {
            Issue.record("nobody else has the lock")
            return
        }
        #expect(try !list.add(alert("two")) && !list.clear())
        #expect(try list.alerts().map(\.title) == ["one"])
        drop(lock)
        #expect(try list.clear() && list.alerts() == [])
    }

    private func drop(_ lock: consuming FileLock) {}
}
