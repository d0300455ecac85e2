import BelfryCommandLine
import BelfryEventLoop
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import SystemSound

/// Whether a ring can be heard.
enum SoundChecks {
    private static let playTime = TimeSpan.seconds(2)

    /// Checks the configured sound, the library and the server, and with `--play` the ring itself.
    static func run(_ context: Context) -> [Finding] {
        let setting = context.loaded.settings.sound
        let files = files(context)
        let (sound, problem) = files.resolve(configured: setting)
        var findings: [Finding] = []
        if let problem {
            let mend = "set [Ring] Sound= to a name in \(files.folders.joined(separator: " or "))"
            findings.append(Finding(sound == nil ? .fail : .warn, "sound", "\(problem)", mend: mend))
        } else if let sound {
            findings.append(Finding(.ok, "sound", "\(setting) is \(sound.path)"))
        } else {
            return [Finding(.warn, "sound", "[Ring] Sound=none: calls make no sound")]
        }
        findings.append(library())
        findings.append(server(context))
        if context.options.has("play"), let sound { findings.append(play(sound, context)) }
        return findings
    }

    /// The mistake in the sound that `loaded` configures; nil if it can be played, and for the default, which is no
    /// person's mistake.
    static func mistake(in loaded: LoadedSettings, _ context: Context) -> Mistake? {
        let (setting, origin) = (loaded.settings.sound, loaded.origin(of: .ringSound))
        guard origin != .standard, let problem = files(context).resolve(configured: setting).problem else { return nil }
        let detail = "Sound=\(setting) is not played but \(SoundFiles.defaultName): \(problem)"
        return Mistake(.badValue, at: origin, detail)
    }

    /// Where the configured ring is played to.
    static func route(_ context: Context) -> SoundRoute {
        let settings = context.loaded.settings
        return SoundRoute(device: settings.ringDevice, volumePercent: settings.ringVolumePercent)
    }

    private static func files(_ context: Context) -> SoundFiles {
        SoundFiles(environment: Environment(context.environment), programPath: runningProgramPath())
    }

    private static func library() -> Finding {
        guard (try? DynamicLibrary("libcanberra.so.0")) != nil else {
            let mend = "apt install libcanberra0 libcanberra-pulse"
            return Finding(.fail, "libcanberra", "libcanberra.so.0 is missing: calls make no sound", mend: mend)
        }
        return Finding(.ok, "libcanberra", "libcanberra.so.0 is there")
    }

    /// Asks the server for its devices; a server that hangs takes ``SoundServer/patience``.
    private static func server(_ context: Context) -> Finding {
        func value(_ name: String) -> String? { context.environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard value("PULSE_SERVER") != nil || value("XDG_RUNTIME_DIR") != nil else {
            return Finding(.fail, "sound server", "there is no runtime directory", mend: "set XDG_RUNTIME_DIR")
        }
        if !context.options.has("play"), let socket = SleepingSoundServer.socket(context) {
            let detail = "none runs until a call rings, when \(socket) starts it: it is not asked what it plays to"
            let mend = "to have it asked: systemctl --user start \(socket.replacing(".socket", with: ".service"))"
            return Finding(.warn, "sound server", detail, mend: mend)
        }
        switch SoundServer.ask(route(context)) {
        case .noLibrary(let why):
            let mend = "apt install libcanberra-pulse"
            return Finding(.fail, "sound server", "none can be asked: \(why)", mend: mend)
        case .unreachable(let why):
            let mend = "start pipewire-pulse or pulseaudio in this session"
            return Finding(.fail, "sound server", "no PulseAudio or PipeWire answers: \(why)", mend: mend)
        case .hung:
            let mend = "continue or restart it, for example: systemctl --user restart pipewire-pulse"
            return Finding(.fail, "sound server", "it hangs, or was stopped: it does not answer", mend: mend)
        case .outputs(let outputs): return finding(of: outputs)
        }
    }

    static func finding(of outputs: SoundOutputs) -> Finding {
        guard let used = outputs.used else {
            let mend = "start wireplumber beside PipeWire; for a sound card without a login, join the group audio"
            return Finding(.fail, "sound server", "it answers, but has no device to play to", mend: mend)
        }
        if let silence = outputs.silence {
            return Finding(.fail, "sound server", "nobody hears what it plays: \(silence)", mend: outputs.remedy ?? "")
        }
        if let missing = outputs.missingDevice {
            let detail = "it plays to \(used.name), since there is no sink \(missing), as [Ring] Device= has it"
            let mend = "set [Ring] Device= to one that pactl list short sinks names"
            return Finding(.warn, "sound server", detail, mend: mend)
        }
        guard !used.isNull else {
            let mend = "pactl set-default-sink NAME, of those that pactl list short sinks names"
            return Finding(.warn, "sound server", "it plays to \(used.name), which plays into nothing", mend: mend)
        }
        return Finding(.ok, "sound server", "it plays to \(used.name); belfry doctor --play lets you hear it")
    }

    private static func play(_ sound: ResolvedSound, _ context: Context) -> Finding {
        let loop: Loop
        do throws(CommandError) { loop = try Command.makeLoop() } catch {
            return Finding(.fail, "playing", error.problem)
        }
        var state: SoundReport?
        let player = SoundPlayer(
            loop: loop, runtimeDirectory: context.environment["XDG_RUNTIME_DIR"], route: route(context))
        let ring = player.makeSound { news in
            state = news
            if case .unavailable = news { loop.stop() }
        }
        ring.play(sound)
        _ = loop.schedule(at: loop.now + playTime, description: "heard") { loop.stop() }
        loop.run()
        // While it plays, the server also says what it does to just this sound.
        var remedy = ""
        switch state {
        case .playing?, .muted?:
            guard case .outputs(let outputs) = SoundServer.ask(route(context)), let silence = outputs.silence else {
                break
            }
            (state, remedy) = (.muted(silence), outputs.remedy ?? "")
        case .unavailable?, nil: break
        }
        var isSilent = false
        ring.silence {
            isSilent = true
            loop.stop()
        }
        // Silencing may be done at once: then there is nothing to wait for.
        if !isSilent { loop.run() }
        switch state {
        case .playing(let detail)?: return Finding(.ok, "playing", "the ring played: \(detail)")
        case .muted(let detail)?:
            return Finding(.fail, "playing", "the ring played, and nobody heard it: \(detail)", mend: remedy)
        case .unavailable(let detail)?: return Finding(.fail, "playing", detail, mend: "see journalctl --user")
        case nil: return Finding(.fail, "playing", "nothing was heard for \(DecimalText.seconds(playTime.seconds))")
        }
    }
}
