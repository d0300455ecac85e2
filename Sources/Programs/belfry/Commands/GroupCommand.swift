import BelfryAppGroup
import BelfryCommandLine
import BelfryEventLoop
import BelfryJSON
import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import CallLedger

extension Command {
    /// `belfry group`.
    static let group = Command(
        name: "group",
        synopsis: [
            "group list", "group get KEY", "group set KEY [-bool|-int|-float|-string] VALUE", "group remove KEY",
            "group watch [KEY]",
        ],
        summary: "read and change the shared file of the app group",
        details: """
            As defaults(1) does, "set" writes a string unless a type is given; keys of Belfry's own take their own type.
            With --json, values are written as JSON: dates in Unix seconds, data in base64.
            """,
        arguments: 1...4, verbatimCount: verbatimCount
    ) { context throws(CommandError) in
        let words = context.options.arguments
        switch (words[0], words.count) {
        case ("list", 1): return try listKeys(context)
        case ("get", 2): return try getKey(words[1], context)
        case ("set", 3...4): return try setKey(words[1], Array(words[2...]), context)
        case ("remove", 2): return try removeKey(words[1], context)
        case ("watch", 1...2): return try watchKeys(words.count == 2 ? words[1] : nil, context)
        case ("list", _), ("get", _), ("set", _), ("remove", _), ("watch", _):
            throw CommandError(.usage, "belfry group \(words[0]) does not take that", "see belfry group --help")
        default:
            throw CommandError(.usage, "there is no belfry group \(words[0])", "list, get, set, remove or watch")
        }
    }

    /// How many words are taken literally: a key, and a value with its type, may begin with a hyphen.
    @Sendable private static func verbatimCount(_ words: [String]) -> Int {
        guard words.first == "set", words.count > 2 else { return 2 }
        guard words.count > 3, words[2].hasPrefix("-") else { return 3 }
        return TypedValue.isFlag(words[2]) || !words[3].hasPrefix("--") ? 4 : 3
    }

    private static func listKeys(_ context: Context) throws(CommandError) -> ProgramStatus {
        let root = try GroupAccess(context).snapshot().root
        if context.wantsJSON {
            context.output.json(PropertyListText.object(root))
        } else {
            let rows = root.members.map { member in
                [Printable.escaped(member.key), member.value.kind, PropertyListText.text(member.value)]
            }
            for line in TableText.lines(rows) { context.output.line(line) }
        }
        return .done
    }

    private static func getKey(_ key: String, _ context: Context) throws(CommandError) -> ProgramStatus {
        let access = try GroupAccess(context)
        guard let value = try access.snapshot().root[key] else { throw noSuchKey(key, context) }
        if context.wantsJSON {
            context.output.bytes(PropertyListText.json(value).serialized() + [UInt8(ascii: "\n")])
        } else {
            context.output.line(PropertyListText.text(value))
        }
        return .done
    }

    private static func setKey(
        _ key: String, _ words: [String], _ context: Context
    ) throws(CommandError) -> ProgramStatus {
        let ours = [
            Ledger.Key.calls, Ledger.Key.pendingAccept, Ledger.Key.missedCalls, Ledger.Key.foregroundOwner,
        ]
        guard !ours.contains(key) else {
            throw CommandError(.usage, "\(key) is Belfry's own", "see belfry answer, decline, hangup, calls and app")
        }
        let value = try TypedValue.parse(words, for: key)
        try GroupAccess(context).change { edit in edit.root[key] = value }
        return .done
    }

    private static func removeKey(_ key: String, _ context: Context) throws(CommandError) -> ProgramStatus {
        let wasThere = try GroupAccess(context).change { edit in
            defer { edit.root[key] = nil }
            return edit.root[key] != nil
        }
        guard wasThere else { throw noSuchKey(key, context) }
        return .done
    }

    private static func watchKeys(_ key: String?, _ context: Context) throws(CommandError) -> ProgramStatus {
        let access = try GroupAccess(context)
        let loop = try makeLoop()
        let start = loop.now
        var known = PropertyListDictionary()
        let (watch, failure) = access.file.watch(on: loop) { snapshot in
            // A file that cannot be read at the moment says nothing about its keys.
            guard case .read = snapshot.status else { return }
            let news = KeyChange.changes(from: known, to: snapshot.root).filter { key == nil || $0.key == key }
            known = snapshot.root
            for change in news { change.print(at: (loop.now - start).seconds, context) }
            if !context.output.isOpen { loop.stop() }
        }
        if let failure { throw CommandError(.unavailable, "the group's folder cannot be watched", "\(failure)") }
        // Read after the watch began: changes from then on are shown.
        known = try access.snapshot().root
        lookOften(watch, on: loop)
        loop.run()
        return .done
    }

    /// Looks again every second: the kernel does not report writes through a mapping.
    private static func lookOften(_ watch: GroupWatch, on loop: Loop) {
        _ = loop.schedule(at: loop.now + .seconds(1), description: "look again") {
            watch.look()
            lookOften(watch, on: loop)
        }
    }

    private static func noSuchKey(_ key: String, _ context: Context) -> CommandError {
        CommandError(.notFound, "there is no key \(key) in \(context.groupName)", "see belfry group list")
    }
}

/// A key that was set, changed or removed between two readings.
private struct KeyChange {
    let key: String
    let value: PropertyListValue?

    static func changes(from before: PropertyListDictionary, to after: PropertyListDictionary) -> [KeyChange] {
        let gone = before.keys.filter { after[$0] == nil }.map { KeyChange(key: $0, value: nil) }
        let changed = after.members.filter { before[$0.key] != $0.value }
        return gone + changed.map { KeyChange(key: $0.key, value: $0.value) }
    }

    func print(at seconds: Double, _ context: Context) {
        if context.wantsJSON {
            let json = value.map(PropertyListText.json) ?? .null
            context.output.json(["at": .real(seconds), "key": .string(key), "value": json])
        } else {
            let text = value.map { "\(key) = \(PropertyListText.text($0))" } ?? "\(key) is gone"
            let story = StoryText(style: context.style)
            context.output.line(story.line(at: seconds, value == nil ? "removed" : "set", text, tone: .strong))
        }
    }
}
