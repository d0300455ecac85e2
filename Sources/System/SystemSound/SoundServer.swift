import BelfrySyscalls
public import BelfryTerms
import CBelfryPulse

/// The user's sound server, PulseAudio or PipeWire's stand-in for it, asked through libpulse without playing anything.
public enum SoundServer {
    /// How long it may take to answer.
    public static let patience = TimeSpan.milliseconds(800)
    /// The most sinks that are listed.
    static let sinksMax = 16
    /// The name of the silent sink that PulseAudio and PipeWire create if there is no other.
    private static let nullSink = "auto_null"

    /// The result of asking; the texts are for people.
    public enum Answer: Hashable, Sendable {
        /// libpulse, which libcanberra's driver needs, cannot be used.
        case noLibrary(String)
        /// No server listens, or it refuses us.
        case unreachable(String)
        /// It took the connection and said nothing for ``SoundServer/patience``, as one that was stopped.
        case hung
        /// The names of its sinks, without the silent one.
        case sinks([String])
    }

    /// Asks the server that the environment names. Returns within ``patience``.
    public static func ask() -> Answer {
        let calls: cpulse_calls
        do throws(SystemError) { calls = try load() } catch { return .noLibrary(error.subject) }
        guard let mainloop = calls.mainloop_new() else { return .unreachable("out of memory") }
        defer { unsafe calls.mainloop_free(mainloop) }
        guard let context = unsafe calls.context_new(calls.mainloop_get_api(mainloop), "belfry doctor") else {
            return .unreachable("out of memory")
        }
        defer { unsafe calls.context_unref(context) }
        return unsafe ask(calls, mainloop, context)
    }

    private static func ask(
        _ calls: cpulse_calls, _ mainloop: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer
    ) -> Answer {
        let failure = { unsafe Answer.unreachable(errorText(calls.context_errno(context), calls)) }
        // NOAUTOSPAWN: asking must not start a server.
        guard unsafe calls.context_connect(context, nil, Int32(CPULSE_CONTEXT_NOAUTOSPAWN), nil) >= 0 else {
            return failure()
        }
        defer { unsafe calls.context_disconnect(context) }
        let deadline = bootTimeMicroseconds() + patience.microseconds
        let found = Found()
        var isAsked = false
        while !found.isComplete {
            let state = unsafe calls.context_get_state(context)
            if state == CPULSE_CONTEXT_FAILED || state == CPULSE_CONTEXT_TERMINATED {
                return failure()
            }
            if state == CPULSE_CONTEXT_READY, !isAsked {
                isAsked = true
                let data = unsafe Unmanaged.passUnretained(found).toOpaque()
                guard let operation = unsafe calls.context_get_sink_info_list(context, takeSink, data) else {
                    return failure()
                }
                unsafe calls.operation_unref(operation)
            }
            let left = deadline - bootTimeMicroseconds()
            guard left > 0 else { return .hung }
            guard unsafe calls.mainloop_prepare(mainloop, Int32(left)) >= 0, unsafe calls.mainloop_poll(mainloop) >= 0,
                unsafe calls.mainloop_dispatch(mainloop) >= 0
            else { return .unreachable("libpulse's loop failed") }
        }
        return found.isFailed ? failure() : .sinks(found.names.filter { $0 != nullSink })
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
        unsafe calls.context_disconnect = try library.function("pa_context_disconnect")
        unsafe calls.context_unref = try library.function("pa_context_unref")
        unsafe calls.operation_unref = try library.function("pa_operation_unref")
        unsafe calls.error_text = try library.function("pa_strerror")
        return calls
    }
}

/// The sinks that were reported so far.
private final class Found {
    var names: [String] = []
    var isComplete = false
    var isFailed = false
}

private func takeSink(
    _ context: UnsafeMutableRawPointer?, _ sink: UnsafePointer<cpulse_sink>?, _ end: Int32,
    _ data: UnsafeMutableRawPointer?
) {
    guard let data = unsafe data else { return }
    let found = unsafe Unmanaged<Found>.fromOpaque(data).takeUnretainedValue()
    if end != 0 {
        found.isComplete = true
        found.isFailed = end < 0
    } else if let name = unsafe sink?.pointee.name, found.names.count < SoundServer.sinksMax {
        found.names.append(unsafe String(cString: name))
    }
}
