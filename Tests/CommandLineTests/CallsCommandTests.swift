import BelfryAlerts
import BelfryAppGroup
import BelfryCommandLine
import BelfryProtocol
import BelfryTerms
import CallLedger
import Support
import Testing
@testable import belfry

/// Missed calls and answers that wait, on the command line.
extension GroupCommandTests {
    @Test func missedCallsAreListedUntilTheyAreCleared() throws {
        #expect(run("calls", "--missed").output == "no missed call is listed in group.belfry\n")
        for id in ["one", "two", "three"] { try ring(id, name: "Anna\u{202E}", ownerIsDead: true) }
        let lines = run("calls", "--missed").lines
        #expect(lines.count == 4 && lines[0].hasPrefix("MISSED") && lines[1].contains("one"))
        #expect(lines[1].contains("Anna\\u{202e}") && lines[1].hasSuffix("-       -      audio  died"))
        let object = run("calls", "--missed", "--json").lines.first ?? ""
        #expect(object.contains(#""call":"one","name":"Anna"#) && object.contains(#""reason":"died""#))
        #expect(run("calls", "one").status == .usage)
        #expect(run("calls", "--clear-missed", "one").status == .done)
        #expect(run("calls", "--clear-missed", "one").complaints.contains("no missed call one is listed"))
        #expect(run("calls", "--missed", "--json").lines.count == 2)
        #expect(run("calls", "--clear-missed").status == .done)
        #expect(run("calls", "--missed", "--json").output == "")
    }

    @Test("a missed call is cleared by the UUID that an app gave it") func missedCallsAreClearedByUUID() throws {
        let uuid = "9F2C4A52-8D1D-4C52-9A6E-0E9F5A3B7C21"
        try ring("one", uuid: uuid, ownerIsDead: true)
        try ring("two", ownerIsDead: true)
        #expect(run("calls", "--clear-missed", uuid.lowercased()).status == .done)
        #expect(run("calls", "--clear-missed", uuid).complaints.contains("no missed call \(uuid) is listed"))
        #expect(run("calls", "--missed", "--json").lines.count == 1)
    }

    @Test func alertsAreListedWithTheirWholeTextUntilTheyAreCleared() throws {
        #expect(run("alerts").output == "no alert is listed\n" && run("alerts", "--json").output == "")
        let list = AlertList(in: StateDirectory(path: "\(folder.path)/state"))
        for (group, title) in [("group.a", "Lun\u{202E}ch"), ("group.b", "")] {
            var content = NotificationContent()
            (content.title, content.body, content.interruptionLevel) = (title, "one\n\ttwo", .passive)
            #expect(
                try list.add(ListedAlert(content, in: try #require(GroupName(group)), name: "chat", at: 1_700_000_000)))
        }
        let lines = run("alerts").lines
        #expect(lines.count == 7 && lines[0].hasSuffix("  group.a  passive"))
        #expect(lines[1...3] == ["  Lun\\u{202e}ch", "  one", "  \\u{9}two"])
        #expect(run("alerts", "--group", "group.b").lines.count == 3)
        let object = run("alerts", "--json").lines.last ?? ""
        #expect(object.contains(#""time":1700000000,"group":"group.b","alert":"chat","title":"","subtitle":"""#))
        #expect(object.hasSuffix(#""body":"one\n\ttwo","level":"passive"}"#))
        #expect(run("alerts", "--group", "../x").status == .usage)
        #expect(run("alerts", "--clear", "--group", "group.a").status == .done)
        #expect(run("alerts", "--json").lines == [object])
        #expect(run("alerts", "--clear").status == .done && run("alerts", "--json").output == "")
        folder.makeFolder("state/alerts")
        #expect(run("alerts").status == .unavailable)
    }

    @Test func answersAreCollectedOnce() throws {
        #expect(run("app", "pending").output == "no answer waits in group.belfry\n")
        try ring("one", name: "Anna")
        #expect(run("answer", "one").status == .done)
        for _ in 0..<2 { #expect(run("app", "pending").lines.last?.contains("one   Anna    -       audio") == true) }
        #expect(run("app", "pending", "--collect", "--json").output.contains(#""call":"one","name":"Anna""#))
        #expect(run("app", "pending", "--collect", "--json").output == "")
        #expect(run("app", "background", "--collect").complaints.contains("--collect goes with app pending"))
        #expect(run("app", "pending", "--pid", "1").complaints.contains("--pid goes with app foreground"))
    }
}
