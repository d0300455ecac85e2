import BelfrySyscalls
import Support

/// A command that is typed, and goes on while the test does something else.
final class TypedCommand {
    private let process: ChildProcess
    private let errors: LineReader

    init(_ arguments: [String], for phone: Phone) throws {
        let pipe = try DescriptorPair.pipe()
        process = try ChildProcess(
            ChildCommand(
                path: "\(Surroundings.programs)/belfry", arguments: arguments,
                environment: inherited().merging(phone.environment) { $1 },
                streams: [0: .null, 1: .null, 2: .descriptor(pipe.writing.number)]))
        pipe.writing.close()
        errors = LineReader(pipe.reading)
    }

    /// Whether it has done what it was to do, and what it says if not.
    func end() throws -> (isDone: Bool, errors: String) {
        let text = errors.next(within: Client.patienceMilliseconds) ?? ""
        return (try process.waitUntilExit().isSuccess, text)
    }
}
