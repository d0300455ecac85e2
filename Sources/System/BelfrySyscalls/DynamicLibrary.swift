import CBelfryLinux
import Glibc

/// A shared library that is opened when it is first needed: linking it would cost every start the time to load it and
/// all that it needs in turn.
///
/// It is never closed, since libraries may have threads and thread-local data of their own.
@safe
public struct DynamicLibrary {
    private let handle: UnsafeMutableRawPointer

    /// Opens `fileName`, such as `libsystemd.so.0` (dlopen). Fails with ELIBACC; the error's subject is what the loader
    /// says.
    public init(_ fileName: String) throws(SystemError) {
        guard let handle = unsafe dlopen(fileName, RTLD_NOW | RTLD_LOCAL) else { throw Self.lastError("dlopen") }
        unsafe self.handle = handle
    }

    /// Its function `symbol` (dlsym), for a field whose type the library's own header gives. Fails with ELIBACC; the
    /// error's subject is what the loader says.
    public func function<Function>(_ symbol: String) throws(SystemError) -> Function {
        guard let address = unsafe dlsym(handle, symbol) else { throw Self.lastError("dlsym") }
        return unsafe unsafeBitCast(address, to: Function.self)
    }

    private static func lastError(_ call: String) -> SystemError {
        let text = unsafe dlerror().map { unsafe String(cString: $0) }
        return SystemError(errno: ELIBACC, call: call, subject: text ?? "no reason given")
    }
}
