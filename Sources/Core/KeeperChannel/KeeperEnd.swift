import BelfryProtocol
public import BelfryTerms

/// The keeper's end of the channel: it reads what an extension's process says, and enforces the limits (S1, S5).
///
/// The process runs code that is not ours, and may write anything. A malformed message ends the channel. A message
/// beyond a limit is skipped, and a warning of ours replaces it. The first reply to a notification always passes.
public struct KeeperEnd: Sendable {
    /// How many requests of a second are passed on.
    public static let requestsPerSecondMax = 200
    /// How much of a notification's output is passed on, in bytes.
    public static let outputBytesMax = 64 << 10
    /// How many lines of a notification's output are passed on: each may become an entry of the journal.
    public static let outputLinesMax = 1_000
    /// How many warnings that the process gives of a notification are passed on.
    public static let warningsMax = 64
    /// How many attachments a reply may have.
    public static let attachmentsMax = 64
    /// How many notifications one request may name.
    public static let identifiersMax = 64
    /// How long a text for people is at most, in characters.
    public static let detailCharactersMax = 400

    /// The folders that belong to the extension.
    private let folders: ChannelFolders
    private var lines = LineFraming()
    /// The number that was handed over last.
    private var lastNumber: Int64 = 0
    /// When the second began in which requests are counted, and how many came in it.
    private var secondBegan: Instant?
    private var requests = 0
    /// What may still be said of each notification that was handed over, of the newest ``numbersMax``.
    private var due: [Int64: Due] = [:]
    /// How many bytes of output came since the last hand-over, how many lines, and how many warnings.
    private var (outputBytes, outputLines, warnings) = (0, 0, 0)
    /// Whether a warning has said since the last hand-over that something was skipped.
    private var hasWarned = false

    /// What a notification's code may still say once.
    private struct Due: Sendable {
        /// The reply, and one more, which is warned of.
        var replies = 2
        /// That `didReceive` has returned.
        var isReturnDue = true
    }

    /// How many notifications may be under way in a process: far more than can be within their budgets.
    private static let numbersMax: Int64 = 256

    /// An end of a new channel, over which only paths in `folders` may come.
    public init(folders: ChannelFolders) {
        self.folders = folders
    }

    /// The line that hands `request` over. Output is counted anew from here.
    public mutating func handOver(_ request: ExtensionRequest) -> [UInt8] {
        lastNumber = request.number
        (outputBytes, outputLines, warnings, hasWarned) = (0, 0, 0, false)
        due[lastNumber] = Due()
        due[lastNumber - Self.numbersMax] = nil
        return KeeperMessage.request(request).line
    }

    /// Takes bytes that came at `now` and returns the messages that are complete and within the limits.
    public mutating func take(_ bytes: [UInt8], at now: Instant) throws(ChannelError) -> [ExtensionMessage] {
        var messages: [ExtensionMessage] = []
        for line in try lines.said(bytes) {
            guard let message = try ChannelError.reading(line, ExtensionMessage.init) else { continue }
            messages += limited(message, at: now)
        }
        return messages
    }

    /// Takes text that the process wrote to standard output or standard error, which reach the keeper beside the
    /// channel.
    public mutating func take(output text: String, at now: Instant) -> [ExtensionMessage] {
        limited(.output(lastNumber, ExtensionOutput(text: text)), at: now)
    }

    private mutating func limited(_ message: ExtensionMessage, at now: Instant) -> [ExtensionMessage] {
        switch message {
        // Not counted: the request that a sound belongs to was counted before.
        case .hello, .disposed: return [message]
        // Nor is this, of which each word is answered.
        case .directory: return [message]
        case .returned(let number):
            guard due[number]?.isReturnDue == true else { return [] }
            due[number]?.isReturnDue = false
            return [message]
        case .sound(let found):
            let problem = found.problem.map(brief)
            return [.sound(FoundSound(token: found.token, sound: found.sound, problem: problem))]
        case .reply(let number, let content):
            guard let replies = due[number]?.replies, replies > 0 else { return [] }
            due[number]?.replies -= 1
            return reply(number, content)
        case .asked(let number, var asked):
            guard countsRequest(at: now) else { return cut("more than \(Self.requestsPerSecondMax) requests a second") }
            if let path = asked.path, !folders.contain(path) {
                let detail = "\(Printable.excerpt(of: path)) is not in the extension's folders"
                return [.warning(known(number), CodeWord(.unsupported), detail: detail)]
            }
            asked.detail = brief(asked.detail)
            if let identifiers = asked.identifiers, identifiers.count > Self.identifiersMax {
                asked.identifiers = Array(identifiers[..<Self.identifiersMax])
            }
            // The desktop that shows the notification would open its files.
            asked.content?.attachments = []
            asked.content?.picture = nil
            return [.asked(known(number), asked)]
        case .output(let number, let output):
            let bytes = output.text.utf8.count + output.subsystem.utf8.count + output.category.utf8.count
            guard outputBytes + bytes <= Self.outputBytesMax else {
                return cut("more than \(Self.outputBytesMax) bytes of output")
            }
            outputBytes += bytes
            return counted(output, known(number))
        case .warning(let number, let code, let detail):
            guard countsRequest(at: now) else { return cut("more than \(Self.requestsPerSecondMax) requests a second") }
            guard warnings < Self.warningsMax else { return cut("more than \(Self.warningsMax) warnings") }
            warnings += 1
            return [.warning(known(number), code, detail: brief(detail))]
        }
    }

