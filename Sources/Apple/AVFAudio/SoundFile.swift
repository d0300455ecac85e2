import BelfrySoundDecoding
import BelfrySyscalls
import CBelfrySndfile

/// A sound file that libsndfile has opened; closed when the object is released.
@safe
final class SoundFile {
    /// As sndfile.h numbers them.
    enum Mode {
        case read
        case write

        fileprivate var number: Int32 { Int32(self == .read ? SFM_READ : SFM_WRITE) }
    }

    /// The start of a file, as the whence of lseek(2).
    private static let fromStart: Int32 = 0

    private let calls: csndfile_calls
    private let handle: OpaquePointer

    /// Opens the file at `path` (sf_open). A file to be written gets the format in `information`; afterwards
    /// `information` describes the file. Nil if it cannot be opened.
    ///
    /// - Throws: if there is no libsndfile.
    init?(_ path: String, _ mode: Mode, _ information: inout SF_INFO) throws(SystemError) {
        let calls = try Sndfile.opened.get()
        guard let handle = unsafe calls.open(path, mode.number, &information) else { return nil }
        self.calls = calls
        unsafe self.handle = handle
    }

    deinit { _ = unsafe calls.close(handle) }

    /// Goes to a frame (sf_seek); false if there is none.
    func seek(to frame: Int64) -> Bool { unsafe calls.seek(handle, frame, Self.fromStart) == frame }

    /// Reads up to `frames` frames of interleaved samples (sf_readf_float), and returns how many there were.
    func read(into samples: inout [Float], frames: Int64) -> Int64 {
        unsafe calls.read_frames(handle, &samples, frames)
    }

    /// Writes frames of interleaved samples (sf_writef_float), and returns how many.
    func write(_ samples: [Float], frames: Int64) -> Int64 { unsafe calls.write_frames(handle, samples, frames) }
}
