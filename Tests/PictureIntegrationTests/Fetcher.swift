import BelfryTerms
import BelfryPictures
import BelfrySyscalls
import Glibc
import Testing

/// One run of belfry-avatar, as a worker would start it.
struct Fetcher {
    /// What it answered; nil where it did not.
    let answer: FetchAnswer?
    /// What it wrote to the picture's descriptor.
    let picture: [UInt8]
    /// How it ended.
    let status: ChildExit
    /// What it wrote to standard error.
    let complaint: String

    /// The reason it went without a picture; nil where there is one.
    var reason: SkipReason? {
        guard case .skipped(let skip) = answer?.outcome else { return nil }
        return skip.reason
    }

    /// Fetches `url`, allowed to reach this machine unless `allow` says otherwise, and waits for the end.
    init(
        _ url: String, bytesMax: Int = FetchLimits.bodyBytesMax, milliseconds: Int = 10_000,
        allow: [String] = ["127.0.0.1", "localhost"], from: [String] = [], entityTag: String? = nil,
        environment: [String: String] = [:]
    ) throws {
        let request = FetchRequest(
            url: url, bytesMax: bytesMax, milliseconds: milliseconds, allow: allow, from: from, entityTag: entityTag)
        try self.init(line: request.line, environment: environment)
    }

    /// Sends `line` as the request.
    init(line: [UInt8], environment: [String: String] = [:]) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/picture"
        let output = OwnedDescriptor(
            owning: try checked("open") { unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) })
        let input = try DescriptorPair.pipe()
        let answer = try DescriptorPair.pipe()
        let errors = try DescriptorPair.pipe()
        var command = ChildCommand(
            path: SourceTree.program("belfry-avatar"),
            environment: environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { given, _ in given })
        command.streams = [
            0: .descriptor(input.reading.number), 1: .descriptor(answer.writing.number),
            2: .descriptor(errors.writing.number), 3: .descriptor(output.number),
        ]
        let child = try ChildProcess(command)
        answer.writing.close()
        errors.writing.close()
        try writeAll(line, to: input.writing.number)
        input.writing.close()
        let text = try readToEnd(answer.reading.number)
        complaint = String(decoding: try readToEnd(errors.reading.number), as: UTF8.self)
        status = try child.waitUntilExit()
        self.answer = text.isEmpty ? nil : try Self.read(text)
        picture = try contents(of: path)
    }

    private static func read(_ line: [UInt8]) throws -> FetchAnswer {
        let answer = FetchAnswer(line: line)
        return try #require(answer, "\(String(decoding: line, as: UTF8.self))")
    }
}