    /// The reply without the attachments that are not the extension's to show, or too many, and what is to be said of
    /// these.
    private func reply(_ number: Int64, _ content: NotificationContent) -> [ExtensionMessage] {
        var content = content
        let strays = content.attachments.filter { !folders.contain($0.path) }
        content.attachments.removeAll { strays.contains($0) }
        var details = strays.map { "100 Invalid attachment file URL: \(Printable.excerpt(of: $0.id))" }
        details += content.attachments.dropFirst(Self.attachmentsMax).map {
            "more than \(Self.attachmentsMax) attachments: \(Printable.excerpt(of: $0.id))"
        }
        content.attachments = Array(content.attachments.prefix(Self.attachmentsMax))
        if let picture = content.picture, !folders.contain(picture.path) {
            content.picture = nil
            details.append("100 Invalid attachment file URL: the picture of an intent")
        }
        return DroppedAttachments.told(details).map {
            .warning(number, CodeWord(.attachmentDropped), detail: $0)
        } + [.reply(number, content)]
    }

    /// `output` as far as its lines may be passed on.
    private mutating func counted(_ output: ExtensionOutput, _ number: Int64) -> [ExtensionMessage] {
        let newline = UInt8(ascii: "\n")
        let ends = output.text.utf8.indices.filter { output.text.utf8[$0] == newline }
        let lines = ends.count + (output.text.utf8.last == newline ? 0 : 1)
        let left = Self.outputLinesMax - outputLines
        guard lines > left else {
            outputLines += lines
            return [.output(number, output)]
        }
        outputLines = Self.outputLinesMax
        let kept = ExtensionOutput(
            text: left > 0 ? String(output.text[...ends[left - 1]]) : "", priority: output.priority,
            subsystem: output.subsystem, category: output.category)
        return (left > 0 ? [.output(number, kept)] : []) + cut("more than \(Self.outputLinesMax) lines of output")
    }

    /// `number` if it was handed over; otherwise the last number, to which everything else is attributed.
    private func known(_ number: Int64) -> Int64 { (1...max(lastNumber, 1)).contains(number) ? number : lastNumber }

    private mutating func countsRequest(at now: Instant) -> Bool {
        if secondBegan.map({ now - $0 >= .seconds(1) }) ?? true { (secondBegan, requests) = (now, 0) }
        requests += 1
        guard requests > Self.requestsPerSecondMax else { return true }
        // Clamped, so that a hostile process cannot make the count overflow.
        requests = Self.requestsPerSecondMax + 1
        return false
    }

    /// Warns once for each hand-over that something is skipped.
    private mutating func cut(_ what: String) -> [ExtensionMessage] {
        guard !hasWarned else { return [] }
        hasWarned = true
        return [.warning(lastNumber, CodeWord(.outputCut), detail: what)]
    }

    private func brief(_ detail: String) -> String {
        Printable.excerpt(of: detail, charactersMax: Self.detailCharactersMax)
    }
}

/// The folders that paths from an extension may lead into: its own, its groups' containers, its bundle (S1).
///
/// Only the text of a path is checked. The code that opens the path must follow no link out of the folder (S2).
public struct ChannelFolders: Hashable, Sendable {
    private let paths: [String]

    /// The folders at `paths`, which are absolute and have no `.` or `..` in them.
    public init(_ paths: [String]) {
        self.paths = paths
    }

    /// Whether `path` is a plain path to something in one of the folders.
    public func contain(_ path: String) -> Bool {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else { return false }
        let isPlain = parts.dropFirst().allSatisfy { !$0.isEmpty && !$0.elementsEqual(".".utf8) && !isParent($0) }
        return isPlain && paths.contains { path.utf8.starts(with: "\($0)/".utf8) }
    }

    private func isParent(_ part: Substring.UTF8View) -> Bool { part.elementsEqual("..".utf8) }
}
