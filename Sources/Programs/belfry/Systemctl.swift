import BelfryCommandLine
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Glibc

/// Asks the user's service manager through systemctl(1).
enum Systemctl {
    private static let path = "/usr/bin/systemctl"

    /// The output of `systemctl --user` with `arguments`; nil if it fails, is missing or is too slow.
    static func ask(_ arguments: [String], patience: TimeSpan = ProgramAnswer.patience) -> String? {
        ProgramAnswer.of(path, ["--user"] + arguments, patience: patience)
    }

    /// The property `name` of `unit`, empty if it has no value; nil if no manager answers. Only the first line, unless
    /// `joined`.
    static func property(_ name: String, of unit: String, joined: Bool = false) -> String? {
        guard let answer = ask(["show", "--property=\(name)", "--value", unit]) else { return nil }
        return joined ? answer : answer.split(separator: "\n").first.map(String.init) ?? ""
    }
}

/// The environment that the user's service manager gives to workers.
enum UnitEnvironment {
    /// The variables of the worker's unit; nil if no user manager answers.
    static func read() -> [String: String]? {
        guard let manager = Systemctl.ask(["show-environment"]) else { return nil }
        let unit = Systemctl.property("Environment", of: "belfry@0.service") ?? ""
        var variables: [String: String] = [:]
        for line in manager.split(separator: "\n") { add(String(line), to: &variables) }
        // The unit's variables win over the manager's.
        for word in words(unit) { add(word, to: &variables) }
        return variables
    }

    private static func add(_ assignment: String, to variables: inout [String: String]) {
        guard let equals = assignment.utf8.firstIndex(of: UInt8(ascii: "=")) else { return }
        let value = String(assignment[assignment.utf8.index(after: equals)...])
        variables[String(assignment[..<equals])] = unquoted(value)
    }

    /// The words of a list that systemctl prints. Words with spaces are in double quotes.
    static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        var isEscaped = false
        for character in text.unicodeScalars {
            if isEscaped {
                word.unicodeScalars.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == " ", !isQuoted {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.unicodeScalars.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }

    /// `value` without the shell quotes `$'…'` that show-environment puts around some values. Belfry's variables need
    /// no other escape than the backslash.
    private static func unquoted(_ value: String) -> String {
        guard value.hasPrefix("$'"), value.hasSuffix("'"), value.utf8.count > 2 else { return value }
        var text = ""
        var isEscaped = false
        for character in value.dropFirst(2).dropLast().unicodeScalars {
            if !isEscaped, character == "\\" {
                isEscaped = true
            } else {
                text.unicodeScalars.append(character)
                isEscaped = false
            }
        }
        return text
    }
}

/// Runs another program and reads its output, with limits on time and size.
final class ProgramAnswer {
    /// How long a program may take if its caller does not say; then it is killed.
    static let patience = TimeSpan.seconds(5)
    /// About how many bytes of a program's output are kept; the rest is dropped.
    private static let bytesMax = 1 << 20

    private let loop: Loop
    private let reading: OwnedDescriptor
    private var bytes: [UInt8] = []
    private var isSuccess = false

    /// The output of the program at `path`; nil if it cannot be started, fails or is killed. Its environment is this
    /// process's own, unless it is given.
    static func of(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil, patience: TimeSpan = patience
    ) -> String? {
        do throws(SystemError) {
            let pipe = try DescriptorPair.pipe()
            let child = try ChildProcess(
                ChildCommand(
                    path: path, arguments: arguments, environment: environment,
                    streams: [0: .null, 1: .descriptor(pipe.writing.number), 2: .null]))
            let answer = ProgramAnswer(try Loop(), try pipe.reading.duplicate())
            try answer.follow(child, patience)
            return answer.isSuccess ? String(decoding: answer.bytes, as: UTF8.self) : nil
        } catch {
            return nil
        }
    }

    private init(_ loop: Loop, _ reading: consuming OwnedDescriptor) {
        self.loop = loop
        self.reading = reading
    }

    private func follow(_ child: ChildProcess, _ patience: TimeSpan) throws(SystemError) {
        try checked("fcntl", on: "F_SETFL") { fcntl(reading.number, F_SETFL, O_NONBLOCK) }
        let source = try loop.watch(descriptor: reading.number, events: .readable, description: "answer") {
            [unowned self] _ in take()
        }
        defer { source.cancel() }
        let exit = try loop.onExit(of: child, description: "program") { [unowned self] status in
            isSuccess = status.isSuccess
            loop.stop()
        }
        defer { exit.cancel() }
        let timer = loop.schedule(at: loop.now + patience, description: "patience") { [unowned self] in
            loop.stop()
        }
        loop.run()
        timer.cancel()
        // The program's end may be seen before its last output.
        take()
    }

    /// Reads what can be read without waiting.
    private func take() {
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe read(reading.number, buffer.baseAddress, buffer.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            if bytes.count < Self.bytesMax { bytes.append(contentsOf: chunk.prefix(count)) }
        }
    }
}
