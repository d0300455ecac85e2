import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("On the desktop, in xfce4-notifyd") struct Xfce {
        private static let white: UInt32 = 0xFFFFFF
        /// The upper left quarter of the caller's picture.
        private static let red: UInt32 = 0xFF0000
        private static let someNotification = 10_000...200_000

        let screen: Screen
        let server: ChildProcess

        init() throws {
            screen = try Screen()
            server = try screen.start("/usr/lib/\(machine())-linux-gnu/xfce4/notifyd/xfce4-notifyd", [])
        }

        private func over() throws { try Screen.end(server) }

        private func phone(_ pictures: HostileServer? = nil) throws -> Phone {
            var settings: [String: String] = [:]
            if let pictures {
                settings = ["BELFRY_AVATAR_ALLOW": "127.0.0.0/8", "SSL_CERT_FILE": pictures.authority]
            }
            return try Phone(settings, hasDesktop: true)
        }

        @Test("a click on Accept answers; a click beside the buttons silences") func clicked() throws {
            let phone = try phone()
            let call = try phone.call("A", #""handle": "+49 123""#)
            try call.waitForNotification(.shown)
            #expect(screen.shows(Self.white, on: Self.someNotification, keepingAs: "xfce-call"))
            let area = try #require(screen.drawn())
            // On the name, above the buttons: this server then takes the notification away.
            try screen.click(x: area.left + 30, y: area.top + 20)
            try call.waitForNotification(.closed)
            #expect(try call.wait(for: "ringing").ringing?.why == .silenced)
            try call.wait(for: "tick")
            #expect(phone.ledger().call(CallKey("A"))?.state == .ringing)
            _ = try phone.hangUp("A").story()

            let second = try phone.call("B")
            try second.waitForNotification(.shown)
            try screen.clickButton(0)
            #expect(try second.wait(for: "ended").ended?.reason == .answered)
            try over()
        }

        @Test("a click on Decline declines") func declined() throws {
            let phone = try phone()
            let call = try phone.call("A")
            try call.waitForNotification(.shown)
            try screen.clickButton(1)
            #expect(try call.wait(for: "ended").ended?.reason == .declined)
            #expect(screen.shows(Self.white, on: 0...0, keepingAs: "xfce-declined"))
            try over()
        }

        @Test("C16 a call that goes on: a click on Hold holds it, and it is shown on; one on End ends it, and it goes")
        func ongoing() throws {
            let phone = try phone()
            let call = try OngoingEnd(on: phone) { $0.handle = "+49 123" }
            #expect(screen.shows(Self.white, on: Self.someNotification, keepingAs: "xfce-ongoing"))
            try screen.clickButton(1)
            #expect(call.nextChosen() == .hold(true))
            try call.say { $0.state = .held }
            // What is under the pointer has another colour.
            try screen.click(x: 5, y: Screen.height - 5)
            #expect(waitUntil { screen.buttons().count == 3 })
            #expect(screen.shows(Self.white, on: Self.someNotification, keepingAs: "xfce-ongoing-held"))
            try call.say { $0.state = .active }
            let lower = try #require(screen.drawn()).bottom + 20
            let ring = try phone.call("R")
            try ring.waitForNotification(.shown)
            #expect(waitUntil { screen.drawn().map { $0.bottom > lower } ?? false }, "both are there")
            screen.keep("xfce-ongoing-second-call")
            try phone.belfry("decline")
            _ = ring.story()
            #expect(waitUntil { screen.drawn().map { $0.bottom < lower } ?? false })
            try screen.clickButton(2)
            #expect(call.nextChosen() == .end)
            call.leave()
            #expect(screen.shows(Self.white, on: 0...0, keepingAs: "xfce-ongoing-over"))
            try over()
        }

        @Test("the caller's picture is drawn, and stays with the missed call") func pictured() throws {
            let pictures = try HostileServer()
            let phone = try phone(pictures)
            let call = try phone.call("A", #""handle": "+49 123", "callerAvatar": "\#(pictures.url("png"))""#)
            try call.waitForNotification(.shown)
            #expect(screen.shows(Self.red, on: 200...20_000, keepingAs: "xfce-picture"))
            _ = try phone.hangUp("A").story()
            _ = call.story()
            // Its one button is Seen.
            #expect(waitUntil { screen.buttons().count == 1 })
            #expect(screen.shows(Self.red, on: 200...20_000, keepingAs: "xfce-missed"))
            try screen.clickButton(0)
            #expect(screen.shows(Self.white, on: 0...0, keepingAs: "xfce-seen"))
            #expect(waitUntil { phone.ledger().missedCalls.isEmpty })
            try over()
        }
    }
}

/// What Debian calls this machine's kind.
private func machine() -> String {
    var name = utsname()
    _ = unsafe uname(&name)
    return unsafe withUnsafeBytes(of: &name.machine) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
