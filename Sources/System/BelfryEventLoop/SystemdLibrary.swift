import BelfrySyscalls
import CBelfrySystemd

/// libsystemd, opened when a loop gets ready to wait: linking it, with the six libraries that it needs, would cost
/// each start 0.5 ms before its notification is even read.
@safe
struct SystemdLibrary: @unchecked Sendable {
    // Unchecked: C functions' addresses, which never change.

    /// The file that is opened.
    static let fileName = "libsystemd.so.0"

    /// The calls, every one of them there.
    let calls: csystemd_calls

    /// The library of this process, opened on first use.
    static let opened = Result { () throws(SystemError) in try SystemdLibrary(fileName: fileName) }

    /// Opens the library and finds its calls. Fails with ELIBACC, and what the loader says.
    init(fileName: String) throws(SystemError) {
        let library = try DynamicLibrary(fileName)
        var calls = csystemd_calls()
        unsafe calls.event_new = try library.function("sd_event_new")
        unsafe calls.event_unref = try library.function("sd_event_unref")
        unsafe calls.event_run = try library.function("sd_event_run")
        unsafe calls.event_add_time = try library.function("sd_event_add_time")
        unsafe calls.event_add_io = try library.function("sd_event_add_io")
        unsafe calls.event_add_signal = try library.function("sd_event_add_signal")
        unsafe calls.event_add_defer = try library.function("sd_event_add_defer")
        unsafe calls.event_source_set_description = try library.function("sd_event_source_set_description")
        unsafe calls.event_source_set_destroy_callback = try library.function("sd_event_source_set_destroy_callback")
        unsafe calls.event_source_set_enabled = try library.function("sd_event_source_set_enabled")
        unsafe calls.event_source_set_floating = try library.function("sd_event_source_set_floating")
        unsafe calls.event_source_set_io_events = try library.function("sd_event_source_set_io_events")
        unsafe calls.event_source_set_time = try library.function("sd_event_source_set_time")
        unsafe calls.event_source_unref = try library.function("sd_event_source_unref")
        unsafe calls.notify = try library.function("sd_notify")
        self.calls = calls
    }
}

/// libsystemd's calls, for code that runs only once a loop is ready to wait.
var systemd: csystemd_calls {
    switch SystemdLibrary.opened {
    case .success(let library): library.calls
    case .failure(let error): preconditionFailure("\(error)")
    }
}

/// Reports `state` to the service manager (sd_notify); nothing happens if none listens.
public func notifyServiceManager(_ state: String) {
    guard case .success(let library) = SystemdLibrary.opened else { return }
    _ = unsafe library.calls.notify(0, state)
}
