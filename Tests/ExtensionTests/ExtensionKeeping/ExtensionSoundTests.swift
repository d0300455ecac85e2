import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Support
import Testing

/// What an extension's code plays, heard on a real PulseAudio. One after another: each has a server of its own.
@Suite(.serialized) struct ExtensionSoundTests {
    /// How late a sound that was stopped may still be in the recording: what the sink and the recorder hold.
    private static let silentWithinMilliseconds = 200
    private static let unanswered = "the sound server does not answer"

    private let server = PrivateSoundServer()
    private let played = PlayedExtension(program: builtProgram("ExtensionSample"))

    private func run(
        _ what: String, _ sample: SoundSample, budget: String = "30s", played: PlayedExtension? = nil
    ) throws -> ProgramRun {
        let played = played ?? self.played
        let path = "\(played.path)/ring.mp3"
        try sample.write(to: path)
        let short = "\(played.path)/short.wav"
        try SoundSample(.wave, milliseconds: 200).write(to: short)
        return try played.run(
            #"{"aps":{"alert":"b","mutable-content":1},"do":"\#(what)","path":"\#(path)","short":"\#(short)"}"#,
            budget: budget,
            environment: ["XDG_RUNTIME_DIR": server.runtimeDirectory, "BELFRY_SOUND": "ring"])
    }

    /// The events until `name` inclusive.
    private func events(of run: ProgramRun, until isLast: (Event) -> Bool = { _ in false }) throws -> [Event] {
        var events: [Event] = []
        while let line = run.line() {
            events.append(try Event(line: Array(line.utf8)))
            if isLast(events[events.count - 1]) { break }
        }
        return events
    }

    @Test(
        "R14 a file of any kind is heard, and its completion comes once it has been",
        arguments: [
            SoundSample.Kind.mp3, .caf, .aiff,
        ])
    func heard(kind: SoundSample.Kind) throws {
        let recording = try server.start()
        let sample = SoundSample(kind, milliseconds: 700)
        var run = try run("sound", sample)
        var before = try events(of: run) { $0.name == "sound" }
        // On a busy machine a server may not answer in time (R14), which is told: then it is asked once more.
        for _ in 0..<9 where before.sounds.first?.hasSuffix(Self.unanswered) ?? false {
            run = try self.run("sound", sample)
            before = try events(of: run) { $0.name == "sound" }
        }
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
        let loudness = recording.listen(milliseconds: 1_500)
        #expect((0.2...0.4).contains(loudness.peak), "\(loudness)")
        #expect(abs((loudness.sounding?.count ?? 0) - 700) < 150, "\(loudness)")
        #expect(before.story.contains("asked vibration 1") && before.story.contains("asked sound 1"))
        #expect(before.sounds == ["playing \(played.path)/ring.mp3"])
        let after = try events(of: run) { $0.isDelivered }
        #expect(after.delivered?.subtitle == "played")
        // It plays later than it is asked for, and is told of later than it plays.
        let asked = try #require(before.first { $0.asked?.what == .sound }?.at)
        let delivered = try #require(after.last?.at)
        #expect(delivered - asked > 0.6, "a sound of 0.7 s was over after \(delivered - asked) s")
    }

    @Test("a sound is silent before its process is said to be gone, whoever ended it") func killed() throws {
        let recording = try server.start()
        let run = try run("ring", SoundSample(.mp3, milliseconds: 20_000), budget: "6s")
        _ = try events(of: run) { $0.isDelivered }
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
        let rest = try events(of: run) { $0.name == "extension" }
        recording.skipToNow()
        let after = recording.listen(milliseconds: 600)
        #expect(rest.story.last == "extension ended 137")
        #expect(after.sounding.map { $0.upperBound < Self.silentWithinMilliseconds } ?? true, "\(after)")
    }

    @Test("a sound that is disposed of stops, though its process lives on") func disposed() throws {
        let recording = try server.start()
        let run = try run("dispose", SoundSample(.caf, milliseconds: 20_000))
        _ = try events(of: run) { $0.isDelivered }
        #expect(recording.millisecondsUntilSound(within: 30_000) != nil)
        recording.skipToNow()
        let after = recording.listen(milliseconds: 800)
        #expect(after.sounding.map { $0.upperBound < Self.silentWithinMilliseconds } ?? true, "\(after)")
        try run.child.signal(15)
    }

    @Test("what cannot be played is unavailable, and over a second later") func unavailable() throws {
        try server.start()
        var long = SoundSample(.wave, milliseconds: 30_100)
        long.samplesPerSecond = 8_000
        let events = try events(of: run("sound", long)) { $0.isDelivered }
        #expect(events.sounds == ["unavailable \(played.path)/ring.mp3: longer than 30 s"])
        #expect(events.delivered?.subtitle == "played")
    }

    @Test("S2 a file that its process could still change is not played, nor one that nobody asked for") func hostile()
        throws
    {
        try server.start()
        let hostile = PlayedExtension(
            """
            import array
            path = os.path.dirname(os.path.abspath(sys.argv[0])) + "/ring.mp3"
            def sound(token, *descriptors):
                line = json.dumps({"say": "sound", "token": token, "sound": token, "problem": None}).encode() + b"\\n"
                channel.sendmsg([line], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))])
            file = os.open(path, os.O_RDONLY)
            sound(9, file)
            for token in (1, 2):
                say("asked", number=number, what="sound", path=path, detail="", token=token)
            sound(1, file)
            sound(2)
            for _ in range(40):
                sound(77, file, file, file)
            for _ in range(2):
                finished = json.loads(lines.readline())
            reply(content)
            sys.exit(0)
            """)
        let events = try events(of: run("", SoundSample(.wave, milliseconds: 100), played: hostile))
        #expect(events.sounds.first?.hasSuffix("ring.mp3: not a sealed file in memory") == true)
        #expect(!events.sounds.contains { $0.hasPrefix("playing") })
        #expect(events.story.contains("delivered extension") && events.story.last == "extension ended 0")
    }
}

extension Event {
    fileprivate var isDelivered: Bool { name == "delivered" }
}

extension [Event] {
    /// What became of sounds: `playing /a.wav`.
    fileprivate var sounds: [String] {
        compactMap { event in
            guard case .sound(let state, let detail) = event.body else { return nil }
            return "\(state.rawValue) \(detail)"
        }
    }
}
