import BelfrySyscalls
import CBelfrySystemd

/// libsystemd's sd-bus, opened by who has a bus.
@safe
struct BusLibrary: @unchecked Sendable {
    // Unchecked: C functions' addresses, which never change.

    /// The calls, every one of them there.
    let calls: csystemd_bus_calls

    /// The library of this process, opened on first use.
    static let opened = Result { () throws(SystemError) in try BusLibrary() }

    /// Opens the library and finds its calls. Fails with ELIBACC, and what the loader says.
    private init() throws(SystemError) {
        let library = try DynamicLibrary("libsystemd.so.0")
        var calls = csystemd_bus_calls()
        unsafe calls.open_user = try library.function("sd_bus_open_user")
        unsafe calls.open_system = try library.function("sd_bus_open_system")
        unsafe calls.attach_event = try library.function("sd_bus_attach_event")
        unsafe calls.detach_event = try library.function("sd_bus_detach_event")
        unsafe calls.close = try library.function("sd_bus_close")
        unsafe calls.unref = try library.function("sd_bus_unref")
        unsafe calls.add_filter = try library.function("sd_bus_add_filter")
        unsafe calls.call_async = try library.function("sd_bus_call_async")
        unsafe calls.send = try library.function("sd_bus_send")
        unsafe calls.slot_set_destroy_callback = try library.function("sd_bus_slot_set_destroy_callback")
        unsafe calls.slot_set_floating = try library.function("sd_bus_slot_set_floating")
        unsafe calls.slot_unref = try library.function("sd_bus_slot_unref")
        try Self.findMessages(in: library, &calls)
        try Self.findContents(in: library, &calls)
        self.calls = calls
    }

    private static func findMessages(in library: DynamicLibrary, _ calls: inout csystemd_bus_calls) throws(SystemError)
    {
        unsafe calls.message_new_method_call = try library.function("sd_bus_message_new_method_call")
        unsafe calls.message_new_method_return = try library.function("sd_bus_message_new_method_return")
        unsafe calls.message_new_method_error = try library.function("sd_bus_message_new_method_error")
        unsafe calls.message_new_signal = try library.function("sd_bus_message_new_signal")
        unsafe calls.message_set_auto_start = try library.function("sd_bus_message_set_auto_start")
        unsafe calls.message_ref = try library.function("sd_bus_message_ref")
        unsafe calls.message_unref = try library.function("sd_bus_message_unref")
        unsafe calls.message_get_type = try library.function("sd_bus_message_get_type")
        unsafe calls.message_get_sender = try library.function("sd_bus_message_get_sender")
        unsafe calls.message_get_path = try library.function("sd_bus_message_get_path")
        unsafe calls.message_get_interface = try library.function("sd_bus_message_get_interface")
        unsafe calls.message_get_member = try library.function("sd_bus_message_get_member")
        unsafe calls.message_get_error = try library.function("sd_bus_message_get_error")
    }

    private static func findContents(in library: DynamicLibrary, _ calls: inout csystemd_bus_calls) throws(SystemError)
    {
        unsafe calls.message_append_basic = try library.function("sd_bus_message_append_basic")
        unsafe calls.message_append_array = try library.function("sd_bus_message_append_array")
        unsafe calls.message_open_container = try library.function("sd_bus_message_open_container")
        unsafe calls.message_close_container = try library.function("sd_bus_message_close_container")
        unsafe calls.message_at_end = try library.function("sd_bus_message_at_end")
        unsafe calls.message_peek_type = try library.function("sd_bus_message_peek_type")
        unsafe calls.message_read_basic = try library.function("sd_bus_message_read_basic")
        unsafe calls.message_enter_container = try library.function("sd_bus_message_enter_container")
        unsafe calls.message_exit_container = try library.function("sd_bus_message_exit_container")
        unsafe calls.message_skip = try library.function("sd_bus_message_skip")
    }
}

/// sd-bus's calls, for code that runs only with an open connection.
var sdBus: csystemd_bus_calls {
    switch BusLibrary.opened {
    case .success(let library): library.calls
    case .failure(let error): preconditionFailure("\(error)")
    }
}
