import BelfrySyscalls
import CBelfryCanberra

/// One connection to the sound server, with the process's sounds on it, each by its number. Used on the sound thread
/// alone: with a hung server `init` blocks up to 30 s, and `play` and `silence` 10 s (measured).
@safe
final class CanberraConnection {
    private let library: CanberraLibrary
    private let context: OpaquePointer
    private let route: SoundRoute
    /// Whether the server said that it has no such device as ``route`` names: then all goes where it likes.
    private(set) var isDeviceMissing = false

    /// Connects (ca_context_create, ca_context_open), to play by `route`.
    init(library: CanberraLibrary, route: SoundRoute) throws(CanberraError) {
        var context: OpaquePointer?
        let created = unsafe library.calls.context_create(&context)
        guard created == CA_SUCCESS, let context = unsafe context else {
            throw CanberraError(detail: library.text(of: created))
        }
        self.library = library
        self.route = route
        unsafe self.context = context
        let opened = unsafe Self.open(context, library)
        guard opened == CA_SUCCESS else {
            throw CanberraError(detail: Self.serverText(of: opened, library))
        }
        // It is looked up when something is played.
        if let device = route.device { _ = unsafe library.calls.context_change_device(context, device) }
    }

    deinit {
        _ = unsafe library.calls.context_destroy(context)
    }

    /// Plays `sound` once as number `id`, and ends what still plays under that number (ca_context_cancel,
    /// ca_context_play_full).
    ///
    /// - Parameter ended: is called on a thread of libcanberra's once the sound was heard to its end, or its server has
    ///   left; not if it is cancelled.
    func play(
        _ sound: ResolvedSound, as id: UInt32, ended: (@Sendable () -> Void)? = nil
    ) throws(CanberraError) {
        cancel(id)
        // What mixers show.
        let what = sound.tellsEnd ? "Notification" : "Incoming call"
        var properties = [
            (CA_PROP_MEDIA_FILENAME, sound.path),
            (CA_PROP_MEDIA_NAME, what),
            (CA_PROP_EVENT_DESCRIPTION, what),
            (CA_PROP_MEDIA_ROLE, SoundOutputs.role),
            // A cached sound lives in the server and plays on for seconds after we are killed (R14).
            (CA_PROP_CANBERRA_CACHE_CONTROL, "never"),
        ]
        if let volume = route.decibels(attenuatedBy: sound.attenuationDecibels) {
            properties.append((CA_PROP_CANBERRA_VOLUME, volume))
        }
        var result = play(properties, as: id, ended: ended)
        // PulseAudio has no such file, or no such sink. PipeWire plays to another sink, and says nothing.
        if result == CA_ERROR_NOTFOUND, route.device != nil, !isDeviceMissing {
            _ = unsafe library.calls.context_change_device(context, nil)
            result = play(properties, as: id, ended: ended)
            isDeviceMissing = result == CA_SUCCESS
        }
        guard result != CA_SUCCESS else { return }
        switch Int(result) {
        case CA_ERROR_NOTSUPPORTED, CA_ERROR_CORRUPT, CA_ERROR_TOOBIG, CA_ERROR_NOTFOUND, CA_ERROR_SYSTEM:
            throw CanberraError(detail: "\(sound.path): \(library.text(of: result))", isOfFile: true)
        default:
            throw CanberraError(detail: Self.serverText(of: result, library))
        }
    }

    /// Asks the server to stop sound `id` (ca_context_cancel); returns before it has.
    func cancel(_ id: UInt32) {
        _ = unsafe library.calls.context_cancel(context, id)
    }

    /// Stops sound `id` and returns when the server has stopped it.
    ///
    /// libcanberra does not wait for a cancel. The server answers in order, so it is asked something else: to play a
    /// sample whose name it refuses for the space in it (pa_namereg_is_valid_name), without any sound being looked up.
    func silence(_ id: UInt32) {
        cancel(id)
        let question = [
            (CA_PROP_EVENT_ID, "belfry, are you silent?"),
            (CA_PROP_CANBERRA_CACHE_CONTROL, "volatile"),
        ]
        _ = play(question, as: id)
    }

