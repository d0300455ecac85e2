import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

/// A program on the session bus that tests start and end: a part of a desktop as its users have it.
final class BusService {
    private let child: ChildProcess
    private let name: String

    /// Starts the program at `path`, and waits until it has `name`.
    init(_ path: String, _ arguments: [String] = [], environment: [String: String] = [:], name: String) throws {
        self.name = name
        let isTaken = try Self.hasOwner(name)
        precondition(!isTaken, "somebody else has \(name)")
        child = try ChildProcess(
            ChildCommand(
                path: path, arguments: arguments, environment: inherited().merging(environment) { $1 },
                streams: [0: .null, 1: .null, 2: .null]))
        let isThere = try waitUntil { try Self.hasOwner(name) }
        precondition(isThere, "\(path) did not take \(name)")
    }

    deinit {
        try? child.signal(SIGTERM)
        _ = try? child.waitUntilExit()
        let isFree = try? waitUntil { try !Self.hasOwner(name) }
        precondition(isFree == true, "\(name) is not free")
    }

    private static func hasOwner(_ name: String) throws -> Bool {
        try Bus.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner", [name]
        ).output.contains("true")
    }

    /// feedbackd, whose theme has a sound where a phone's has a vibration, since nothing here vibrates: what is to be
    /// felt is heard in the recording.
    static func feedbackd(
        _ folder: TemporaryFolder, plays event: String? = "phone-incoming-call"
    ) throws -> BusService {
        let feedback = event.map {
            #"{"event-name": "phone-incoming-call", "type": "Sound", "effect": "\#($0)"}"#
        }
        let theme = """
            {"name": "test", "profiles": [{"name": "full", "feedbacks": []},
            {"name": "quiet", "feedbacks": [\(feedback ?? "")]}, {"name": "silent", "feedbacks": []}]}
            """
        let file = folder.write(Array(theme.utf8), to: "theme.json")
        return try BusService(
            "/usr/libexec/feedbackd", environment: ["FEEDBACK_THEME": file, "GSETTINGS_BACKEND": "memory"],
            name: "org.sigxcpu.Feedback")
    }

    /// Sets feedbackd's profile.
    static func setProfile(_ profile: String) throws {
        let set = try Bus.call(
            "org.sigxcpu.Feedback", "/org/sigxcpu/Feedback", "org.freedesktop.DBus.Properties.Set",
            ["org.sigxcpu.Feedback", "Profile", "<'\(profile)'>"])
        #expect(set.status.isSuccess, "\(set.errors)")
    }
}

/// A motor that is none: see Tests/Servers/motor-stand-in.c.
struct MotorStandIn {
    let folder = TemporaryFolder()

    /// What `belfry-desktop` needs in its environment to have it.
    let environment: [String: String]

    /// - Parameter isDenied: whether this user may not open it.
    init(isDenied: Bool = false) throws {
        let library = "\(folder.path)/motor.so"
        let compiled = try run(
            "/usr/bin/gcc", ["-shared", "-fPIC", "-o", library, sourceFile("Tests/Servers/motor-stand-in.c")])
        precondition(compiled.status.isSuccess, compiled.errors)
        folder.makeFolder("input/event3/device/capabilities")
        folder.write(Array("107030000 0\n".utf8), to: "input/event3/device/capabilities/ff")
        var environment = [
            "LD_PRELOAD": library, "MOTOR_FOLDER": "\(folder.path)/input", "MOTOR_LOG": "\(folder.path)/log",
        ]
        if isDenied { environment["MOTOR_DENIED"] = "1" }
        self.environment = environment
    }

    /// What it was asked, after it was looked for.
    var calls: [(at: Double, what: String)] {
        let lines = contents(of: "\(folder.path)/log").split(separator: "\n").map { line in
            let words = line.split(separator: " ", maxSplits: 1)
            return ((Double(words[0]) ?? 0) / 1_000_000, String(words[1]))
        }
        // Looking for it is opening and closing it.
        return lines.indices.filter { index in
            let isLook = { (at: Int) in
                lines.indices.contains(at + 1) && lines[at].1 == "open" && lines[at + 1].1 == "close"
            }
            return !isLook(index) && !(index > 0 && isLook(index - 1))
        }.map { lines[$0] }
    }
}

extension Phone {
    /// Starts belfry-desktop, and waits until it knows all that it asks the session for.
    func wakeDesktop() throws {
        try systemctl("start", "\(name)-desktop.service")
        let isAwake = try waitUntil {
            try Bus.call("org.belfry.Calls1", "/org/belfry/Calls1", "org.belfry.Calls1.List", [""]).status.isSuccess
        }
        #expect(isAwake)
    }
}

extension Client {
    /// Waits until the call rings in `mode`.
    @discardableResult
    func waitForRing(_ mode: RingMode) throws -> Event.Ringing {
        while true {
            if let ringing = try wait(for: "ringing").ringing, ringing.mode == mode { return ringing }
        }
    }

    /// Waits until the ring's vibration is in `state`, and returns what is said of it.
    @discardableResult
    func waitForVibration(_ state: VibrationState) throws -> String {
        while true {
            guard case .vibration(let found, let detail) = try wait(for: "vibration").body else { continue }
            if found == state { return detail }
        }
    }

    /// What was told of vibrations so far.
    var vibrations: [String] {
        events.compactMap { event in
            guard case .vibration(let state, _) = event.body else { return nil }
            return state.rawValue
        }
    }
}

extension Recording {
    /// Whether nothing sounds any more: longer than a loop of feedbackd's, which pauses for half a second.
    static func isOver() -> Bool { peakFromNow() != nil && waitUntilSilent(forMilliseconds: 2_500) }
}
