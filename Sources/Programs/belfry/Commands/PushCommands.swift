import BelfryCommandLine
import BelfryEventLoop
import BelfryJSON
import BelfryProtocol
import BelfryPush
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc

extension Command {
    static let noFollow = Option("no-follow", "leave as soon as the notification is accepted")

    /// `belfry push`.
    static let push = Command(
        name: "push", synopsis: ["push FILE|- [--no-follow]", "push FILE|- --explain"],
        summary: "inject a payload or an envelope, and follow it",
        details: """
            FILE holds one JSON object: an APNs payload (it has "aps"; a simctl push file is one), or an envelope
            {"payload": {...}, "id": ..., "pushType": ..., "sentAt": ..., "expiration": ..., "appGroup": ...}.
            "-" is standard input. With --group the notification is pushed for that app group.
            With --explain nothing is pushed: it says what the notification would be taken for and why, which field gave
            what of a call, and what to do about each warning.
            """,
        options: [Option("explain", "say what it is taken for, and push nothing"), noFollow], arguments: 1...1
    ) { context throws(CommandError) in
        let notification = try NotificationFile.read(context.options.arguments[0])
        let addressed = addressed(notification, to: context.statedGroup)
        guard !context.options.has("explain") else { return PushExplanation.run(addressed, context) }
        return try PushRun.push(addressed, context)
    }

    /// `notification` in an envelope for the app group `group`; unchanged if `group` is nil. If the notification is no
    /// JSON object, it is unchanged too, and the worker says what is wrong with it.
    static func addressed(_ notification: [UInt8], to group: String?) -> [UInt8] {
        guard let group, let value = try? JSONValue.parse(notification), var object = value.objectValue else {
            return notification
        }
        if object["aps"] != nil || object["payload"] == nil { object = ["payload": .object(object)] }
        object["appGroup"] = .string(group)
        return JSONValue.object(object).serialized()
    }
}

/// The file that `belfry push` reads.
enum NotificationFile {
    /// A file is read up to about this many bytes: more than the worker accepts, so that the worker rejects a file that
    /// is too large.
    static let bytesMax = 1 << 20

    /// The bytes of the file at `path`; `-` is standard input.
    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        do throws(SystemError) {
            guard path != "-" else { return try bytes(of: STDIN_FILENO, "standard input") }
            let number = try checked("open", on: path) { unsafe open(path, O_RDONLY | O_CLOEXEC) }
            let file = OwnedDescriptor(owning: number)
            return try bytes(of: file.number, path)
        } catch {
            let isMissing = error.errno == ENOENT || error.errno == ENOTDIR
            throw CommandError(
                isMissing ? .notFound : .badNotification, "the notification cannot be read", "\(error)")
        }
    }

    private static func bytes(of descriptor: Int32, _ name: String) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < bytesMax {
            let count = try checked("read", on: name) {
                unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            }
            guard count > 0 else { break }
            bytes.append(contentsOf: chunk.prefix(count))
        }
        return bytes
    }
}

extension Command {
    /// `belfry call`.
    static let call = Command(
        name: "call", synopsis: ["call [--name NAME] [--handle NUMBER] [--video] [--id ID] [OPTION]..."],
        summary: "push a call request, print the call's id, and follow it",
        details: """
            The id is the first line, alone, so that a script can hang up: id=$(belfry call --no-follow).
            With --json it is the "call" of the first event.
            """,
        options: [
            Option("name", "NAME", "who calls"), Option("handle", "NUMBER", "their number or SIP address"),
            Option("video", "it is a video call"), Option("avatar", "URL", "their picture, http or https"),
            Option("id", "ID", "the call's id, 1 to 128 bytes (a random UUID)"),
            Option("duration", "TIME", "ring so long, from 1s, such as 10s; never longer than [Ring] Duration="),
            noFollow,
        ]
    ) { context throws(CommandError) in
        let request = try request(context)
        let notification = enclosed(request.payload(), context)
        return try PushRun.push(notification, context) {
            if !context.wantsJSON { context.output.line(request.callID) }
        }
    }

