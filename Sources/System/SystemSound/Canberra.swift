import CBelfryCanberra
import Glibc

/// One connection to the sound server, with at most one sound of ours on it. Used on the sound thread alone: with a
/// hung server `init` blocks up to 30 s, and `play` and `silence` 10 s (measured).
@safe
final class CanberraConnection {
    private let library: CanberraLibrary
    private let context: OpaquePointer
    /// The id by which our sounds are cancelled.
    private let soundID: UInt32 = 1

    /// Connects (ca_context_create, ca_context_open).
    init(library: CanberraLibrary) throws(CanberraError) {
        var context: OpaquePointer?
        let created = unsafe library.calls.context_create(&context)
        guard created == CA_SUCCESS, let context = unsafe context else {
            throw CanberraError(detail: library.text(of: created))
        }
        self.library = library
        unsafe self.context = context
        let opened = unsafe Self.open(context, library)
        guard opened == CA_SUCCESS else {
            throw CanberraError(detail: Self.serverText(of: opened, library))
        }
    }

    deinit {
        _ = unsafe library.calls.context_destroy(context)
    }

    /// Plays `sound` once, in place of what still plays (ca_context_cancel, ca_context_play_full).
    func play(_ sound: ResolvedSound) throws(CanberraError) {
        _ = unsafe library.calls.context_cancel(context, soundID)
        var properties = [
            (CA_PROP_MEDIA_FILENAME, sound.path),
            (CA_PROP_MEDIA_NAME, "Incoming call"),
            (CA_PROP_EVENT_DESCRIPTION, "Incoming call"),
            // "phone" would cork music for good and may go to the call's own device.
            (CA_PROP_MEDIA_ROLE, "event"),
            // A cached sound lives in the server and plays on for seconds after we are killed.
            (CA_PROP_CANBERRA_CACHE_CONTROL, "never"),
        ]
        if sound.attenuationDecibels > 0 {
            properties.append((CA_PROP_CANBERRA_VOLUME, "-\(sound.attenuationDecibels)"))
        }
        let result = play(properties)
        guard result != CA_SUCCESS else { return }
        switch Int(result) {
        case CA_ERROR_NOTSUPPORTED, CA_ERROR_CORRUPT, CA_ERROR_TOOBIG, CA_ERROR_NOTFOUND, CA_ERROR_SYSTEM:
            throw CanberraError(detail: "\(sound.path): \(library.text(of: result))", isOfFile: true)
        default:
            throw CanberraError(detail: Self.serverText(of: result, library))
        }
    }

    /// Tells the server to stop our sound (ca_context_cancel); returns before it has.
    func cancel() {
        _ = unsafe library.calls.context_cancel(context, soundID)
    }

    /// Stops our sound and returns when the server has stopped it.
    ///
    /// libcanberra does not wait for a cancel. The server answers in order, so it is asked something else: to play a
    /// sample whose name it refuses for the space in it (pa_namereg_is_valid_name), without any sound being looked up.
    func silence() {
        cancel()
        _ = play([
            (CA_PROP_EVENT_ID, "belfry, are you silent?"),
            (CA_PROP_CANBERRA_CACHE_CONTROL, "volatile"),
        ])
    }

    private func play(_ properties: [(String, String)]) -> Int32 {
        var list: OpaquePointer?
        let created = unsafe library.calls.proplist_create(&list)
        guard created == CA_SUCCESS, let list = unsafe list else { return created }
        defer { _ = unsafe library.calls.proplist_destroy(list) }
        for (key, value) in properties {
            let set = unsafe library.calls.proplist_sets(list, key, value)
            guard set == CA_SUCCESS else { return set }
        }
        return unsafe library.calls.context_play_full(context, soundID, list, nil, nil)
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

    /// What libcanberra says of the server; its own words for a missing one ("Not available") name nobody.
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

/// Why sound does not come out, for people; and whether another connection to the sound server may help.
struct CanberraError: Error, Hashable {
    /// What went wrong.
    let detail: String
    /// Whether the file is to blame, so that connecting anew is no use.
    var isOfFile = false
}

/// libcanberra, opened when a call rings: linking it would cost every start 0.4 ms.
///
/// It is never closed, since its driver has threads and thread-local data of its own.
@safe
struct CanberraLibrary {
    /// The file that is opened.
    static let fileName = "libcanberra.so.0"

    /// The calls, every one of them there.
    let calls: ccanberra_calls

    /// Opens the library (dlopen) and finds its calls.
    init(fileName: String = Self.fileName) throws(CanberraError) {
        guard let handle = unsafe dlopen(fileName, RTLD_NOW | RTLD_LOCAL) else {
            throw CanberraError(detail: "libcanberra cannot be opened: \(Self.lastError())")
        }
        var calls = ccanberra_calls()
        unsafe calls.context_create = try Self.find("ca_context_create", in: handle)
        unsafe calls.context_destroy = try Self.find("ca_context_destroy", in: handle)
        unsafe calls.context_open = try Self.find("ca_context_open", in: handle)
        unsafe calls.context_change_props_full = try Self.find("ca_context_change_props_full", in: handle)
        unsafe calls.context_play_full = try Self.find("ca_context_play_full", in: handle)
        unsafe calls.context_cancel = try Self.find("ca_context_cancel", in: handle)
        unsafe calls.proplist_create = try Self.find("ca_proplist_create", in: handle)
        unsafe calls.proplist_sets = try Self.find("ca_proplist_sets", in: handle)
        unsafe calls.proplist_destroy = try Self.find("ca_proplist_destroy", in: handle)
        unsafe calls.error_text = try Self.find("ca_strerror", in: handle)
        self.calls = calls
    }

    /// `code` in libcanberra's words (ca_strerror).
    func text(of code: Int32) -> String {
        guard let text = calls.error_text(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }

    private static func find<Call>(_ symbol: String, in handle: UnsafeMutableRawPointer) throws(CanberraError) -> Call {
        guard let address = unsafe dlsym(handle, symbol) else {
            throw CanberraError(detail: "libcanberra cannot be used: \(lastError())")
        }
        // The field that takes it has the type that libcanberra's own header gives the call.
        return unsafe unsafeBitCast(address, to: Call.self)
    }

    private static func lastError() -> String {
        guard let text = unsafe dlerror() else { return "no reason given" }
        return unsafe String(cString: text)
    }
}
