import BelfrySyscalls
import CBelfrySndfile
import Glibc

/// A sound file as libsndfile reads it.
@safe
final class SoundSource {
    let samplesPerSecond: Int
    let channels: Int

    private let calls: csndfile_calls
    private let handle: OpaquePointer
    private let file: PassedFile

    /// Opens the file at `path`, which has `bytesMax` bytes at most.
    convenience init(openedAt path: String, bytesMax: Int = .max) throws(SoundDecodingError) {
        let file = try Self.open(path)
        guard fileKind(of: file.descriptor.number) == S_IFREG else {
            throw SoundDecodingError(detail: "not a regular file")
        }
        guard lseek(file.descriptor.number, 0, SEEK_END) <= bytesMax else {
            throw SoundDecodingError(detail: "larger than \(bytesMax >> 20) MiB")
        }
        let calls = try Self.calls()
        var information = SF_INFO()
        // Opened anew by its own path: given a descriptor, libsndfile closes it where it finds no sound.
        let opened = unsafe calls.open(file.path, Int32(SFM_READ), &information)
        guard let handle = unsafe opened else {
            let text = unsafe calls.error_text(nil).map { unsafe String(cString: $0) }
            throw SoundDecodingError(detail: text ?? "no sound")
        }
        unsafe self.init(file, handle, calls, information)
    }

    private init(_ file: PassedFile, _ handle: OpaquePointer, _ calls: csndfile_calls, _ information: SF_INFO) {
        self.file = file
        unsafe self.handle = handle
        self.calls = calls
        samplesPerSecond = Int(information.samplerate)
        channels = Int(information.channels)
    }

    deinit { _ = unsafe calls.close(handle) }

    /// The next frames, at most `framesMax`, the channels of each beside one another; none at the end, or where the
    /// file is damaged.
    func read(_ framesMax: Int) -> [Float] {
        unsafe [Float](unsafeUninitializedCapacity: framesMax * channels) { buffer, count in
            let frames = unsafe calls.read_frames(handle, buffer.baseAddress, sf_count_t(framesMax))
            count = max(0, Int(frames)) * channels
        }
    }

    /// Opens `path` with O_NONBLOCK, since opening a FIFO would block.
    private static func open(_ path: String) throws(SoundDecodingError) -> PassedFile {
        do throws(SystemError) {
            let number = try checked("open", on: path) {
                unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            }
            return PassedFile(OwnedDescriptor(owning: number))
        } catch { throw SoundDecodingError(error) }
    }

    private static func calls() throws(SoundDecodingError) -> csndfile_calls {
        do throws(SystemError) {
            return try Sndfile.opened.get()
        } catch {
            throw SoundDecodingError(detail: "libsndfile cannot be opened: \(error.subject)")
        }
    }
}
