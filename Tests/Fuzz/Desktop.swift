// What a worker and the desktop write to each other. A trap is a finding, and so is a line that changes when it is
// written again.
import DesktopChannel

func feedDesktop(_ bytes: [UInt8]) {
    if let report = DesktopReport(line: bytes) {
        precondition(DesktopReport(line: report.line) == report, "a report changes")
    }
    if let hello = DesktopHello(line: bytes) {
        precondition(DesktopHello(line: hello.line) == hello, "a first line changes")
    }
}
