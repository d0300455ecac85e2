import BelfrySyscalls
public import BelfryTerms
import CBelfryPulse
import Glibc

/// The user's sound server, PulseAudio or PipeWire's stand-in for it, asked through libpulse without playing anything.
public enum SoundServer {
    /// How long it may take to answer.
    public static let patience = TimeSpan.milliseconds(800)
    /// The name of the silent sink that PulseAudio and PipeWire create if there is no other.
    private static let silentSink = "auto_null"

    /// The result of asking; the texts are for people.
    public enum Answer: Hashable, Sendable {
        /// libpulse, which libcanberra's driver needs, cannot be used.
        case noLibrary(String)
        /// No server listens, or it refuses us.
        case unreachable(String)
        /// It took the connection and said nothing for as long as it may take, as one that was stopped.
        case hung
        /// How it stands with what it plays to.
        case outputs(SoundOutputs)
    }

    /// Asks the server that the environment names what becomes of rings by `route`. Returns within `patience`.
    public static func ask(_ route: SoundRoute, patience: TimeSpan = Self.patience) -> Answer {
        let calls: cpulse_calls
        do throws(SystemError) { calls = try load() } catch { return .noLibrary(error.subject) }
        guard let mainloop = calls.mainloop_new() else { return .unreachable("out of memory") }
        defer { unsafe calls.mainloop_free(mainloop) }
        guard let context = unsafe calls.context_new(calls.mainloop_get_api(mainloop), "belfry") else {
            return .unreachable("out of memory")
        }
        defer { unsafe calls.context_unref(context) }
        let found = Found(calls, route)
        return unsafe ask(found, mainloop, context, until: bootTimeMicroseconds() + patience.microseconds)
    }

    private static func ask(
        _ found: Found, _ mainloop: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer, until deadline: Int64
    ) -> Answer {
        let calls = found.calls
        let failure = { unsafe Answer.unreachable(errorText(calls.context_errno(context), calls)) }
        // NOAUTOSPAWN: asking must not start a server.
        guard unsafe calls.context_connect(context, nil, Int32(CPULSE_CONTEXT_NOAUTOSPAWN), nil) >= 0 else {
            return failure()
        }
        defer { unsafe calls.context_disconnect(context) }
        var isAsked = false
        while found.answersDue > 0 {
            let state = unsafe calls.context_get_state(context)
            if state == CPULSE_CONTEXT_FAILED || state == CPULSE_CONTEXT_TERMINATED {
                return failure()
            }
            if state == CPULSE_CONTEXT_READY, !isAsked {
                isAsked = true
                guard unsafe ask(context, calls, for: found) else { return failure() }
            }
            let left = deadline - bootTimeMicroseconds()
            guard left > 0 else { return .hung }
            guard unsafe calls.mainloop_prepare(mainloop, Int32(left)) >= 0, unsafe calls.mainloop_poll(mainloop) >= 0,
                unsafe calls.mainloop_dispatch(mainloop) >= 0
            else { return .unreachable("libpulse's loop failed") }
        }
        guard !found.isFailed else { return failure() }
        found.outputs.sinks.removeAll { $0.name == silentSink }
        return .outputs(found.outputs)
    }

    /// Sends all questions at once.
    private static func ask(_ context: UnsafeMutableRawPointer, _ calls: cpulse_calls, for found: Found) -> Bool {
        let data = unsafe Unmanaged.passUnretained(found).toOpaque()
        let questions = unsafe [
            calls.context_get_server_info(context, takeServer, data),
            calls.context_get_sink_info_list(context, takeSink, data),
            calls.context_get_sink_input_info_list(context, takeInput, data),
            calls.ext_stream_restore_read(context, takeRemembered, data),
        ]
        for index in unsafe questions.indices {
            guard let question = unsafe questions[index] else { return false }
            unsafe calls.operation_unref(question)
        }
        return true
    }

    private static func errorText(_ error: Int32, _ calls: cpulse_calls) -> String {
        guard let text = calls.error_text(error) else { return "error \(error)" }
        return unsafe String(cString: text)
    }

    private static func load() throws(SystemError) -> cpulse_calls {
        let library = try DynamicLibrary("libpulse.so.0")
        var calls = cpulse_calls()
        unsafe calls.mainloop_new = try library.function("pa_mainloop_new")
        unsafe calls.mainloop_free = try library.function("pa_mainloop_free")
        unsafe calls.mainloop_get_api = try library.function("pa_mainloop_get_api")
        unsafe calls.mainloop_prepare = try library.function("pa_mainloop_prepare")
        unsafe calls.mainloop_poll = try library.function("pa_mainloop_poll")
        unsafe calls.mainloop_dispatch = try library.function("pa_mainloop_dispatch")
        unsafe calls.context_new = try library.function("pa_context_new")
        unsafe calls.context_connect = try library.function("pa_context_connect")
        unsafe calls.context_get_state = try library.function("pa_context_get_state")
        unsafe calls.context_errno = try library.function("pa_context_errno")
        unsafe calls.context_get_sink_info_list = try library.function("pa_context_get_sink_info_list")
        unsafe calls.context_get_sink_input_info_list = try library.function("pa_context_get_sink_input_info_list")
        unsafe calls.context_get_server_info = try library.function("pa_context_get_server_info")
        unsafe calls.ext_stream_restore_read = try library.function("pa_ext_stream_restore_read")
        unsafe calls.proplist_gets = try library.function("pa_proplist_gets")
        unsafe calls.context_disconnect = try library.function("pa_context_disconnect")
        unsafe calls.context_unref = try library.function("pa_context_unref")
        unsafe calls.operation_unref = try library.function("pa_operation_unref")
        unsafe calls.error_text = try library.function("pa_strerror")
        return calls
    }
}

