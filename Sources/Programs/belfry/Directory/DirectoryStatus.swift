import BelfryCommandLine
import BelfryJSON
import BelfrySettings
import BelfryTerms
import CallDirectory
import CallDirectoryFiles
import DirectoryLoading

/// `belfry directory status`: each source in the order in which they are asked.
struct DirectoryStatus {
    private let context: Context

    /// Of the folder of the call directory that `context` names.
    init(_ context: Context) { self.context = context }

    /// Prints it.
    func print() throws(CommandError) -> ProgramStatus {
        let extensions = context.directoryExtensions
        let sources = DirectorySource.all(
            in: try context.directoryFolder(makes: false), extensions,
            contactsFile: context.loaded.settings.contactsFile)
        for fault in extensions.faults { context.warn(fault) }
        if context.wantsJSON {
            for source in sources { context.output.json(Self.json(of: source)) }
        } else {
            context.printTable(
                ["SOURCE", "APP", "STATE", "NUMBERS", "BLOCKED", "LABELS", "LOADED", "LAST FAILURE"],
                sources.map(Self.cells))
        }
        return .done
    }

    private static func cells(of source: DirectorySource) -> [String] {
        func count(_ count: Int?) -> String { count.map { "\($0)" } ?? "-" }
        let state =
            source.damage != nil
            ? "damaged"
            : !source.isEnabled
                ? "off"
                : !source.isThere
                    ? "gone"
                    : source.isStale ? "stale" : "on"
        let failure = source.failure.map { "\(TimeText.time(source.failedAt)): \($0.story)" }
        return [
            source.name, source.app.isEmpty ? "-" : source.app, state, count(source.counts?.rows),
            count(source.counts?.blocked), count(source.counts?.identified), source.loaded.map(TimeText.time) ?? "-",
            source.damage ?? failure ?? "-",
        ]
    }

    private static func json(of source: DirectorySource) -> JSONObject {
        var object: JSONObject = ["source": .string(source.name), "enabled": .bool(source.isEnabled)]
        if !source.app.isEmpty { object["app"] = .string(source.app) }
        if let counts = source.counts {
            object["rows"] = .integer(Int64(counts.rows))
            object["blocked"] = .integer(Int64(counts.blocked))
            object["identified"] = .integer(Int64(counts.identified))
        }
        if let loaded = source.loaded { object["loaded"] = .integer(loaded) }
        if source.isStale { object["stale"] = .bool(true) }
        if !source.isThere { object["missing"] = .bool(true) }
        if let damage = source.damage { object["damage"] = .string(damage) }
        if let failure = source.failure {
            object["code"] = .integer(Int64(failure.code.rawValue))
            object["problem"] = .string(failure.description)
            object["failedAt"] = .integer(source.failedAt)
        }
        return object
    }
}
