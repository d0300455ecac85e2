import BelfryCommandLine
import BelfryJSON
import BelfrySyscalls
import Support
import Testing

/// A ring that is played and that nobody hears is said so, on both kinds of sound server.
@Suite(.serialized) struct HeardTests {
    /// A real sound server.
    enum Kind: String, CaseIterable {
        case pulseAudio, pipeWire

        static var installed: [Kind] { PrivatePipeWire.isInstalled ? allCases : [.pulseAudio] }
    }

    /// A server that plays to its sink `ring`, and remembers how loud each role is.
    private final class Server {
        var environment: [String: String]
        private let pulse = PrivateSoundServer()
        private let pipeWire: PrivatePipeWire?

        init(_ kind: Kind) throws {
            switch kind {
            case .pulseAudio:
                try pulse.start(modules: [
                    "module-null-sink sink_name=ring", "module-stream-restore restore_device=no",
                ])
                (pipeWire, environment) = (nil, pulse.environment)
            case .pipeWire:
                let server = try PrivatePipeWire()
                (pipeWire, environment) = (server, server.environment)
            }
        }

        @discardableResult
        func run(_ path: String, _ words: String...) throws -> ProgramRun {
            try ProgramRun(path, words, environment: environment)
        }

        func pactl(_ words: String...) throws {
            let run = try ProgramRun("/usr/bin/pactl", words, environment: environment)
            #expect(try run.child.waitUntilExit() == .exited(code: 0), "\(words)")
        }

        /// What doctor finds of the server, as a line.
        func finding(_ check: String = "sound server") throws -> String {
            let lines = try run(testedProgram("belfry"), "doctor", "--play", "--json").lines()
            let objects = lines.compactMap { try? JSONValue.parse(Array($0.utf8)).objectValue }
            let found = objects.first { $0["check"]?.stringValue == check }
            return ["level", "detail", "remedy"].map { found?[$0]?.stringValue ?? "" }.joined(separator: " | ")
        }

        /// What status says of sound.
        func status() throws -> String {
            let lines = try run(testedProgram("belfry"), "status").lines()
            return lines.first { $0.hasPrefix("sound") } ?? ""
        }

        /// What a status bar gets of sound: the word, and the sink.
        func standing() throws -> [String?] {
            let lines = try run(testedProgram("belfry"), "status", "--json").lines()
            let sound = try JSONValue.parse(Array(lines.joined().utf8)).objectValue?["sound"]?.objectValue
            return ["state", "sink", "missingDevice"].map { sound?[$0]?.stringValue }
        }

        func unheard() throws -> [String] { [try finding(), try status()] }
    }

    @Test(
        "a sink that is muted or at volume 0 is said with its remedy, and one that plays into nothing",
        arguments: Kind.installed)
    func sink(_ kind: Kind) throws {
        let server = try Server(kind)
        #expect(try server.finding().hasPrefix("warn | it plays to ring, which plays into nothing | pactl set-default"))
        #expect(try server.status().hasSuffix("ring, to ring, and nobody hears it: that plays into nothing"))
        #expect(try server.standing() == ["nowhere", "ring", nil])
        try server.pactl("set-sink-mute", "ring", "1")
        #expect(try server.standing() == ["muted", "ring", nil])
        let muted = try server.unheard()
        #expect(
            muted[0] == "fail | nobody hears what it plays: the sink ring is muted | pactl set-sink-mute ring 0")
        #expect(muted[1].hasSuffix("ring, to ring, and nobody hears it: the sink ring is muted"))
        try server.pactl("set-sink-mute", "ring", "0")
        try server.pactl("set-sink-volume", "ring", "0%")
        #expect(try server.finding().contains("| nobody hears what it plays: the volume of the sink ring is 0 |"))
    }

    @Test(
        "of two sinks the one is judged and named that Device= names, and one that is not there is said",
        arguments: Kind.installed)
    func device(_ kind: Kind) throws {
        let server = try Server(kind)
        try server.pactl("load-module", "module-null-sink", "sink_name=speaker")
        try server.pactl("set-sink-mute", "speaker", "1")
        #expect(try server.status().hasSuffix("ring, to ring, and nobody hears it: that plays into nothing"))
        server.environment["BELFRY_SOUND_DEVICE"] = "speaker"
        #expect(
            try server.unheard() == [
                "fail | nobody hears what it plays: the sink speaker is muted | pactl set-sink-mute speaker 0",
                "sound           ring, to speaker, and nobody hears it: the sink speaker is muted",
            ])
        server.environment["BELFRY_SOUND_DEVICE"] = "nosuch"
        #expect(
            try server.finding().hasPrefix(
                "warn | it plays to ring, since there is no sink nosuch, as [Ring] Device= has it | set [Ring] Device=")
        )
        #expect(try server.standing() == ["nowhere", "ring", "nosuch"])
        #expect(try server.status().contains("ring, to ring, since there is no sink nosuch, and nobody hears it: "))
        #expect(try server.finding("playing").hasSuffix(", and not to nosuch, since there is no such sink | "))
    }

    @Test("system sounds that a mixer muted once are said, though nothing plays", arguments: Kind.installed)
    func role(_ kind: Kind) throws {
        let server = try Server(kind)
        let play = try server.run(
            "/usr/bin/paplay", "--property=media.role=event", "\(sourceFile("Sounds/ring.wav"))")
        var stream = ""
        while stream.isEmpty {
            stream =
                try server.run("/usr/bin/pactl", "list", "short", "sink-inputs").lines().first.map {
                    String($0.prefix { $0 != "\t" })
                } ?? ""
        }
        try server.pactl("set-sink-input-mute", stream, "1")
        try play.child.waitUntilExit()
        let playing = try server.finding("playing")
        #expect(playing.hasPrefix("fail | the ring played, and nobody heard it: the sound server has system sounds"))
        // PipeWire lists what it remembers of a stream from its next start on.
        let remembered = "fail | nobody hears what it plays: the sound server has system sounds"
        #expect(try server.finding().hasPrefix(kind == .pulseAudio ? remembered : "warn | "))
    }
}
