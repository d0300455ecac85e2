import BelfrySyscalls
import CBelfrySystemd
import Glibc

/// libsystemd, opened when a loop gets ready to wait: linking it, with the six libraries that it needs, would cost
/// each start 0.5 ms before its notification is even read. It is never closed.
@safe
struct SystemdLibrary: @unchecked Sendable {
    /// The file that is opened.
    static let fileName = "libsystemd.so.0"

    /// The calls, every one of them there.
    let calls: csystemd_calls

    /// The one of this process: opened by whoever asks first.
    static let opened = Result { () throws(SystemError) in try SystemdLibrary(fileName: fileName) }

    /// Opens the library (dlopen) and finds its calls. Fails with ELIBACC, and what the loader says.
    init(fileName: String) throws(SystemError) {
        guard let handle = unsafe dlopen(fileName, RTLD_NOW | RTLD_LOCAL) else { throw Self.lastError("dlopen") }
        var calls = csystemd_calls()
        unsafe calls.event_new = try Self.find("sd_event_new", in: handle)
        unsafe calls.event_unref = try Self.find("sd_event_unref", in: handle)
        unsafe calls.event_run = try Self.find("sd_event_run", in: handle)
        unsafe calls.event_add_time = try Self.find("sd_event_add_time", in: handle)
        unsafe calls.event_add_io = try Self.find("sd_event_add_io", in: handle)
        unsafe calls.event_add_signal = try Self.find("sd_event_add_signal", in: handle)
        unsafe calls.event_add_defer = try Self.find("sd_event_add_defer", in: handle)
        unsafe calls.event_source_set_description = try Self.find("sd_event_source_set_description", in: handle)
        unsafe calls.event_source_set_destroy_callback = try Self.find(
            "sd_event_source_set_destroy_callback", in: handle)
        unsafe calls.event_source_set_enabled = try Self.find("sd_event_source_set_enabled", in: handle)
        unsafe calls.event_source_set_floating = try Self.find("sd_event_source_set_floating", in: handle)
        unsafe calls.event_source_set_io_events = try Self.find("sd_event_source_set_io_events", in: handle)
        unsafe calls.event_source_set_time = try Self.find("sd_event_source_set_time", in: handle)
        unsafe calls.event_source_unref = try Self.find("sd_event_source_unref", in: handle)
        unsafe calls.notify = try Self.find("sd_notify", in: handle)
        self.calls = calls
    }

    private static func find<Call>(_ symbol: String, in handle: UnsafeMutableRawPointer) throws(SystemError) -> Call {
        guard let address = unsafe dlsym(handle, symbol) else { throw lastError("dlsym") }
        // The field that takes it has the type that libsystemd's own header gives the call.
        return unsafe unsafeBitCast(address, to: Call.self)
    }

    private static func lastError(_ call: String) -> SystemError {
        let text = unsafe dlerror().map { unsafe String(cString: $0) }
        return SystemError(errno: ELIBACC, call: call, subject: text ?? fileName)
    }
}

/// libsystemd's calls, for what only a loop that is ready to wait can have.
var systemd: csystemd_calls {
    switch SystemdLibrary.opened {
    case .success(let library): library.calls
    case .failure(let error): preconditionFailure("\(error)")
    }
}

/// Tells the service manager `state` (sd_notify); nothing happens where none listens.
public func notifyServiceManager(_ state: String) {
    guard case .success(let library) = SystemdLibrary.opened else { return }
    _ = unsafe library.calls.notify(0, state)
}
