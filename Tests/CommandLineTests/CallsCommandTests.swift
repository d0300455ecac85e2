import BelfryCommandLine
import CallLedger
import Testing
@testable import belfry

/// Missed calls and answers that wait, on the command line.
extension GroupCommandTests {
    @Test func missedCallsAreListedUntilTheyAreCleared() throws {
        #expect(run("calls", "--missed").output == "no missed call is listed in group.belfry\n")
        for id in ["one", "two", "three"] { try ring(id, name: "Anna\u{202E}", ownerIsDead: true) }
        let lines = run("calls", "--missed").lines
        #expect(lines.count == 4 && lines[0].hasPrefix("MISSED") && lines[1].contains("one"))
        #expect(lines[1].contains("Anna\\u{202e}") && lines[1].hasSuffix("-       audio  died"))
        let object = run("calls", "--missed", "--json").lines.first ?? ""
        #expect(object.contains(#""call":"one","name":"Anna"#) && object.contains(#""reason":"died""#))
        #expect(run("calls", "one").status == .usage)
        #expect(run("calls", "--clear-missed", "one").status == .done)
        #expect(run("calls", "--clear-missed", "one").complaints.contains("no missed call one is listed"))
        #expect(run("calls", "--missed", "--json").lines.count == 2)
        #expect(run("calls", "--clear-missed").status == .done)
        #expect(run("calls", "--missed", "--json").output == "")
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
