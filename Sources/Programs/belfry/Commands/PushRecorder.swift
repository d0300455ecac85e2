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

/// A file that a command writes records to: emptied as it is opened.
final class RecordFile {
    private let file: OwnedDescriptor
    private let path: String
    private var hasFailed = false

    /// The file at `path`, made for this user alone if it is missing.
    init(_ path: String) throws(SystemError) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        file = OwnedDescriptor(owning: try checked("open", on: path) { unsafe open(path, flags, 0o600) })
        self.path = path
    }

    /// Writes `line`. Calls `warn` the first time that it fails: from then on lines are missing.
    func write(_ line: [UInt8], _ warn: (String) -> Void) {
        do throws(SystemError) {
            try writeAll(line, to: file.number, path: path)
        } catch {
            guard !hasFailed else { return }
            hasFailed = true
            warn("not all that arrives is recorded: \(error)")
        }
    }
}
