import BelfryJSON
import BelfrySyscalls
import Glibc

/// A program of Belfry's that is asked for something before a test begins: with a command line, until it has ended.
struct AskedProgram {
    /// How much is read of what a command prints, and of what it complains of, in bytes.
    private static let answerBytesMax = 64 << 10

    /// How it ended.
    struct End {
        /// Whether it has done what it was asked for.
        let isSuccess: Bool
        /// What it printed.
        let output: [UInt8]
        /// The lines that it complained of.
        let complaints: [String]
    }

    /// Where it is.
    let path: String
    /// Its environment, complete.
    let environment: [String: String]

    /// The JSON object that it prints for `words`.
    func object(_ words: [String]) throws(SystemError) -> JSONObject {
        guard let object = (try? JSONValue.parse(try ask(words)))?.objectValue else {
            throw SystemError(errno: EPROTO, call: name, subject: words.joined(separator: " "))
        }
        return object
    }

    /// What it prints for `words`; throws if it fails. What it complains of is passed on.
    @discardableResult
    func ask(_ words: [String]) throws(SystemError) -> [UInt8] {
        let end = try run(words)
        for line in end.complaints { complain(line) }
        guard end.isSuccess else {
            throw SystemError(errno: ECHILD, call: name, subject: words.joined(separator: " "))
        }
        return end.output
    }

    /// Runs it with `words` to its end.
    func run(_ words: [String]) throws(SystemError) -> End {
        let output = try DescriptorPair.pipe()
        let errors = try DescriptorPair.pipe()
        let child = try ChildProcess(
            ChildCommand(
                path: path, arguments: words, environment: environment,
                streams: [
                    STDIN_FILENO: .null, STDOUT_FILENO: .descriptor(output.writing.number),
                    STDERR_FILENO: .descriptor(errors.writing.number),
                ]))
        // With our ends open, their ends would never be read.
        output.writing.close()
        errors.writing.close()
        var read = [output.reading.number: [UInt8](), errors.reading.number: []]
        var open = Set(read.keys)
        while !open.isEmpty {
            // Both at once: it may wait for room in either.
            var polled = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            try checked("poll", on: name) { unsafe poll(&polled, nfds_t(polled.count), -1) }
            for entry in polled where entry.revents != 0 {
                let chunk = try chunk(of: entry.fd)
                if chunk.isEmpty { open.remove(entry.fd) }
                if read[entry.fd]?.count ?? 0 < Self.answerBytesMax { read[entry.fd]?.append(contentsOf: chunk) }
            }
        }
        let complaints = String(decoding: read[errors.reading.number] ?? [], as: UTF8.self)
        return End(
            isSuccess: try child.waitUntilExit().isSuccess, output: read[output.reading.number] ?? [],
            complaints: complaints.split(separator: "\n").map(String.init))
    }

    private func chunk(of descriptor: Int32) throws(SystemError) -> ArraySlice<UInt8> {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        let count = try checked("read", on: name) { unsafe read(descriptor, &chunk, chunk.count) }
        return chunk[..<count]
    }

    private var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
