import BelfryJSON
import BelfrySyscalls
import Glibc

/// A program of Belfry's that is asked for something before a test begins: with a command line, until it has ended.
struct AskedProgram {
    /// How much is read of what a command prints, in bytes.
    private static let answerBytesMax = 64 << 10

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

    /// What it prints for `words`; throws if it fails.
    @discardableResult
    func ask(_ words: [String]) throws(SystemError) -> [UInt8] {
        let pipe = try DescriptorPair.pipe()
        let child = try ChildProcess(
            ChildCommand(
                path: path, arguments: words, environment: environment,
                streams: [STDIN_FILENO: .null, STDOUT_FILENO: .descriptor(pipe.writing.number)]))
        // With our end open, the loop below would never read the end.
        pipe.writing.close()
        let number = pipe.reading.number
        var answer: [UInt8] = []
        while answer.count < Self.answerBytesMax {
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = try checked("read", on: name) { unsafe read(number, &chunk, chunk.count) }
            guard count > 0 else { break }
            answer += chunk[..<count]
        }
        guard try child.waitUntilExit().isSuccess else {
            throw SystemError(errno: ECHILD, call: name, subject: words.joined(separator: " "))
        }
        return answer
    }

    private var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