/// What was reported so far.
private final class Found {
    let calls: cpulse_calls
    var outputs = SoundOutputs()
    /// How many questions have no answer yet: server, sinks, what plays, and what is remembered.
    var answersDue = 4
    let ownPID = "\(getpid())"
    var isFailed = false

    init(_ calls: cpulse_calls, _ route: SoundRoute) {
        self.calls = calls
        outputs.route = route
    }

    /// Whether a sink called `name` is listed: however many there are, those that may be used are.
    func lists(_ name: String) -> Bool {
        outputs.sinks.count < SoundOutputs.sinksMax || [outputs.defaultName, outputs.route.device].contains(name)
    }

    /// What `data`, which a question carried, stands for.
    static func of(_ data: UnsafeMutableRawPointer?) -> Found? {
        guard let data = unsafe data else { return nil }
        return unsafe Unmanaged<Found>.fromOpaque(data).takeUnretainedValue()
    }

    func property(_ key: String, in properties: UnsafeRawPointer?) -> String? {
        guard let properties = unsafe properties, let text = unsafe calls.proplist_gets(properties, key) else {
            return nil
        }
        return unsafe String(cString: text)
    }
}

private func text(_ text: UnsafePointer<CChar>?) -> String { unsafe text.map { unsafe String(cString: $0) } ?? "" }

/// Whether nothing is heard at this volume; one without channels says nothing.
private func isSilent(_ volume: cpulse_volume) -> Bool {
    guard (1...32).contains(volume.channels) else { return false }
    return unsafe withUnsafeBytes(of: volume.values) { bytes in
        unsafe bytes.bindMemory(to: UInt32.self).prefix(Int(volume.channels)).allSatisfy { $0 == 0 }
    }
}

private func takeServer(
    _ context: UnsafeMutableRawPointer?, _ server: UnsafePointer<cpulse_server>?, _ data: UnsafeMutableRawPointer?
) {
    guard let found = unsafe Found.of(data) else { return }
    found.answersDue -= 1
    guard let server = unsafe server?.pointee else { return found.isFailed = true }
    found.outputs.defaultName = unsafe text(server.default_sink)
}

private func takeSink(
    _ context: UnsafeMutableRawPointer?, _ sink: UnsafePointer<cpulse_sink>?, _ end: Int32,
    _ data: UnsafeMutableRawPointer?
) {
    guard let found = unsafe Found.of(data) else { return }
    guard end == 0 else {
        found.answersDue -= 1
        return found.isFailed = found.isFailed || end < 0
    }
    guard let sink = unsafe sink?.pointee, unsafe found.lists(text(sink.name)) else { return }
    // PulseAudio names its module, PipeWire what the sink was made of.
    let (driver, factory) = unsafe (text(sink.driver), found.property("factory.name", in: sink.properties))
    let isNull = driver == "module-null-sink.c" || factory == "support.null-audio-sink"
    found.outputs.sinks.append(
        unsafe SoundOutputs.Sink(
            name: text(sink.name), isMuted: sink.mute != 0, isSilent: isSilent(sink.volume), isNull: isNull))
}

private func takeInput(
    _ context: UnsafeMutableRawPointer?, _ input: UnsafePointer<cpulse_input>?, _ end: Int32,
    _ data: UnsafeMutableRawPointer?
) {
    guard let found = unsafe Found.of(data) else { return }
    guard end == 0 else { return found.answersDue -= 1 }
    guard let input = unsafe input?.pointee,
        unsafe found.property("application.process.id", in: input.properties) == found.ownPID
    else { return }
    unsafe found.outputs.isRoleMuted = found.outputs.isRoleMuted || input.mute != 0
    unsafe found.outputs.isRoleSilent = found.outputs.isRoleSilent || isSilent(input.volume)
}

private func takeRemembered(
    _ context: UnsafeMutableRawPointer?, _ remembered: UnsafePointer<cpulse_remembered>?, _ end: Int32,
    _ data: UnsafeMutableRawPointer?
) {
    guard let found = unsafe Found.of(data) else { return }
    // A server without the module answers with an error: it remembers nothing.
    guard end == 0 else { return found.answersDue -= 1 }
    guard let remembered = unsafe remembered?.pointee,
        unsafe text(remembered.name) == "sink-input-by-media-role:\(SoundOutputs.role)"
    else { return }
    unsafe found.outputs.isRoleMuted = found.outputs.isRoleMuted || remembered.mute != 0
    // A ring with a volume of its own does not have what is remembered.
    guard found.outputs.route.volumePercent == nil else { return }
    unsafe found.outputs.isRoleSilent = found.outputs.isRoleSilent || isSilent(remembered.volume)
}
