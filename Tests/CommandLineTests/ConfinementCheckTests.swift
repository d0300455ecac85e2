import BelfryCommandLine
import Support
import Testing
@testable import belfry

@Suite struct ConfinementCheckTests {
    @Test(
        "what belfry-avatar can be shut in by is told, and is a warning if a part is missing",
        arguments: [
            (true, 7, Finding.Level.ok, "system-call filters and Landlock version 7 (files, TCP ports, signals, "),
            (true, 6, .ok, "Landlock version 6 (files, TCP ports, signals, abstract sockets)"),
            (true, 5, .ok, "Landlock version 5 (files, TCP ports)"),
            (true, 4, .ok, "Landlock version 4 (files, TCP ports)"),
            (true, 3, .ok, "Landlock version 3 (files)"), (true, 1, .ok, "Landlock version 1 (files)"),
            (true, 0, .warn, "system-call filters and no Landlock"),
            (false, 7, .warn, "no system-call filters (seccomp) and Landlock version 7"),
        ]) func told(hasFilters: Bool, version: Int, level: Finding.Level, detail: String)
    {
        let finding = ConfinementChecks.finding(hasFilters: hasFilters, landlock: version)
        #expect(finding.level == level && finding.detail.contains(detail), "\(finding.detail)")
        #expect(finding.remedy.isEmpty == (level == .ok))
    }

    @Test("the doctor tells it of this machine, whose kernel has filters") func doctor() {
        let folder = TemporaryFolder()
        let run = CommandRun(["doctor", "--json", "--socket", "\(folder.path)/socket"], ["HOME": folder.path])
        let line = run.lines.first { $0.contains(#""confinement""#) }
        #expect(line?.contains("belfry-avatar has system-call filters and ") == true, "\(run.output)")
    }
}
