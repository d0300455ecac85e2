public import BelfryPictures
public import BelfrySyscalls
import BelfryTerms
import CBelfryCurl
import CBelfryLinux
import Glibc

/// One fetch, from request to picture: the whole of what belfry-avatar does.
public enum FetchRun {
    /// Shuts the process in (step 1 of its confinement), reads a request from standard input, does what it asks and
    /// answers. Throws if it cannot shut itself in or read the request; the worker then gets no answer.
    public static func answerStandardInput() throws(SystemError) -> FetchAnswer {
        try FetcherConfinement.confineProcess()
        let line = try readLine(from: STDIN_FILENO, bytesMax: FetchLimits.requestBytesMax)
        // The request is a file, which could be mapped as code, and the sender of the push chooses some of its content.
        close(STDIN_FILENO)
        openMissingStandardDescriptors()
        guard let request = FetchRequest(line: line) else {
            throw SystemError(errno: EINVAL, call: "request", subject: "standard input")
        }
        let deadline = FetchDeadline(milliseconds: request.milliseconds)
        try FetcherConfinement.confineTime(milliseconds: request.milliseconds)
        do throws(Skip) {
            let (outcome, freshness) = try fetch(request, deadline: deadline)
            return FetchAnswer(outcome, seconds: deadline.secondsSpent, freshness: freshness)
        } catch {
            return FetchAnswer(.skipped(error), seconds: deadline.secondsSpent)
        }
    }

    /// Writes the answer to standard output. It is no error that the reader has left.
    public static func write(_ answer: FetchAnswer) throws(SystemError) {
        try writeAll(answer.line, to: STDOUT_FILENO)
    }

    private static func fetch(
        _ request: FetchRequest, deadline: FetchDeadline
    ) throws(Skip) -> (FetchAnswer.Outcome, Freshness) {
        let rules = DestinationRules(allow: request.allow, from: request.from)
        let url = try WebURL(request.url)
        // A URL that is refused here costs nothing: the libraries are not even started.
        if let refusal = rules.refusal(of: url) { throw refusal }
        FetcherConfinement.confineToNetwork(ports: rules.isStrict ? DestinationRules.portsOpen.sorted() : nil)
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else {
            throw Skip(.transferFailed, "libcurl cannot be started")
        }
        switch try transfer(url, request: request, rules: rules, deadline: deadline) {
        case .unchanged(let freshness): return (.unchanged, freshness)
        case .redirect: preconditionFailure("redirects are followed")
        case .body(let body, let freshness):
            let header = try PictureHeader(of: body)
            let decoder = try PictureDecoder(header.format)
            FetcherConfinement.confineToDecoding()
            // Only what the pixels need: a PNG with 900 texts of 7 MiB took the decoder 14 s.
            let frame = FirstFrame.only(of: body, as: header.format)
            let (png, width, height) = try decoder.decode(frame, deadline: deadline)
            try store(png)
            let picture = FetchAnswer.Picture(
                source: header.format, width: width, height: height, bytes: png.count, fetchedBytes: body.count)
            return (.picture(picture), freshness)
        }
    }

    /// Follows redirects itself, so that each place is judged like the first.
    private static func transfer(
        _ first: WebURL, request: FetchRequest, rules: DestinationRules, deadline: FetchDeadline
    ) throws(Skip) -> Transfer.Outcome {
        var url = first
        for redirects in 0...FetchLimits.redirectsMax {
            if redirects > 0, let refusal = rules.refusal(of: url) {
                // The sender of the push must not learn where a server redirects others.
                guard refusal.reason == .addressRefused else { throw refusal }
                throw Skip(.addressRefused, "\(first.hostText) redirects to an address that is not public")
            }
            guard !deadline.hasPassed else { throw Skip(.timeout, "no picture came \(deadline.description)") }
            let transfer = try Transfer(url, rules: rules, bytesMax: request.bytesMax)
            let outcome = try transfer.perform(
                milliseconds: deadline.millisecondsLeft, entityTag: request.entityTag)
            guard case .redirect(let location) = outcome else { return outcome }
            url = try url.resolving(location)
        }
        throw Skip(
            .tooManyRedirects, "\(first.hostText) redirects more than \(FetchLimits.redirectsMax) times")
    }

    private static func store(_ png: [UInt8]) throws(Skip) {
        do throws(SystemError) {
            try writeAll(png, to: FetcherConfinement.pictureDescriptor)
        } catch {
            throw Skip(.writeFailed, "the picture cannot be written: \(error.reason)")
        }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try checked("write") {
                unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(count)
        }
    }

    /// The bytes up to the first newline or the end; bytes that were read along with them are dropped.
    private static func readLine(from descriptor: Int32, bytesMax: Int) throws(SystemError) -> [UInt8] {
        var line: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while line.count <= bytesMax {
            let count = try checked("read", on: "standard input") {
                unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            }
            let end = piece[..<count].firstIndex(of: UInt8(ascii: "\n"))
            line += piece[..<(end ?? count)]
            guard count > 0, end == nil else { return line }
        }
        throw SystemError(errno: EMSGSIZE, call: "read", subject: "standard input")
    }
}

/// When a fetch must have answered.
struct FetchDeadline {
    private let start = bootTimeMicroseconds()
    private let milliseconds: Int

    /// A deadline `milliseconds` from now.
    init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// Seconds since the start.
    var secondsSpent: Double { Double(bootTimeMicroseconds() - start) / 1_000_000 }

    /// Milliseconds that are left, rounded down; 0 once it has passed.
    var millisecondsLeft: Int { max(0, milliseconds - Int((bootTimeMicroseconds() - start) / 1_000)) }

    /// Whether it has passed.
    var hasPassed: Bool { millisecondsLeft == 0 }

    /// In words.
    var description: String { "within \(milliseconds) ms" }
}
