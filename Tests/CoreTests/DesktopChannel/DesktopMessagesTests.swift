import BelfryProtocol
import BelfryTerms
import DesktopChannel
import Testing

@Suite("What a worker and the desktop say to each other") struct DesktopMessagesTests {
    @Test("a worker says whose events follow; what is left out of it is empty")
    func hello() throws {
        let group = try #require(GroupName("group.a"))
        let hello = DesktopHello(group: group, name: "Ada\n\u{202e}", handle: "+49", hasVideo: true)
        #expect(hello.line.last == UInt8(ascii: "\n") && hello.line.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(DesktopHello(line: hello.line) == hello)
        #expect(DesktopHello(line: Array(#"{"group": "group.a"}"#.utf8)) == DesktopHello(group: group))
        #expect(DesktopHello(line: Array(#"{"group": "a/b"}"#.utf8)) == nil)
        #expect(DesktopHello(line: Array(#"{"name": "Ada"}"#.utf8)) == nil)
    }

    @Test("a call that goes on is said whole; what is none, of a later version or of nobody's, is no first line")
    func ongoing() throws {
        var call = OngoingCall(call: "A\n", uuid: "U", app: "org.belfry.phone")
        (call.name, call.isMuted, call.state, call.group) = ("<b>\u{202e}", true, .held, 7)
        call.since = Instant(microseconds: .min)
        var hello = DesktopHello(group: try #require(GroupName("group.a")))
        hello.ongoing = call
        #expect(hello.line.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(DesktopHello(line: hello.line) == hello)
        let text = String(decoding: hello.line, as: UTF8.self)
        #expect(text.contains(#""state":"held""#))
        let later = text.split(separator: #""held""#, omittingEmptySubsequences: false).joined(separator: #""later""#)
        for line in [later, #"{"group": "group.a", "ongoing": []}"#, #"{"group": "group.a", "ongoing": {}}"#] {
            #expect(DesktopHello(line: Array(line.utf8)) == nil, "\(line)")
        }
        #expect(DesktopHello(line: Array(#"{"group": "group.a", "ongoing": null}"#.utf8))?.ongoing == nil)
    }

    private static let allReports: [DesktopReport] =
        [.first(isMuted: true, vibrates: false), .first(isMuted: false, vibrates: true), .muted(true), .muted(false)]
        + NotificationState.allCases.map { .notification($0, detail: "why \"not\"") }
        + VibrationState.allCases.map { .vibration($0, detail: "") }
        + [
            .chosen(.end), .chosen(.hold(true)), .chosen(.hold(false)), .chosen(.mute(true)), .chosen(.mute(false)),
            .chosen(.keypad("1,2\n")), .chosen(.merge), .chosen(.split), .chosen(.giveWay(to: "A", holds: true)),
            .chosen(.giveWay(to: "", holds: false)),
        ]

    @Test("every report is one line, and read back is the same report", arguments: allReports)
    func reports(report: DesktopReport) {
        #expect(report.line.last == UInt8(ascii: "\n"))
        #expect(DesktopReport(line: Array(report.line.dropLast())) == report)
    }

    @Test(
        "what a later desktop says, or nobody of ours, is passed over",
        arguments: [
            "", "{", "[]", "{}", #"{"report":"later"}"#, #"{"report":"notification","state":"later"}"#,
            #"{"report":"vibration"}"#, #"{"report":"chosen"}"#, #"{"report":"chosen","what":"later"}"#,
            #"{"report":"chosen","what":"keypad"}"#, #"{"report":"chosen","what":"hold-for"}"#,
        ])
    func unknown(line: String) {
        #expect(DesktopReport(line: Array(line.utf8)) == nil)
    }
}
