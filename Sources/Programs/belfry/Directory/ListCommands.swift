import BelfryCommandLine
import BelfryJSON
import BelfrySettings
import BelfryTerms
import CallDirectory
import CallDirectoryFiles

/// What changes the person's own list: all of a command or nothing.
struct ListCommands {
    private let context: Context

    /// The list of the state directory that `context` names.
    init(_ context: Context) { self.context = context }

    /// `belfry directory block`.
    func block(_ words: [String]) throws(CommandError) -> ProgramStatus {
        var changes = ListChanges()
        var odd = OddNumbers()
        try forEachNumber(words) { number in
            odd.look(at: number)
            changes.add(number, isBlocked: true)
        }
        odd.warn(context)
        return try make(changes, "blocked")
    }

    /// `belfry directory label`.
    func label(_ words: [String]) throws(CommandError) -> ProgramStatus {
        var changes = ListChanges()
        let plan = context.loaded.settings.dialingPlan
        var refusals = Refusals(context)
        var odd = OddNumbers()
        if words.count == 2 {
            let number = try number(words[0])
            if let fault = ListLabel.fault(in: words[1]) {
                throw CommandError(.usage, fault, "of 1 to \(NumberEntry.labelBytesMax) bytes, on one line")
            }
            odd.look(at: number)
            changes.add(number, label: words[1])
        } else {
            try PiecewiseInput.open("-").forEachLine { line, bytes in
                do throws(LabelledLine.Fault) {
                    let labelled = try LabelledLine(bytes, plan)
                    odd.look(at: labelled.number)
                    changes.add(labelled.number, label: labelled.label)
                } catch {
                    refusals.add(line, error.description)
                }
            }
            try refuse(refusals)
        }
        odd.warn(context)
        return try make(changes, "labelled")
    }

    /// `belfry directory remove`.
    func remove(_ words: [String]) throws(CommandError) -> ProgramStatus {
        var changes = ListChanges()
        try forEachNumber(words) { changes.add($0, isBlocked: false) }
        let numbers = changes.sorted().unblocked
        let change = try changing { list throws(ListFailure) in try list.remove(numbers) }
        let removed = change.rowsBefore - change.rows
        if removed > 0 { tell("removed", removed, change) }
        guard removed == numbers.count else {
            let what =
                numbers.count == 1
                ? "+\(numbers[0]) is not in your list"
                : "\(numbers.count - removed) of \(numbers.count) numbers are not in your list"
            throw CommandError(.notFound, what, "see belfry directory list")
        }
        return .done
    }

    /// `belfry directory clear`.
    func clear() throws(CommandError) -> ProgramStatus {
        let isOfBlocked = context.options.has("blocked")
        let isOfLabels = context.options.has("labels")
        let kind: EntryKind? = isOfBlocked == isOfLabels ? nil : isOfBlocked ? .blocking : .identification
        try changing { list throws(ListFailure) in try list.removeAll(of: kind) }
        return .done
    }

    /// Makes `changes`, and tells how many numbers they are.
    func make(_ changes: ListChanges, _ verb: String) throws(CommandError) -> ProgramStatus {
        let sorted = changes.sorted()
        let change = try changing { list throws(ListFailure) in try list.change(sorted) }
        tell(verb, sorted.numbersCount, change)
        return .done
    }

    private func changing<Result>(
        _ body: (PersonList) throws(ListFailure) -> Result
    ) throws(CommandError) -> Result {
        let list = PersonList(in: try context.directoryFolder())
        do throws(ListFailure) { return try body(list) } catch { throw CommandError(error) }
    }

    private func tell(_ verb: String, _ count: Int, _ change: PersonList.Change) {
        if context.wantsJSON {
            context.output.json([verb: .integer(Int64(count)), "rows": .integer(Int64(change.rows))])
        } else {
            let numbers = count == 1 ? "1 number" : "\(count) numbers"
            context.output.line("\(verb) \(numbers); your list has \(change.rows)")
        }
    }

    private func number(_ word: String) throws(CommandError) -> Int64 {
        do throws(NumberFault) { return try context.loaded.settings.dialingPlan.writtenNumber(word) } catch {
            throw CommandError(.usage, error)
        }
    }

    /// Calls `body` with each number of the command line, or of standard input. If one is wrong, throws once all have
    /// been looked at.
    func forEachNumber(_ words: [String], _ body: (Int64) -> Void) throws(CommandError) {
        let plan = context.loaded.settings.dialingPlan
        var refusals = Refusals(context)
        for word in words where word != "-" { body(try number(word)) }
        if words.contains("-") {
            try PiecewiseInput.open("-").forEachLine { line, bytes in
                do throws(NumberFault) {
                    body(try plan.writtenNumber(String(decoding: bytes, as: UTF8.self)))
                } catch {
                    refusals.add(line, "\(error): \(error.remedy)")
                }
            }
            try refuse(refusals)
        }
    }

    private func refuse(_ refusals: Refusals) throws(CommandError) {
        guard refusals.count > 0 else { return }
        refusals.tellRest()
        let lines = refusals.count == 1 ? "1 line is" : "\(refusals.count) lines are"
        throw CommandError(.badNotification, "\(lines) wrong, and your list is as it was")
    }
}

/// A line of a number and its label.
private struct LabelledLine {
    struct Fault: Error {
        let description: String
    }

    let number: Int64
    let label: String

    /// Reads a line of which the number ends at a tab or a comma, or, written without blanks, at the first blank.
    init(_ bytes: ArraySlice<UInt8>, _ plan: DialingPlan) throws(Fault) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Fault(description: "it is no UTF-8") }
        let line = Self.trimmed(text[...])
        if let mark = line.firstIndex(where: { $0 == "\t" || $0 == "," }),
            let number = plan.number(of: String(line[..<mark]))
        {
            self.number = number
            label = String(Self.trimmed(line[line.index(after: mark)...]))
        } else if let mark = line.firstIndex(where: { $0 == " " || $0 == "\t" }) {
            label = String(Self.trimmed(line[mark...]))
            do throws(NumberFault) { number = try plan.writtenNumber(String(line[..<mark])) } catch {
                throw Fault(description: "\(error): \(error.remedy)")
            }
            // "+49 30 123 Ada" has no end of its number that can be told.
            guard let first = label.unicodeScalars.first, !("0"..."9").contains(first), first != "(" else {
                throw Fault(description: "where the number ends cannot be told: put a comma behind it")
            }
        } else {
            let end = line.firstIndex(of: ",") ?? line.endIndex
            do throws(NumberFault) { _ = try plan.writtenNumber(String(line[..<end])) } catch {
                throw Fault(description: "\(error): \(error.remedy)")
            }
            throw Fault(description: "there is no text behind the number")
        }
        if let fault = ListLabel.fault(in: label) { throw Fault(description: fault) }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.unicodeScalars.first, first.properties.isWhitespace { text.unicodeScalars.removeFirst() }
        while let last = text.unicodeScalars.last, last.properties.isWhitespace { text.unicodeScalars.removeLast() }
        return text
    }
}
