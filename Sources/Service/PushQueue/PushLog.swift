public import BelfryAppGroup
import BelfryDevices
public import BelfrySyscalls
import Glibc

/// What became of the pushes of late, a JSON object a line, in two files of the state directory: the older one goes
/// when the newer one is full.
///
/// A process that is killed loses none of it; a power cut may take the last seconds. Commands read it whether or not
/// the service runs.
public final class PushLog {
    /// How long a file is.
    public static let fileBytesMax = 8 << 20
    /// The file that is written.
    public static let fileName = PushLogPlace.fileName
    /// The file before it.
    public static let olderFileName = PushLogPlace.olderFileName
    /// The folder of the state directory that holds them, and the queue.
    static let folderName = PushLogPlace.folderName
    /// How much waits to be written at most; what comes then is dropped.
    private static let unwrittenBytesMax = 1 << 20

    private let directory: Directory
    private let fileBytesMax: Int
    private var file: OwnedDescriptor?
    private var bytesCount = 0
    private var unwritten: [UInt8] = []

    /// The log below `state`, whose directory is made if it is missing.
    init(state: StateDirectory, fileBytesMax: Int = PushLog.fileBytesMax) throws(SystemError) {
        directory = try Self.openDirectory(state, makes: true)
        self.fileBytesMax = fileBytesMax
    }

    /// The directory of the log; throws ENOENT if there is none and it is not to be made.
    static func openDirectory(_ state: StateDirectory, makes: Bool) throws(SystemError) -> Directory {
        try Directory.open(path: state.path, makes: makes).openDirectory(folderName, makes: makes)
    }

    /// What has been written, the oldest line first, unless the older one is left out; none if there is no log.
    public static func lines(of state: StateDirectory) throws(SystemError) -> [[UInt8]] {
        do throws(SystemError) {
            let directory = try openDirectory(state, makes: false)
            var bytes: [UInt8] = []
            for name in [olderFileName, fileName] {
                // The writer ends a file a little past its limit.
                bytes += try directory.read(name, bytesMax: fileBytesMax + unwrittenBytesMax)?.bytes ?? []
            }
            return bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
        } catch  where error.errno == ENOENT {
            return []
        }
    }

    /// Adds a line, which ``write()`` writes.
    func add(_ note: PushNote) {
        guard unwritten.count < Self.unwrittenBytesMax else { return }
        note.write(to: &unwritten)
        unwritten.append(UInt8(ascii: "\n"))
    }

    /// Writes what was added. If the disk takes nothing, that is lost: the queue does not wait for its log.
    func write() {
        guard !unwritten.isEmpty else { return }
        let bytes = unwritten
        unwritten = []
        do throws(SystemError) {
            if bytesCount >= fileBytesMax, let full = file.take() {
                full.close()
                try directory.rename(Self.fileName, to: Self.olderFileName)
            }
            if file == nil {
                let opened = try directory.openForAppending(Self.fileName)
                bytesCount = opened.bytesCount
                file = consume opened.file
            }
            guard let number = file?.number else { return }
            try writeAll(bytes, to: number, path: Self.fileName)
            bytesCount += bytes.count
        } catch {
            file = nil
        }
    }
}
