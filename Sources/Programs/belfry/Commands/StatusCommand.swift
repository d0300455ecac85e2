import BelfryCommandLine
import BelfryJSON
import BelfryProtocol
import BelfryPush
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger
import SystemSound

extension Command {
    /// `belfry status`.
    static let status = Command(
        name: "status", synopsis: ["status"],
        summary: "how things stand, on one screen: socket, calls, missed calls, rejections, sound, do-not-disturb",
        details: """
            Looks, and changes nothing: no worker is started. Exit status 69 if nobody listens for calls. With --json it is
            one object of words, numbers and times, for a status bar. What is wrong with the machine, and how to mend it, is
            told by belfry doctor.
            """
    ) { context throws(CommandError) in
        let status = try StatusReport(context)
        if context.wantsJSON { context.output.json(status.json) } else { status.print(context) }
        return status.listens ? .done : .unavailable
    }
}

/// How things stand at one moment.
struct StatusReport {
    /// The most missed calls, and the most rejections, that are shown.
    static let rowsMax = 5

    /// Whether a program listens at the socket.
    let listens: Bool
    private let socket: String
    private let ledger: Ledger
    private let rejections: [Rejected]
    private let sound: SoundStanding
    private let disturbance: (word: String, text: String)
    private let secondCall: RingMode
    private let group: String
    private let fleet: (text: String, json: JSONObject)?

    /// Looks around.
    init(_ context: Context) throws(CommandError) {
        do throws(CommandError) {
            socket = try context.socket().path
        } catch {
            // Shown in place of the path.
            socket = error.problem
        }
        listens = ListeningSockets.contains(socket)
        ledger = try GroupAccess(context).knownLedger()
        rejections = Rejected.last(Self.rowsMax)
        sound = SoundStanding(context)
        disturbance = try Self.disturbance(context)
        secondCall = context.loaded.settings.secondCall
        group = context.groupName
        do throws(FleetStanding.Damage) {
            fleet = try FleetStanding(context).map { ($0.text, $0.json) }
        } catch {
            fleet = (error.text, ["answers": false])
        }
    }

    /// That it is one of the quiet hours; nil if it is not.
    static func quietHours(_ settings: Settings) -> String? {
        guard settings.quietHours.contains(minute: localMinuteOfDay()) else { return nil }
        return "quiet hours, \(settings.quietHours.text): calls ring without sound"
    }

    /// What mutes calls now, as far as that is known without starting a program: for programs, and for people.
    private static func disturbance(_ context: Context) throws(CommandError) -> (word: String, text: String) {
        let settings = context.loaded.settings
        if let quiet = quietHours(settings) { return ("quiet-hours", quiet) }
        if case .on = try DesktopDisturbance.now(context) { return ("desktop", "the desktop's: on") }
        return ("off", settings.quietHours.isEmpty ? "off" : "off; quiet hours are \(settings.quietHours.text)")
    }

    /// Prints it for people.
    func print(_ context: Context) {
        var rows: [(name: String, lines: [String], tone: Style.Tone?)] = [
            ("socket", ["\(socket), \(listens ? "listening" : "nobody listens")"], listens ? .good : .bad),
            ("rings", ringLines, ledger.rings.isEmpty ? nil : .good),
        ]
        if let fleet { rows.insert(("fleet", [fleet.text], nil), at: 1) }
        if !ledger.activeCalls.isEmpty { rows.append(("in a call", activeLines, .good)) }
        if ledger.foreground != .background { rows.append(("app", ["in front: calls do not ring"], .notable)) }
        if !ledger.answers.isEmpty {
            rows.append(("answered", ledger.answers.map { "\(TimeText.clock($0.answered)) \(Self.caller($0))" }, .good))
        }
        rows.append(("missed", missedLines, ledger.missedCalls.isEmpty ? nil : .bad))
        rows.append(
            ("rejected", rejections.isEmpty ? ["none"] : rejections.map(\.text), rejections.isEmpty ? nil : .notable))
        rows.append(("sound", [sound.text], nil))
        rows.append(("do not disturb", [disturbance.text], nil))
        for row in rows {
            for (index, line) in row.lines.enumerated() {
                let name = index == 0 ? row.name : ""
                let padded = name + String(repeating: " ", count: max(0, 14 - name.count))
                context.output.line(context.style.paint(padded, row.tone ?? .strong) + "  " + Printable.escaped(line))
            }
        }
    }

