import BelfryCommandLine
import BelfrySettings
import CallDirectory
import CallDirectoryFiles
import DirectoryLoading

/// The sources of the call directory: which are on, when they were loaded, and what failed last.
enum DirectoryChecks {
    /// What is to be said of each; nothing where there is none.
    static func run(_ context: Context) -> [Finding] {
        do throws(CommandError) {
            let extensions = context.directoryExtensions
            let folder = try context.directoryFolder(makes: false)
            let sources = DirectorySource.all(
                in: folder, extensions, contactsFile: context.loaded.settings.contactsFile)
            let faults = extensions.faults.map {
                Finding(.warn, "directory", $0, mend: "correct it, or \(Setting.directoryExtensions.name)")
            }
            return faults + sources.compactMap { finding($0, isUsed: folder != nil) }
        } catch {
            return [Finding(.warn, "directory", error.problem, mend: error.remedy)]
        }
    }

    /// The finding for `source`; nil if there is nothing to say. `isUsed` says whether anybody has a call directory.
    static func finding(_ source: DirectorySource, isUsed: Bool) -> Finding? {
        func warning(_ detail: String, _ remedy: String) -> Finding {
            Finding(.warn, "directory", "\(title(source)): \(detail)", mend: remedy)
        }
        let reload = "belfry directory reload \(source.name)"
        if let damage = source.damage {
            let isList = source.owner == .list
            return warning(
                "its table is damaged: \(damage)",
                isList ? "belfry directory clear, then import what was exported" : reload)
        }
        switch source.owner {
        case .contacts:
            guard isUsed else { return nil }
            guard source.isEnabled else {
                guard source.counts != nil else { return nil }
                return warning("\(Setting.contactsFile.name) is empty, and the numbers of before still count", reload)
            }
            if !source.isThere { return warning("its file cannot be read", "see \(Setting.contactsFile.name)") }
            if source.counts == nil { return warning("not loaded yet, so that a contact may be blocked", reload) }
            if source.isStale { return warning("the file was changed since it was loaded", reload) }
        case .list:
            guard source.counts != nil else { return nil }
        case .extension:
            guard source.isEnabled else {
                let mend = source.isThere ? "belfry directory enable \(source.name)" : ""
                return source.isThere ? Finding(.ok, "directory", "\(title(source)): off", mend: mend) : nil
            }
            if !source.isThere {
                return warning(
                    "it is in no app any more, and its numbers count", "belfry directory disable \(source.name)")
            }
            if let failure = source.failure {
                let time = TimeText.time(source.failedAt)
                return warning("\(history(source)); its load at \(time) failed: \(failure.story)", reload)
            }
            if source.counts == nil { return warning("on, and never loaded", reload) }
        }
        return Finding(.ok, "directory", "\(title(source)): \(history(source))")
    }

    private static func title(_ source: DirectorySource) -> String {
        source.app.isEmpty ? source.name : "\(source.name) (\(source.app))"
    }

    private static func history(_ source: DirectorySource) -> String {
        guard let counts = source.counts, let loaded = source.loaded else { return "on, and never loaded" }
        return "on, loaded \(TimeText.time(loaded)), \(counts.rows) numbers, \(counts.blocked) blocked, "
            + "\(counts.identified) with labels"
    }
}