    private func play(
        _ properties: [(String, String)], as id: UInt32, ended: (@Sendable () -> Void)? = nil
    ) -> Int32 {
        var list: OpaquePointer?
        let created = unsafe library.calls.proplist_create(&list)
        guard created == CA_SUCCESS, let list = unsafe list else { return created }
        defer { _ = unsafe library.calls.proplist_destroy(list) }
        for (key, value) in properties {
            let set = unsafe library.calls.proplist_sets(list, key, value)
            guard set == CA_SUCCESS else { return set }
        }
        guard let ended else { return unsafe library.calls.context_play_full(context, id, list, nil, nil) }
        let end = unsafe Unmanaged.passRetained(SoundEnd(ended))
        let result = unsafe library.calls.context_play_full(
            context, id, list,
            { _, _, code, end in
                guard let end = unsafe end else { return }
                let ended = unsafe Unmanaged<SoundEnd>.fromOpaque(end).takeRetainedValue().ended
                if code != CA_ERROR_CANCELED { ended() }
            }, end.toOpaque())
        // The callback comes only for a sound that was begun: release what it would have released.
        if result != CA_SUCCESS { unsafe end.release() }
        return result
    }

    private static func open(_ context: OpaquePointer, _ library: CanberraLibrary) -> Int32 {
        var list: OpaquePointer?
        let created = unsafe library.calls.proplist_create(&list)
        guard created == CA_SUCCESS, let list = unsafe list else { return created }
        defer { _ = unsafe library.calls.proplist_destroy(list) }
        for (key, value) in [(CA_PROP_APPLICATION_ID, "belfry"), (CA_PROP_APPLICATION_NAME, "Belfry")] {
            let set = unsafe library.calls.proplist_sets(list, key, value)
            guard set == CA_SUCCESS else { return set }
        }
        let changed = unsafe library.calls.context_change_props_full(context, list)
        guard changed == CA_SUCCESS else { return changed }
        return unsafe library.calls.context_open(context)
    }

    /// What libcanberra says about the server; its own words for a missing one ("Not available") do not name it.
    private static func serverText(of code: Int32, _ library: CanberraLibrary) -> String {
        switch Int(code) {
        case CA_ERROR_NOTAVAILABLE: "no sound server answers"
        case CA_ERROR_IO, CA_ERROR_STATE, CA_ERROR_DISCONNECTED, CA_ERROR_DESTROYED:
            "the sound server refused or left: \(library.text(of: code))"
        case CA_ERROR_NODRIVER: "libcanberra has no driver for a sound server (libcanberra-pulse)"
        default: "sound server: \(library.text(of: code))"
        }
    }
}

/// The closure to call at a sound's end, in a box that C can carry.
private final class SoundEnd: Sendable {
    let ended: @Sendable () -> Void

    init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }
}

/// Why sound does not come out, for people; and whether another connection to the sound server may help.
struct CanberraError: Error, Hashable {
    /// What went wrong.
    let detail: String
    /// Whether the file is to blame, so that a new connection would not help.
    var isOfFile = false
}

/// libcanberra, opened when a call rings: linking it would cost every start 0.4 ms.
@safe
struct CanberraLibrary {
    /// The file that is opened.
    static let fileName = "libcanberra.so.0"

    /// The calls, every one of them there.
    let calls: ccanberra_calls

    /// Opens the library and finds its calls.
    init(fileName: String = Self.fileName) throws(CanberraError) {
        let library: DynamicLibrary
        do throws(SystemError) { library = try DynamicLibrary(fileName) } catch {
            throw CanberraError(detail: "libcanberra cannot be opened: \(error.subject)")
        }
        do throws(SystemError) {
            var calls = ccanberra_calls()
            unsafe calls.context_create = try library.function("ca_context_create")
            unsafe calls.context_destroy = try library.function("ca_context_destroy")
            unsafe calls.context_open = try library.function("ca_context_open")
            unsafe calls.context_change_props_full = try library.function("ca_context_change_props_full")
            unsafe calls.context_change_device = try library.function("ca_context_change_device")
            unsafe calls.context_play_full = try library.function("ca_context_play_full")
            unsafe calls.context_cancel = try library.function("ca_context_cancel")
            unsafe calls.proplist_create = try library.function("ca_proplist_create")
            unsafe calls.proplist_sets = try library.function("ca_proplist_sets")
            unsafe calls.proplist_destroy = try library.function("ca_proplist_destroy")
            unsafe calls.error_text = try library.function("ca_strerror")
            self.calls = calls
        } catch {
            throw CanberraError(detail: "libcanberra cannot be used: \(error.subject)")
        }
    }

    /// `code` in libcanberra's words (ca_strerror).
    func text(of code: Int32) -> String {
        guard let text = calls.error_text(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
