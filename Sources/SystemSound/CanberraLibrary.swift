internal import CCanberra
internal import Glibc

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
