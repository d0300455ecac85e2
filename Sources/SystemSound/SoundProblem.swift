/// Why a configured sound cannot be played.
public enum SoundProblem: Error, Hashable, Sendable {
    /// Not a bare name: one has 1 to ``SoundFiles/nameBytesMax`` of `A-Z a-z 0-9 . _ -` and does not start with a dot.
    case badName(String)
    /// No file of that name in any of the folders.
    case notFound(name: String, folders: [String])
    /// There is a file, but it cannot be played.
    case unusable(path: String, why: String)
}

extension SoundProblem: CustomStringConvertible {
    /// For people: what is wrong, and with which file.
    public var description: String {
        switch self {
        case .badName(let name):
            "\"\(name)\" is no name of a sound: letters, digits, '.', '_' and '-', at most \(SoundFiles.nameBytesMax)"
        case .notFound(let name, let folders):
            folders.isEmpty
                ? "no sound \"\(name)\": there is no folder of sounds"
                : "no sound \"\(name)\" in \(folders.joined(separator: ", "))"
        case .unusable(let path, let why):
            "\(path): \(why)"
        }
    }
}
