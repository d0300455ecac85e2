import CallKit

/// What the one who measures asks at standard input, a word a line, and is answered at standard output.
enum Questions {
    /// Microseconds since boot, as Belfry's events have them.
    static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
    }

    /// Whether anybody asks.
    private static let isAsked = CommandLine.arguments.contains("--asked")

    static func answer(_ words: String) {
        if isAsked { FileHandle.standardOutput.write(Data("\(words)\n".utf8)) }
    }

    /// Takes them on a thread of its own, and does on the main queue what they ask for.
    static func take(_ calls: CallManager) {
        Thread {
            while let word = readLine() {
                DispatchQueue.main.async { obey(word, calls) }
            }
        }.start()
    }

    private static func obey(_ word: String, _ calls: CallManager) {
        let begun = now
        let completion: (Error?) -> Void = { error in
            answer("completed \(begun) \(now) \(error.map { "\($0)" } ?? "")")
        }
        switch word {
        case "report": calls.report(name: "Bench", handle: "+1234567890", completion: completion)
        case "start": calls.start(completion: completion)
        case "mute": calls.mute(completion: completion)
        case "end": calls.endAll()
        default: break
        }
    }
}