    private var ringLines: [String] {
        let now = Instant(microseconds: bootTimeMicroseconds())
        let lines = ledger.rings(secondCall: secondCall).prefix(Self.rowsMax).map { call, mode in
            let still = DecimalText.fixed((call.until - now).seconds, digits: 1)
            return "\(mode.rawValue), for \(still) s: \(CallText.description(of: call))"
        }
        return lines.isEmpty ? ["nothing in \(group)"] : lines + more(ledger.rings.count)
    }

    private var activeLines: [String] {
        let now = Instant(microseconds: bootTimeMicroseconds())
        return ledger.activeCalls.prefix(Self.rowsMax).map { call in
            "for \(ActiveRow.duration(of: call, now)): \(CallText.description(of: call))"
        }
    }

    private var missedLines: [String] {
        let missed = ledger.missedCalls
        guard !missed.isEmpty else { return ["none"] }
        return missed.suffix(Self.rowsMax).reversed().map { call in
            let caller = [call.name, call.handle].filter { !$0.isEmpty }.joined(separator: ", ")
            return "\(TimeText.time(call.missed)) \(caller.isEmpty ? CallText.name(of: call.key.text) : caller)"
                + " (\(call.reason.rawValue))"
        } + more(missed.count)
    }

    private func more(_ count: Int) -> [String] {
        count > Self.rowsMax ? ["and \(count - Self.rowsMax) more: see belfry calls"] : []
    }

    private static func caller(_ answer: PendingAnswer) -> String {
        let caller = [answer.name, answer.handle].filter { !$0.isEmpty }.joined(separator: ", ")
        return caller.isEmpty ? CallText.name(of: answer.key.text) : caller
    }

    /// The values as an object of words, numbers and times, which programs may rely on (docs/operations.md).
    var json: JSONObject {
        let now = Instant(microseconds: bootTimeMicroseconds())
        let rings = ledger.rings(secondCall: secondCall)
        return [
            "socket": .string(socket), "listens": .bool(listens), "ringing": .integer(Int64(rings.count)),
            "loud": rings.first { $0.mode == .loud }.map { .string($0.call.key.text) } ?? .null,
            "foreground": .bool(ledger.foreground != .background), "answers": .integer(Int64(ledger.answers.count)),
            "missed": .integer(Int64(ledger.missedCalls.count)),
            "calls": .array(rings.map { .object(CallRow.json(of: $0, mode: $1.rawValue, now: now)) }),
            "active": .array(ledger.activeCalls.map { .object(ActiveRow.json(of: $0, now: now)) }),
            "answered": .array(ledger.answers.map { .object(Self.json(of: $0)) }),
            "missedCalls": .array(ledger.missedCalls.map { .object(MissedRow.json(of: $0)) }),
            "rejections": .array(rejections.map { .object($0.json) }), "sound": .object(sound.json),
            "doNotDisturb": .string(disturbance.word), "fleet": fleet.map { .object($0.json) } ?? .null,
        ]
    }

    private static func json(of answer: PendingAnswer) -> JSONObject {
        [
            "call": .string(answer.key.text), "name": .string(answer.name), "handle": .string(answer.handle),
            "answered": .integer(answer.answered),
        ]
    }
}

/// How it stands with what makes rings heard.
struct SoundStanding {
    /// One word for it.
    enum Word: String {
        /// Rings are heard, as far as the server knows.
        case heard
        /// `Sound=none`.
        case none
        /// No server answers.
        case noServer = "no-server"
        /// None runs, and a ring starts one.
        case asleep
        /// The server hangs.
        case hung
        /// It has nothing to play to.
        case noDevice = "no-device"
        /// The sink or the sounds of events are muted or at volume 0.
        case muted
        /// The sink plays into nothing.
        case nowhere
    }

    /// The word.
    let word: Word
    /// For people.
    let text: String
    private let name: String
    private var outputs = SoundOutputs()

