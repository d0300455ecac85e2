import BelfryAppGroup
import BelfryCommandLine
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import CallDirectory
import CallDirectoryFiles

/// What shows the person's own list, and what all sources together say of a number.
struct ListPrinting {
    /// So much is printed at once.
    private static let pieceBytes = 64 << 10
    /// As wide as a number of 15 digits with its plus sign.
    private static let numberColumns = 16

    private let context: Context

    /// The list of the state directory that `context` names.
    init(_ context: Context) { self.context = context }

    /// `belfry directory list`.
    func list() throws(CommandError) -> ProgramStatus {
        let isEmpty = try !forEachEntry { entry in
            if context.wantsJSON {
                var object: JSONObject = ["number": .string("+\(entry.number)"), "blocked": .bool(entry.isBlocked)]
                if let label = entry.label { object["label"] = .string(label) }
                return JSONValue.object(object).serialized() + [UInt8(ascii: "\n")]
            }
            let number = "+\(entry.number)"
            let gap = String(repeating: " ", count: max(0, Self.numberColumns - number.utf8.count))
            let word = entry.isBlocked ? "blocked" : "rings  "
            return Array("\(number)\(gap)  \(word)  \(entry.label ?? "-")\n".utf8)
        }
        if isEmpty, !context.wantsJSON { context.output.line("your list is empty") }
        return .done
    }

    /// `belfry directory export`.
    func export() throws(CommandError) -> ProgramStatus {
        context.output.bytes(DirectoryCSV.heading)
        _ = try forEachEntry(DirectoryCSV.line)
        return .done
    }

    /// `belfry directory lookup`.
    func lookUp(_ words: [String]) throws(CommandError) -> ProgramStatus {
        let state = try context.stateDirectory().path
        try ListCommands(context).forEachNumber(words) { number in
            let verdict = DirectoryLookup.verdict(on: number, inStateDirectory: state) { context.warn($0) }
            if context.wantsJSON {
                var object: JSONObject = ["number": .string("+\(number)"), "blocked": .bool(verdict.isBlocked)]
                if let source = verdict.blockedBy { object["blockedBy"] = .string(source.name) }
                if let label = verdict.label { object["label"] = .string(label) }
                if let source = verdict.labelledBy { object["labelFrom"] = .string(source.name) }
                context.output.json(object)
            } else {
                context.output.line(Printable.escaped("+\(number)  \(Self.words(verdict))"))
            }
        }
        return .done
    }

    /// What `verdict` is, and by which source.
    static func words(_ verdict: NumberVerdict) -> String {
        var parts: [String] = []
        if let source = verdict.blockedBy { parts.append("blocked, by \(words(source))") }
        if let label = verdict.label, let source = verdict.labelledBy {
            parts.append("\"\(label)\", by \(words(source))")
        }
        return parts.isEmpty ? "no source knows it" : parts.joined(separator: "; ")
    }

    private static func words(_ source: NumberSource) -> String {
        switch source {
        case .contacts: "your contacts"
        case .list: "your list"
        case .extension(let id, let app): "\(app) (\(id))"
        }
    }

    /// Prints what `line` makes of each entry; false if there is none.
    private func forEachEntry(_ line: (NumberEntry) -> [UInt8]) throws(CommandError) -> Bool {
        guard let folder = try context.directoryFolder(makes: false) else { return false }
        do {
            guard let table = try PersonList(in: folder).table() else { return false }
            var piece: [UInt8] = []
            try table.forEach { entry in
                piece += line(entry)
                if piece.count >= Self.pieceBytes {
                    context.output.bytes(piece)
                    piece.removeAll(keepingCapacity: true)
                }
                return context.output.isOpen
            }
            context.output.bytes(piece)
            return table.table.header.rows > 0
        } catch {
            throw CommandError(ListFailure.damaged("\(error)"))
        }
    }
}
