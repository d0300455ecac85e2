import BelfryProtocol
import BelfryTerms
import Testing

@testable import Showing

@Suite("How an alert is shown, and what a click does") struct AlertTests {
    private static func notice(_ change: (inout NotificationContent) -> Void) -> Notice {
        var content = NotificationContent()
        change(&content)
        return ShownAlert(content, in: Desk.group, name: "x").notice(click: nil)
    }

    @Test("the interruption level decides how much it presses, and a critical sound makes it critical")
    func urgency() {
        let expected: [InterruptionLevel: (Notice.Urgency, String)] = [
            .passive: (.low, ""), .active: (.normal, ""), .timeSensitive: (.normal, "x-belfry.time-sensitive"),
            .critical: (.critical, "x-belfry.critical"),
        ]
        for level in InterruptionLevel.allCases {
            let notice = Self.notice {
                $0.title = "t"
                $0.interruptionLevel = level
            }
            #expect(expected[level].map { notice.urgency == $0.0 && notice.category == $0.1 } == true, "\(level)")
            #expect(!notice.isRinging && !notice.isCall, "\(level)")
        }
        let heard = Self.notice {
            $0.title = "t"
            $0.sound = NotificationSound(name: "default", isCritical: true)
        }
        #expect(heard.urgency == .critical)
    }

    @Test("the whole text is shown, with its line breaks") func whole() {
        let body = (1...60).map { "Line \($0) of a long message" }.joined(separator: "\n")
        let notice = Self.notice {
            $0.title = String(repeating: "T", count: 300)
            $0.subtitle = "sub\tline"
            $0.body = body
        }
        #expect(notice.summary.count == 300)
        #expect(notice.body == "sub line\n" + body)
    }

    @Test("S3: lines are clean, of no more than two is one empty, and a text has an end") func lines() {
        #expect(NoticeText.cleanLines("a\r\n\r\n\n\nb\u{2028}\u{202E}c\u{0}\n\n") == "a\n\nb\nc ")
        #expect(NoticeText.cleanLines("\n\n") == "")
        let long = NoticeText.cleanLines(String(repeating: "x", count: NoticeText.alertMax + 9))
        #expect(long.unicodeScalars.count == NoticeText.alertMax + 1 && long.hasSuffix("…"))
        let many = NoticeText.cleanLines(String(repeating: "x\n", count: NoticeText.linesMax + 9))
        #expect(many.split(separator: "\n").count == NoticeText.linesMax)
    }

    @Test("a text without a title has its own first line above; a long one keeps all of it below") func untitled() {
        let short = Self.notice { $0.body = "Lunch?\nAt one." }
        #expect(short.summary == "Lunch?" && short.body == "At one.")
        let long = String(repeating: "word ", count: 40) + "end"
        let cut = Self.notice { $0.body = long }
        #expect(cut.body == long && cut.summary.hasSuffix("…") && cut.summary.count == ShownAlert.summaryMax + 1)
    }

    @Test("a click opens an alert where something is to open it, once, and that is gone then") func click() {
        var desk = Desk()
        desk.machine.opensAlerts = true
        _ = desk.told(desk.machine.alert(Desk.alert("t", "b", name: "x"), link: nil))
        #expect(desk.notices[1]?.actions == [Notice.Label(action: .standard, text: "Open")])
        _ = desk.machine.shown(1, as: 4)
        #expect(desk.machine.isBusy, "a click must reach somebody")
        #expect(desk.told(desk.machine.chosen("default", in: 4)) == ["open x", "close 4"])
        #expect(desk.told(desk.machine.chosen("default", in: 4)) == [])
    }

    @Test("without anything to open it a click is no choice, nor is it one of a call's") func noClick() {
        var desk = Desk()
        _ = desk.told(desk.machine.alert(Desk.alert("t", "b", name: "x"), link: nil))
        #expect(desk.notices[1]?.actions == [])
        _ = desk.machine.shown(1, as: 4)
        _ = desk.rings("A")
        _ = desk.machine.shown(2, as: 5)
        #expect(desk.told(desk.machine.chosen("default", in: 5)) == [])
    }
}
