import BelfryEventLoop
import BelfrySyscalls
import Glibc
import Support

/// A `test-tool group` at work on a place's file; killed when this object ends.
final class GroupProcess {
    let child: ChildProcess
    private let input: OwnedDescriptor
    private let output: OwnedDescriptor
    private var unread: [UInt8] = []

    /// Starts it, under `prlimit` with `limits` if there are any.
    init(_ verb: String, _ place: Place, count: Int = 1, limits: [String] = []) throws {
        let input = try DescriptorPair.pipe()
        let output = try DescriptorPair.pipe()
        let tool = builtProgram("test-tool")
        let arguments = ["group", verb, place.path, "group.test", "\(count)"]
        let limited = !limits.isEmpty
        var command = ChildCommand(path: limited ? "/usr/bin/prlimit" : tool)
        command.arguments = limited ? limits + [tool] + arguments : arguments
        command.streams = [0: .descriptor(input.reading.number), 1: .descriptor(output.writing.number)]
        child = try ChildProcess(command)
        self.input = try input.writing.duplicate()
        self.output = try output.reading.duplicate()
    }

    /// The next line it prints; nil at its end.
    func line() throws -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let number = output.number
            let count = try checked("read") {
                unsafe chunk.withUnsafeMutableBytes { unsafe read(number, $0.baseAddress, $0.count) }
            }
            guard count > 0 else { return nil }
            unread += chunk[..<count]
        }
    }

    /// All it prints until its end.
    func rest() throws -> [String] {
        var lines: [String] = []
        while let line = try line() { lines.append(line) }
        return lines
    }
}