    /// `belfry hangup`.
    static let hangup = Command(
        name: "hangup", synopsis: ["hangup [ID] [--reason REASON]"],
        summary: "push a hangup, as the caller's side does, and follow it",
        details: """
            Without ID the call that rings loud is hung up. An ID that does not ring is no mistake: for ten minutes a call
            request with it will not ring.
            """,
        options: [
            Option("reason", "REASON", HangupReason.allCases.map(\.rawValue).joined(separator: ", ")), noFollow,
        ],
        arguments: 0...1
    ) { context throws(CommandError) in
        var reason = HangupReason.cancelled
        if let word = context.options["reason"] {
            guard let known = HangupReason(rawValue: word) else {
                let reasons = HangupReason.allCases.map(\.rawValue)
                throw CommandError(.usage, "there is no reason \(word)", "one of " + reasons.joined(separator: ", "))
            }
            reason = known
        }
        var id = context.options.arguments.first ?? ""
        if context.options.arguments.isEmpty { id = try loudestCall(context).text }
        try checkID(id, mayBeEmpty: true)
        // Who knows the call by its app's UUID; what does not ring here is pushed as it was named.
        if let ledger = try? GroupAccess(context).knownLedger() { id = ledger.key(of: CallKey(id)).text }
        return try PushRun.push(enclosed(Hangup(callID: id, reason: reason).payload(), context), context)
    }

    private static func request(_ context: Context) throws(CommandError) -> CallRequest {
        let options = context.options
        let id = options["id"] ?? randomUUID()
        try checkID(id, mayBeEmpty: false)
        var request = CallRequest(callID: id, callerName: options["name"], handle: options["handle"])
        request.hasVideo = options.has("video")
        if let avatar = options["avatar"] {
            guard CallerPicture.isAddress(avatar) else {
                throw CommandError(
                    .usage, "\(avatar) is no address of a picture", "http or https, such as https://example.org/a.png")
            }
            request.callerAvatar = .url(avatar)
        }
        if let text = options["duration"] {
            guard let duration = ValueText.duration(text, from: .seconds(1)) else {
                throw CommandError(.usage, "\(text) is no duration of a ring", "1s or more, such as 10s or 1500ms")
            }
            request.duration = duration
            let longest = context.loaded.settings.ringDuration
            if duration > longest, options.has(noFollow.name) {
                context.warn("[Ring] Duration= ends it after \(DecimalText.seconds(longest.seconds))")
            }
        }
        return request
    }

    private static func checkID(_ id: String, mayBeEmpty: Bool) throws(CommandError) {
        let isBounded = id.utf8.count <= CallRequest.callIDBytesMax && (mayBeEmpty || !id.isEmpty)
        let isPlain = id.unicodeScalars.allSatisfy(CallRequest.callIDMayHold)
        guard isBounded, isPlain else {
            let expected = "1 to \(CallRequest.callIDBytesMax) bytes without control characters, U+FFFE and U+FFFF"
            throw CommandError(.usage, "that is no call id", expected)
        }
    }

    private static func enclosed(_ payload: JSONObject, _ context: Context) -> [UInt8] {
        JSONValue.object(Envelope(appGroup: context.statedGroup).enclosing(payload)).serialized()
    }
}

/// One push from the command line: sends it, prints its events, and returns how it ended.
final class PushRun {
    private let context: Context
    private let loop: Loop
    private let text: EventText
    private let follows: Bool
    private var connection: PushConnection?
    private var failure: PushError?
    /// The worker's reason for rejecting the notification.
    private var rejection: String?
    private var isAccepted = false
    /// The id of the call that rings.
    private var ringing: String?
    private var isInterrupted = false
    private var isHangup = false
    private var isAlert = false
    /// Why the hangup could not be recorded.
    private var unrecorded: String?

    /// Pushes `notification` and returns how that ended; `connected` is called before the first event is printed.
    static func push(
        _ notification: [UInt8], _ context: Context, connected: () -> Void = {}
    ) throws(CommandError) -> ProgramStatus {
        try PushRun(context, try Command.makeLoop()).push(notification, connected)
    }

    private init(_ context: Context, _ loop: Loop) {
        self.context = context
        self.loop = loop
        text = EventText(style: context.style)
        follows = !context.options.has("no-follow")
    }

    private func push(_ notification: [UInt8], _ connected: () -> Void) throws(CommandError) -> ProgramStatus {
        let socket = try context.socket()
        do throws(PushError) {
            connection = try PushConnection(
                to: socket, sending: notification, on: loop,
                // One try tells whether another program than the one that is missing is started.
                patience: Self.missingWorker == nil ? PushConnection.connectPatience : .zero,
                onLine: { [self] line in print(line) },
                onEnd: { [self] error in
                    failure = error
                    loop.stop()
                })
        } catch {
            throw CommandError(error)
        }
        connected()
        try expectInterrupt()
        loop.run()
        return try conclusion()
    }

