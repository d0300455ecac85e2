import BelfryCommandLine
import Testing

@testable import belfry

/// What the doctor says of units, and the unit in which it tries an extension.
@Suite struct UnitChecksTests {
    private static let all = [
        "belfry@.service", "belfry-tidy.service", "belfry-extension.service", "belfry-desktop.service",
        "belfry-bus.service", "belfry-calls.service", "belfry-apns.service",
    ]

    @Test("where hardened.conf is in force is said, and what is lost by it without user namespaces")
    func hardening() {
        let cases: [(units: [String], works: Bool, Finding.Level, detail: String)] = [
            ([], true, .ok, "is not in force, and would work here"), ([], false, .ok, "would not work here"),
            (Self.all, true, .ok, "in force for all units"), (Self.all, false, .fail, "every call is lost"),
            (["belfry-apns.service"], true, .ok, "in force for belfry-apns.service"),
            (["belfry-apns.service"], false, .fail, "do not work here: they do not start"),
        ]
        for (units, works, level, detail) in cases {
            let finding = UnitChecks.hardening(of: units, works: works)
            #expect(finding.level == level && finding.detail.contains(detail), "\(finding)")
            #expect(finding.remedy.isEmpty == (level == .ok))
        }
    }

    @Test("the unit of a trial runs nothing else, and takes each path as it is")
    func trialUnit() {
        let lines = TrialUnit.lines(
            running: #"/a b/%i"\x"#, ["B": "$x\ny", "A": "1"], answeringTo: "/run/%t/answer")
        #expect(
            lines == #"""
                [Service]
                ExecStart=
                ExecStart=:"/a b/%%i\"\\x" --trial
                StandardInput=null
                StandardOutput=file:/run/%%t/answer
                Environment="A=1" "B=$x\ny"

                """#)
    }

    @Test("what a trial says is told with how it was tried, and that it said nothing")
    func verdicts() {
        let good = ExtensionChecks.finding(#"{"good":true,"detail":"d","remedy":""}"#, "so")
        #expect(good == Finding(.ok, "extension", "d; so"))
        let bad = ExtensionChecks.finding(#"{"good":false,"detail":"d","remedy":"r"}"#, "so")
        #expect(bad == Finding(.fail, "extension", "d; so", mend: "r"))
        for answer in [nil, "", "x", "{}", #"{"good":1,"detail":"d","remedy":""}"#] {
            let none = ExtensionChecks.finding(answer, "so")
            #expect(none.level == .fail && none.detail.contains("is not run") && !none.remedy.isEmpty)
        }
    }
}
