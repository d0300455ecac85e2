// What a worker and the desktop write to each other. A trap is a finding, and so is a line that changes when it is
// written again.
import BelfryJSON
import DesktopChannel

func feedDesktop(_ bytes: [UInt8]) {
    if let report = DesktopReport(line: bytes) {
        precondition(DesktopReport(line: report.line) == report, "a report changes")
    }
    guard case .object(let object)? = try? JSONValue.parse(bytes), let hello = DesktopHello(object) else { return }
    guard case .object(let again)? = try? JSONValue.parse(hello.line), DesktopHello(again) == hello else {
        preconditionFailure("a first line changes")
    }
}
