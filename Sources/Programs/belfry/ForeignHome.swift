import BelfryCommandLine
import BelfrySyscalls
import Glibc

/// Root in another's place: calls, state and socket are those of a user, and what root finds or writes there is wrong.
enum ForeignHome {
    /// The commands that look at nothing of a user's, or at what they are given.
    private static let anybodys = ["help", "config", "serve", "new-extension", "import", "pack"]
    /// Variables that say where a user's things are: who sets them knows what they are doing.
    private static let places = ["BELFRY_STATE_DIRECTORY", "BELFRY_RUNTIME_DIRECTORY", "BELFRY_SOCKET"]

    /// Throws what to run instead if this process is root's and `environment` is somebody else's, or sudo's.
    static func refuse(
        _ command: Command, _ options: ParsedOptions, _ environment: [String: String], _ words: [String]
    ) throws(CommandError) {
        guard geteuid() == 0, !anybodys.contains(command.name), !options.has("socket"),
            places.allSatisfy({ environment[$0] == nil }), let user = user(environment)
        else { return }
        let name = unsafe getpwuid(user).map { unsafe String(cString: $0.pointee.pw_name) } ?? "user \(user)"
        let line = (["belfry"] + words.map(quoted)).joined(separator: " ")
        let asUser = "sudo -u \(name.hasPrefix("user ") ? "'#\(user)'" : name) XDG_RUNTIME_DIR=/run/user/\(user)"
        throw CommandError(
            .usage, "this is root, and calls are a user's, here \(name)'s", "as \(name): \(line); or: \(asUser) \(line)"
        )
    }

    /// `word` as a shell reads it.
    private static func quoted(_ word: String) -> String {
        let plain = Set("-_./:=@%+,0123456789".utf8).union(UInt8(ascii: "A")...UInt8(ascii: "Z"))
            .union(UInt8(ascii: "a")...UInt8(ascii: "z"))
        guard word.isEmpty || !word.utf8.allSatisfy(plain.contains) else { return word }
        return "'\(word.replacing("'", with: "'\\''"))'"
    }

    /// Whose things root has before it by mistake: those of the owner of its home, or of who ran sudo in their session;
    /// nil if they are root's own.
    static func user(_ environment: [String: String]) -> UInt32? {
        var status = stat()
        if let home = environment["HOME"], unsafe stat(home, &status) == 0, status.st_uid != 0 { return status.st_uid }
        guard environment["XDG_RUNTIME_DIR"] == nil else { return nil }
        return environment["SUDO_UID"].flatMap { UInt32($0) }.flatMap { $0 == 0 ? nil : $0 }
    }
}
