import BelfrySyscalls
import CallChannel
import SystemSound

/// The tunes that apps have passed, one each: that of the name which the app's configuration has (R6).
struct AppTunes {
    /// A tune.
    struct Tune {
        /// As the app calls it.
        let name: String
        let file: PassedFile
    }

    private var wanted: [String: String] = [:]
    private var tunes: [String: Tune] = [:]

    /// The tune of the app `id`; nil if it has passed none.
    subscript(id: String) -> Tune? { tunes[id] }

    /// Hears what the app `id` says: under another configuration its tune may be another.
    mutating func heard(_ message: AppMessage, from id: String) {
        switch message {
        case .provider(let settings):
            wanted[id] = settings.ringtoneSound
            if tunes[id]?.name != settings.ringtoneSound { tunes[id] = nil }
        case .invalidated: forget(id)
        default: break
        }
    }

    /// Keeps `file`, if that is the tune which the app's configuration names; false if it has another by now.
    ///
    /// - Throws: why it cannot be played: also if the app could still change it.
    mutating func keep(_ file: PassedFile, named name: String, of id: String) throws(SoundProblem) -> Bool {
        guard wanted[id] == name else { return false }
        _ = try ResolvedSound(passed: file, name: name)
        tunes[id] = Tune(name: name, file: file)
        return true
    }

    /// The app `id` is gone, or has no calls.
    mutating func forget(_ id: String) { (wanted[id], tunes[id]) = (nil, nil) }
}