    private func expectInterrupt() throws(CommandError) {
        // A shell lets background commands of a script ignore Ctrl-C: that must stay so.
        guard !isIgnored(signal: SIGINT) else { return }
        do throws(SystemError) {
            try loop.onSignal(SIGINT, description: "Ctrl-C") { [self] _ in
                isInterrupted = true
                connection?.cancel()
                loop.stop()
            }
        } catch {
            throw CommandError(.defect, "Ctrl-C cannot be waited for: \(error)")
        }
    }

    private func print(_ line: PushConnection.Line) {
        if let event = line.event { note(event) }
        if follows || context.wantsJSON {
            if context.wantsJSON {
                context.output.bytes(line.bytes + [UInt8(ascii: "\n")])
            } else if let event = line.event {
                context.output.line(text.line(event))
            } else {
                // A line that is no event is printed as it came.
                context.output.line(Printable.escaped(String(decoding: line.bytes, as: UTF8.self)))
            }
        }
        guard !follows && (isAccepted || rejection != nil) || !context.output.isOpen else { return }
        connection?.cancel()
        loop.stop()
    }

    private func note(_ event: Event) {
        // By the name: that says what happened to the notification, even if we cannot read the event's body.
        switch event.name {
        case "received":
            isAccepted = true
            if case .received(let received) = event.body { isHangup = received.type.known == .hangup }
            if case .received(let received) = event.body { isAlert = received.type.known == .alert }
        case "warning":
            if isHangup, case .warning(let code, let detail) = event.body, code.known == .groupUnwritable {
                unrecorded = detail
            }
        case "sound":
            guard case .sound(let state, let detail) = event.body, state.known == .muted else { break }
            context.warn("nobody hears this \(isAlert ? "alert" : "call"): \(detail); belfry doctor says what to do")
        case "ringing":
            if ringing == nil, case .ringing(let ring) = event.body { noteLength(of: ring) }
            ringing = event.call
        case "ended": ringing = nil
        case "rejected": rejection = event.body.details
        default: break
        }
    }

    /// The worker that should be beside this program; nil if it is there.
    private static var missingWorker: String? {
        programBeside("belfry-worker").flatMap { unsafe access($0, X_OK) == 0 ? nil : $0 }
    }

    /// Says if a ring is shorter than was asked for.
    private func noteLength(of ring: Event.Ringing) {
        guard let asked = context.options["duration"].flatMap({ ValueText.duration($0) }),
            asked.seconds >= ring.duration + 1
        else { return }
        context.warn(
            "it rings for \(DecimalText.seconds(ring.duration)) and not for \(DecimalText.seconds(asked.seconds)):"
                + " [Ring] Duration= and [Extension] ExpiryBudget= bound it")
    }

    private func conclusion() throws(CommandError) -> ProgramStatus {
        if let rejection {
            // The person has seen the rejection among the events.
            guard !follows else { return .badNotification }
            throw CommandError(.badNotification, "the notification was rejected: \(rejection)")
        }
        if isInterrupted {
            guard let ringing else { return .interrupted }
            let hangup = hangup(of: ringing)
            throw CommandError(.interrupted, "\(CallText.name(of: ringing)) rings on", "hang up with: \(hangup)")
        }
        if let failure {
            if failure.code == .connectionFailed, let worker = Self.missingWorker {
                throw CommandError(
                    .unavailable, "nobody took the notification: there is no \(worker)",
                    "install Belfry anew, or systemctl --user disable --now belfry.socket")
            }
            throw CommandError(failure)
        }
        if let unrecorded { throw CommandError(.unavailable, "the hangup could not be recorded", unrecorded) }
        return .done
    }

    /// How to hang up `call` from the same shell.
    private func hangup(of call: String) -> String {
        var words = ["belfry", "hangup"]
        for name in ["socket", "group"] {
            if let value = context.options[name] { words.append(Self.shellWord("--\(name)=\(value)")) }
        }
        if call.hasPrefix("-") { words.append("--") }
        return (words + [Self.shellWord(call)]).joined(separator: " ")
    }

    /// `text` as a shell reads it back.
    private static func shellWord(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_./:@%+=,".utf8.contains($0) }
        guard text.isEmpty || !isPlain else { return text }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: #"'\''"#) + "'"
    }
}
