import BelfryAppDoor
import BelfryAppleGround
import BelfrySoundDecoding
import BelfrySyscalls
import BelfryTerms
import CallChannel
import Foundation

/// The tune of `ringtoneSound`: decoded once for each name, while the app goes on, and passed to `belfry-calls`. A call
/// that comes before rings with the configured sound until then, so that no report waits.
final class Ringtone: Sendable {
    /// One file after the other: of several, only the last counts.
    private static let queue = DispatchQueue(label: "belfry.ringtone")

    private let door: AppDoor
    private let name = LockedValue<String?>(nil)

    /// The tune of the app with this door.
    init(_ door: AppDoor) { self.door = door }

    /// The configuration says `name`, a file in `bundle`; nil for the system's sound.
    func declare(_ name: String?, in bundle: @autoclosure () -> Bundle = KeeperDoor.bundle) {
        let isNews = self.name.withLock { known in
            defer { known = name }
            return known != name
        }
        guard isNews else { return }
        door.declare(tune: nil)
        guard let name else { return }
        // Whose bundle that is, the caller's thread knows.
        let bundle = bundle()
        Self.queue.async { self.decode(name, in: bundle) }
    }

    private func decode(_ name: String, in bundle: Bundle) {
        guard isWanted(name) else { return }
        do throws(SoundDecodingError) {
            let wave = try SoundDecoder.tune(ofFileAt: Self.path(of: name, in: bundle))
            if isWanted(name) { door.declare(tune: (name, wave)) }
        } catch {
            door.warn(
                .soundUnreadable,
                "ringtoneSound \"\(name.prefix(CallLimits.wordBytesMax))\" cannot be played: \(error.detail). Calls "
                    + "ring with [Ring] Sound=, and on iOS with the system's tone. Name a file in the app's bundle: "
                    + "CAF, WAVE, AIFF or MP3")
        }
    }

    private func isWanted(_ name: String) -> Bool { self.name.withLock { $0 } == name }

    /// Where the file is that the app calls `name`: below its bundle, and nowhere else (S1).
    private static func path(of name: String, in bundle: Bundle) throws(SoundDecodingError) -> String {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard name.utf8.count <= CallLimits.wordBytesMax, !name.utf8.contains(0),
            parts.allSatisfy({ !["", ".", ".."].contains($0) })
        else { throw SoundDecodingError(detail: "it is not the name of a file in the bundle") }
        let folder = bundle.bundlePath
        let path = [bundle.resourcePath, folder].compactMap { $0 }.map { $0 + "/" + name }
            .first { FileManager.default.fileExists(atPath: $0) }
        guard let path else { throw SoundDecodingError(detail: "\(folder) has no such file") }
        return path
    }
}
