import BelfryCommandLine
import BelfryContacts
import BelfrySettings
import BelfryTerms
import CallDirectory

/// Takes over what a file says: a file of comma-separated values, or of vCards.
struct ListImport {
    /// A card's line may be so long, with the picture that is folded into it.
    private static let cardLineBytesMax = 16 << 20
    private static let cardMark = "BEGIN:VCARD"

    private let context: Context

    /// For the list of the state directory that `context` names.
    init(_ context: Context) { self.context = context }

    /// `belfry directory import`.
    func run(_ path: String) throws(CommandError) -> ProgramStatus {
        let input = try PiecewiseInput.open(path)
        var take = Taking(context)
        var piece = try input.next()
        // What it is shows in its first bytes, which a pipe may give one by one.
        while piece.count < 64 {
            let more = try input.next()
            guard !more.isEmpty else { break }
            piece += more
        }
        if Self.isCards(piece) { try readCards(piece, input, &take) } else { try readLines(piece, input, &take) }
        take.refusals.tellRest()
        take.odd.warn(context)
        let refused = take.refusals.count
        guard !take.changes.isEmpty else {
            throw CommandError(
                .badNotification, "nothing was imported, and your list is as it was",
                refused == 0 ? "there is no number in \(path)" : "see belfry help directory")
        }
        _ = try ListCommands(context).make(take.changes, "imported")
        guard refused == 0 else {
            let lines = refused == 1 ? "1 was refused" : "\(refused) were refused"
            throw CommandError(.badNotification, "\(lines), and the others imported")
        }
        return .done
    }

    private static func isCards(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes.prefix(64), as: UTF8.self)
        let start = text.drop { $0 == "\u{FEFF}" || $0.isWhitespace }
        return start.uppercased().hasPrefix(cardMark)
    }

    private func readLines(
        _ first: [UInt8], _ input: borrowing PiecewiseInput, _ take: inout Taking
    ) throws(CommandError) {
        var reader = DirectoryCSVReader()
        var piece = first
        while !piece.isEmpty {
            reader.read(piece) { line, row in take.add(row, line) }
            piece = try input.next()
        }
        reader.end { line, row in take.add(row, line) }
    }

    private func readCards(
        _ first: [UInt8], _ input: borrowing PiecewiseInput, _ take: inout Taking
    ) throws(CommandError) {
        var reader = ContactCardReader(
            withPictures: false, cardsMax: .max, lineBytesMax: Self.cardLineBytesMax)
        var piece = first
        do {
            while !piece.isEmpty {
                _ = try reader.read(piece) { card in
                    take.add(card)
                    return true
                }
                piece = try input.next()
            }
            try reader.end { take.add($0) }
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.badNotification, "nothing was imported: \(error)")
        }
    }
}

/// What was read so far.
private struct Taking {
    var changes = ListChanges()
    var refusals: Refusals
    var odd = OddNumbers()
    private let plan: DialingPlan

    init(_ context: Context) {
        refusals = Refusals(context)
        plan = context.loaded.settings.dialingPlan
    }

    mutating func add(_ row: Result<DirectoryCSV.Row, DirectoryCSV.Fault>, _ line: Int) {
        switch row {
        case .failure(let fault): refusals.add(line, fault.description)
        case .success(let row):
            guard row.label != nil || row.isBlocked != nil else {
                refusals.add(line, "it says neither a label nor whether the number is blocked")
                return
            }
            add(row.number, row.label, row.isBlocked, line)
        }
    }

    mutating func add(_ card: ContactCard) {
        let names = [card.fullName, "\(card.givenName) \(card.familyName)", card.organization, card.nickname]
        let name = names.lazy.map(Self.trimmed).first { !$0.isEmpty } ?? ""
        for number in card.numbers { add(number.value, name, nil, card.line) }
    }

    private mutating func add(_ text: String, _ label: String?, _ isBlocked: Bool?, _ line: Int) {
        do throws(NumberFault) {
            let number = try plan.writtenNumber(text)
            if let fault = label.flatMap(ListLabel.fault) {
                refusals.add(line, fault)
                return
            }
            odd.look(at: number)
            changes.add(number, isBlocked: isBlocked, label: label)
        } catch {
            refusals.add(line, "\(error): \(error.remedy)")
        }
    }

    private static func trimmed(_ text: String) -> String {
        text.split { $0.isWhitespace }.joined(separator: " ")
    }
}
