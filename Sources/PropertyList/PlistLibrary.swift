import CPlist
import Glibc

/// libplist, opened when a binary property list is read: we write XML, so only a stranger's file needs it, and linking
/// it would cost every start 0.06 ms. It is never closed.
@safe
struct PlistLibrary: @unchecked Sendable {
    /// The file that is opened.
    static let fileName = "libplist-2.0.so.3"

    /// The calls, every one of them there.
    let calls: cplist_calls

    /// The one of this process; nil, and a binary property list is one that cannot be read, where it is not installed.
    static let opened = PlistLibrary(fileName: fileName)

    /// Opens the library (dlopen) and finds its calls.
    init?(fileName: String) {
        guard let handle = unsafe dlopen(fileName, RTLD_NOW | RTLD_LOCAL) else { return nil }
        var calls = cplist_calls()
        let isComplete =
            unsafe Self.find("plist_from_bin", &calls.from_bin, in: handle)
            && Self.find("plist_free", &calls.free, in: handle)
            && Self.find("plist_get_node_type", &calls.get_node_type, in: handle)
            && Self.find("plist_get_bool_val", &calls.get_bool_val, in: handle)
            && Self.find("plist_get_uint_val", &calls.get_uint_val, in: handle)
            && Self.find("plist_get_real_val", &calls.get_real_val, in: handle)
            && Self.find("plist_get_date_val", &calls.get_date_val, in: handle)
            && Self.find("plist_get_uid_val", &calls.get_uid_val, in: handle)
            && Self.find("plist_get_string_ptr", &calls.get_string_ptr, in: handle)
            && Self.find("plist_get_data_ptr", &calls.get_data_ptr, in: handle)
            && Self.find("plist_array_new_iter", &calls.array_new_iter, in: handle)
            && Self.find("plist_array_next_item", &calls.array_next_item, in: handle)
            && Self.find("plist_dict_new_iter", &calls.dict_new_iter, in: handle)
            && Self.find("plist_dict_next_item", &calls.dict_next_item, in: handle)
            && Self.find("plist_to_xml", &calls.to_xml, in: handle)
            && Self.find("plist_to_xml_free", &calls.to_xml_free, in: handle)
        guard isComplete else { return nil }
        self.calls = calls
    }

    private static func find<Call>(_ symbol: String, _ call: inout Call, in handle: UnsafeMutableRawPointer) -> Bool {
        guard let address = unsafe dlsym(handle, symbol) else { return false }
        // The field that takes it has the type that libplist's own header gives the call.
        call = unsafe unsafeBitCast(address, to: Call.self)
        return true
    }
}
