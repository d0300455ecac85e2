import BelfrySyscalls
import CBelfryLinux
import Glibc

/// A push socket in a folder of its own, behind which a script plays the worker: once for each connection, in a thread.
public final class ScriptedWorker {
    /// The socket.
    public let path: String
    private let folder = TemporaryFolder()
    private let listener: Int32
    private let thread: PosixThread

    /// What the worker does with a connection; it is closed afterwards.
    public typealias Script = @Sendable (Int32) -> Void

    /// Listens for `connections` connections, one after another.
    public init(connections: Int = 1, _ script: @escaping Script) {
        path = "\(folder.path)/push.sock"
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        do {
            try bindUnixSocket(listener, to: path)
        } catch {
            preconditionFailure("\(error)")
        }
        precondition(listen(listener, 16) == 0)
        thread = PosixThread {
            for _ in 0..<connections {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                script(connection)
                close(connection)
            }
        }
    }

    deinit {
        // The thread leaves accept(2).
        shutdown(listener, Int32(SHUT_RDWR))
        thread.join()
        close(listener)
    }

    /// Everything the client sends until it closes its side.
    public static func readAll(_ descriptor: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return all }
            all.append(contentsOf: chunk.prefix(count))
        }
    }

    /// Sends `text`.
    public static func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8), to: descriptor) }

    /// Sends `bytes`; stops where the client has left.
    public static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// Whether somebody listens at the socket `path`.
public func listens(at path: String) throws -> Bool {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let connection = OwnedDescriptor(owning: try checked("socket") { socket(AF_UNIX, kind, 0) })
    do throws(SystemError) {
        try connectUnixSocket(connection.number, to: path)
        return true
    } catch {
        return error.errno == EAGAIN
    }
}