    /// Asks the sound server.
    init(_ context: Context) {
        name = context.loaded.settings.sound
        guard name != SoundFiles.none else {
            (word, text) = (.none, "none: calls make no sound")
            return
        }
        if let socket = SleepingSoundServer.socket(context) {
            (word, text) = (.asleep, "\(name), and no sound server runs until a call rings: \(socket) starts it")
            return
        }
        switch SoundServer.ask(SoundChecks.route(context)) {
        case .noLibrary, .unreachable:
            (word, text) = (.noServer, "\(name), and no sound server answers: calls make no sound")
        case .hung: (word, text) = (.hung, "\(name), and the sound server hangs")
        case .outputs(let outputs):
            self.outputs = outputs
            guard let used = outputs.used else {
                (word, text) = (.noDevice, "\(name), and the sound server has no device to play to")
                return
            }
            let unheard = outputs.silence ?? (used.isNull ? "that plays into nothing" : nil)
            let missing = outputs.missingDevice.map { ", since there is no sink \($0)" } ?? ""
            text = "\(name), to \(used.name)\(missing)" + (unheard.map { ", and nobody hears it: \($0)" } ?? "")
            word = outputs.silence != nil ? .muted : used.isNull ? .nowhere : .heard
        }
    }

    /// The values as an object.
    var json: JSONObject {
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return [
            "state": .string(word.rawValue), "name": .string(name), "sink": text(outputs.used?.name),
            "missingDevice": text(outputs.missingDevice),
        ]
    }
}

/// A notification that was refused, from the journal.
struct Rejected {
    private let at: Int64
    private let reason: String
    private let detail: String

    /// The last `count`, the latest last; none if the journal cannot be read.
    static func last(_ count: Int) -> [Rejected] {
        let question = [
            "--user", "--quiet", "--no-pager", "--identifier=belfry-worker", "--lines=\(count)", "--output=json",
            "--output-fields=BELFRY_REASON,BELFRY_DETAIL", "BELFRY_EVENT=rejected",
        ]
        let answer = ProgramAnswer.of("/usr/bin/journalctl", question) ?? ""
        return answer.split(separator: "\n").compactMap { Rejected(entry: Array($0.utf8)) }
    }

    /// The rejection in a journal entry in JSON; nil if it is another entry.
    init?(entry: [UInt8]) {
        guard let entry = try? JSONValue.parse(entry), let fields = entry.objectValue,
            let reason = fields["BELFRY_REASON"]?.stringValue,
            let at = fields["__REALTIME_TIMESTAMP"]?.stringValue.flatMap({ Int64($0) })
        else { return nil }
        (self.at, self.reason) = (at / 1_000_000, reason)
        detail = fields["BELFRY_DETAIL"]?.stringValue ?? ""
    }

    /// The rejection for people.
    var text: String { "\(TimeText.time(at)) \(reason)\(detail.isEmpty ? "" : ": \(detail)")" }

    /// The values as an object.
    var json: JSONObject { ["at": .integer(at), "reason": .string(reason)] }
}

/// The Unix sockets with a listener. Asking the kernel starts no worker; connecting would.
enum ListeningSockets {
    /// `__SO_ACCEPTCON` of the kernel.
    private static let listening = "00010000"
    private static let bytesMax = 8 << 20

    /// Whether a program listens at `path`.
    static func contains(_ path: String) -> Bool { !inodes(at: path).isEmpty }

    /// The inodes of the sockets that listen at `path`.
    static func inodes(at path: String) -> [String] {
        guard let bytes = readKernelFile("/proc/net/unix", bytesMax: bytesMax) else { return [] }
        return inodes(at: path, in: String(decoding: bytes, as: UTF8.self))
    }

    /// Those in `table`, which the kernel prints: Num, RefCount, Protocol, Flags, Type, St, Inode, Path.
    static func inodes(at path: String, in table: String) -> [String] {
        table.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 7, omittingEmptySubsequences: true)
            guard parts.count == 8, parts[3] == listening, parts[7] == path else { return nil }
            return String(parts[6])
        }
    }
}
