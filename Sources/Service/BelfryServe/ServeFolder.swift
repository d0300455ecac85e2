public import BelfrySyscalls
import CBelfryLinux
import Glibc

/// A folder with all that one push server needs: its socket, its state and its runtime files, for this user alone.
///
/// ``remove()`` removes it. If its process was killed, the next one that is made beside it removes it.
public struct ServeFolder: ~Copyable {
    /// Where it is.
    package var path: String { directory.path }
    /// Where the push socket belongs.
    public var socketPath: String { "\(directory.path)/push.sock" }
    /// The state directory: what `BELFRY_STATE_DIRECTORY` says.
    public var statePath: String { "\(directory.path)/state" }
    /// The runtime directory: what `BELFRY_RUNTIME_DIRECTORY` says.
    public var runtimePath: String { "\(directory.path)/run" }

    /// The variables by which a program finds the folder, and pushes to the socket at `socketPath`.
    public func variables(socketPath: String) -> [(name: String, value: String)] {
        [
            ("BELFRY_SOCKET", socketPath), ("BELFRY_STATE_DIRECTORY", statePath),
            ("BELFRY_RUNTIME_DIRECTORY", runtimePath),
        ]
    }

    private let directory: Directory
    /// Held as long as its process lives.
    private let lock: FileLock

    private static let prefix = "belfry-serve-"
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    /// How many names are looked at beside it, and how many are tried for a new one.
    private static let namesMax = 4_096
    /// How deep its folders are nested at most.
    private static let depthMax = 16

    /// Where one may be made: the user's runtime directory, if it is theirs alone, else where temporary files are.
    public static func places(in environment: [String: String]) -> [String] {
        var places: [String] = []
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/"),
            (try? Directory.openUnlinked(path: runtime)) != nil
        {
            places.append(runtime)
        }
        if let temporary = environment["TMPDIR"], temporary.hasPrefix("/") { places.append(temporary) }
        return places + ["/tmp"]
    }

    /// Makes one in the first of `places` that takes it and whose path leaves room for a socket's. Throws the error of
    /// the last one.
    public init(in places: [String]) throws(SystemError) {
        var failure = SystemError(errno: ENOENT, call: "mkdir", subject: "no folder is named")
        for place in places {
            do throws(SystemError) {
                Self.sweep(place)
                self = try Self.make(in: place)
                return
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private init(directory: consuming Directory, lock: consuming FileLock) {
        self.directory = directory
        self.lock = lock
    }

    private static func make(in place: String) throws(SystemError) -> ServeFolder {
        while true {
            let path = "\(place)/\(prefix)\(String((0..<8).compactMap { _ in letters.randomElement() }))"
            _ = try UnixAddress("\(path)/push.sock")
            do throws(SystemError) {
                try checked("mkdir", on: path) { unsafe mkdir(path, 0o700) }
            } catch  where error.errno == EEXIST {
                continue
            }
            // Until it is locked, another process's sweep may take it for a dead one's, and remove it.
            do throws(SystemError) {
                let directory = try Directory.openUnlinked(path: path)
                if let lock = try directory.tryLock(), try !directory.isRemoved() {
                    return ServeFolder(directory: directory, lock: lock)
                }
            } catch  where error.errno == ENOENT {
                continue
            }
        }
    }

    /// Removes it with all that is in it.
    public consuming func remove() {
        directory.removeContents(depthMax: Self.depthMax)
        unsafe rmdir(directory.path)
    }

    /// Removes those beside it whose processes were killed.
    private static func sweep(_ place: String) {
        for name in (try? Directory.names(at: place, max: namesMax)) ?? [] {
            guard name.hasPrefix(prefix), let directory = try? Directory.openUnlinked(path: "\(place)/\(name)"),
                let lock = try? directory.tryLock()
            else { continue }
            ServeFolder(directory: directory, lock: lock).remove()
        }
    }
}
