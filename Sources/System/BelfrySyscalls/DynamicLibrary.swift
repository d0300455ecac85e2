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
    @inlinable
    public func function<Function>(_ symbol: String) throws(SystemError) -> Function {
        // Inlined: else the runtime makes up the type of each function, which for libsystemd's fifteen took half as
        // long as opening it.
        unsafe unsafeBitCast(try address(of: symbol), to: Function.self)
    }

    /// Where `symbol` is (dlsym). Fails as ``function(_:)`` does.
    @usableFromInline
    func address(of symbol: String) throws(SystemError) -> UnsafeMutableRawPointer {
        guard let address = unsafe dlsym(handle, symbol) else { throw Self.lastError("dlsym") }
        return unsafe address
    }

    private static func lastError(_ call: String) -> SystemError {
        let text = unsafe dlerror().map { unsafe String(cString: $0) }
        return SystemError(errno: ELIBACC, call: call, subject: text ?? "no reason given")
    }
}
