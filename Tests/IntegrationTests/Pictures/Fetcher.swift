import BelfryPictures
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

/// One run of belfry-avatar, started as a worker starts it.
struct Fetcher {
    /// What it answered; nil if it did not.
    let answer: FetchAnswer?
    /// What it wrote to the picture's descriptor.
    let picture: [UInt8]
    /// How it ended.
    let status: ChildExit
    /// What it wrote to standard error.
    let complaint: String

    /// The reason it went without a picture; nil if there is one.
    var reason: SkipReason? { skip?.reason }
    /// What it says about that reason.
    var detail: String? { skip?.detail }

    private var skip: Skip? {
        guard case .skipped(let skip) = answer?.outcome else { return nil }
        return skip
    }

    /// Fetches `url`, allowed to reach this machine unless `allow` says otherwise, and waits for the end. It may take
    /// as long as any fetch, and one that takes longer is tried again: a fetcher gives way to all else on a busy
    /// machine.
    init(
        _ url: String, bytesMax: Int = FetchLimits.bodyBytesMax, milliseconds: Int = FetchLimits.millisecondsMax,
        allow: [String] = ["127.0.0.1", "localhost"], from: [String] = [], entityTag: String? = nil,
        environment: [String: String] = [:]
    ) throws {
        let request = FetchRequest(
            url: url, bytesMax: bytesMax, milliseconds: milliseconds, allow: allow, from: from, entityTag: entityTag)
        try self.init(line: request.line, environment: environment)
        for _ in 1..<5 where milliseconds == FetchLimits.millisecondsMax && reason == .timeout {
            self = try Self(line: request.line, environment: environment)
        }
    }

    /// Sends `line` as the request.
    init(line: [UInt8], environment: [String: String] = [:]) throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/picture"
        let output = OwnedDescriptor(
            owning: try checked("open") { unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) })
        let input = try DescriptorPair.pipe()
        let answer = try DescriptorPair.pipe()
        let errors = try DescriptorPair.pipe()
        var command = ChildCommand(
            path: testedProgram("belfry-avatar"),
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
        lseek(output.number, 0, SEEK_SET)
        picture = try readToEnd(output.number)
    }

    private static func read(_ line: [UInt8]) throws -> FetchAnswer {
        let answer = FetchAnswer(line: line)
        return try #require(answer, "\(String(decoding: line, as: UTF8.self))")
    }
}

/// All that comes from a descriptor until its other end is closed.
func readToEnd(_ descriptor: Int32) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = try checked("read") {
            unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        }
        guard count > 0 else { return bytes }
        bytes += piece[..<count]
    }
}

/// Writes all of `bytes`, fewer than a pipe holds.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws {
    let count = try checked("write") {
        unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }
    precondition(count == bytes.count, "a pipe is full")
}
