import BelfryEventLoop
import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import PushFollowing
import RingEar

/// Follows the pushes of a phone, and hands out what is wanted of what is said of them.
final class PushRecorder {
    private var listener: PushListener?
    private var selection: RecordSelection
    private let write: (JSONObject) -> Void

    /// Follows the phone whose runtime directory is `runtime`, and calls `write` with what `selection` shows.
    init(
        _ runtime: RuntimeDirectory, _ selection: RecordSelection, on loop: Loop, write: @escaping (JSONObject) -> Void
    ) throws(SystemError) {
        self.selection = selection
        self.write = write
        listener = try PushListener(in: runtime, on: loop) { [unowned self] record, _ in hear(record) }
    }

    /// Hands out what was said before now, and follows no longer.
    func finish() {
        listener?.close()
        listener = nil
    }

    private func hear(_ record: PushRecord) {
        if let object = selection.shown(record) { write(object) }
    }
}

/// A file, or a pipe, that a command writes records to; a file is emptied as it is opened.
///
/// A pipe whose reader is slow does not hold up the loop: what it does not take at once waits for it.
final class RecordFile {
    /// How many bytes may wait for a reader.
    private static let unwrittenBytesMax = 64 << 20

    private let file: OwnedDescriptor
    private let path: String
    private let loop: Loop
    private var unwritten: [UInt8] = []
    private var writable: DescriptorSource?
    private var hasFailed = false

    /// The file at `path`, made for this user alone if it is missing.
    init(_ path: String, on loop: Loop) throws(SystemError) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        file = OwnedDescriptor(owning: try checked("open", on: path) { unsafe open(path, flags, 0o600) })
        self.path = path
        self.loop = loop
    }

    /// Writes `line`, now or once its reader has taken what was written before. Calls `warn` the first time that it
    /// fails: from then on lines are missing.
    func write(_ line: [UInt8], _ warn: @escaping (String) -> Void) {
        guard unwritten.count + line.count <= Self.unwrittenBytesMax else {
            return fail(SystemError(errno: ENOBUFS, call: "write", subject: path), warn)
        }
        unwritten += line
        if writable == nil { writeOn(warn) }
    }

    /// Writes what waits, however long its reader takes.
    func finish() {
        writable?.cancel()
        writable = nil
        _ = fcntl(file.number, F_SETFL, O_WRONLY)
        try? writeAll(unwritten, to: file.number, path: path)
        unwritten = []
    }

    private func writeOn(_ warn: @escaping (String) -> Void) {
        while !unwritten.isEmpty {
            let count = unsafe Glibc.write(file.number, unwritten, unwritten.count)
            guard count >= 0 else {
                if errno == EINTR { continue }
                guard errno == EAGAIN else {
                    return fail(SystemError(errno: errno, call: "write", subject: path), warn)
                }
                return watch(warn)
            }
            unwritten.removeFirst(count)
        }
        writable?.cancel()
        writable = nil
    }

    private func watch(_ warn: @escaping (String) -> Void) {
        guard writable == nil else { return }
        do throws(SystemError) {
            writable = try loop.watch(descriptor: file.number, events: .writable, description: "record") {
                [unowned self] _ in writeOn(warn)
            }
        } catch {
            fail(error, warn)
        }
    }

    private func fail(_ error: SystemError, _ warn: (String) -> Void) {
        unwritten = []
        guard !hasFailed else { return }
        hasFailed = true
        warn("not all that arrives is recorded: \(error)")
    }
}
