import CBelfryLinux
import Glibc

/// A push socket in a folder of its own, behind which a script plays the worker: once for each connection, in a thread.
public final class ScriptedWorker {
    /// The socket.
    public let path: String
    private let folder: String
    private let listener: Int32
    private let thread: pthread_t

    /// What the worker does with a connection; it is closed afterwards.
    public typealias Script = @Sendable (Int32) -> Void

    /// Listens for `connections` connections, one after another.
    public init(connections: Int = 1, _ script: @escaping Script) {
        var template = Array("/tmp/belfry-push-XXXXXX".utf8CString)
        let folder = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe String(cString: mkdtemp(buffer.baseAddress!)!)
        }
        self.folder = folder
        let path = folder + "/push.sock"
        self.path = path
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(listener, $0, size) }
        }
        precondition(bound == 0 && listen(listener, 16) == 0)
        let work = Work(listener: listener, connections: connections, script: script)
        var thread = pthread_t()
        let made = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(work).toOpaque())
        precondition(made == 0)
        self.thread = thread
    }

    deinit {
        // The thread leaves accept(2).
        shutdown(listener, Int32(SHUT_RDWR))
        pthread_join(thread, nil)
        close(listener)
        unsafe unlink(path)
        unsafe rmdir(folder)
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

    private final class Work {
        private let listener: Int32
        private let connections: Int
        private let script: Script

        init(listener: Int32, connections: Int, script: @escaping Script) {
            self.listener = listener
            self.connections = connections
            self.script = script
        }

        func run() {
            for _ in 0..<connections {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                script(connection)
                close(connection)
            }
        }
    }
}
