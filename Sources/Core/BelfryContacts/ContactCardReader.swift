/// Reads an address book piece by piece, and hands on card by card: what it keeps is the line and the card that have
/// not ended.
public struct ContactCardReader: Sendable {
    private static let newline = UInt8(ascii: "\n")

    private let withPictures: Bool
    private var open: CardBuilder?
    private var cardsCount = 0
    private var isEmpty = true
    /// What was not read, since the line may go on.
    private(set) var rest: [UInt8] = []

    /// A reader at the beginning of a file; `withPictures` says whether pictures are wanted.
    public init(withPictures: Bool) { self.withPictures = withPictures }

    /// Reads the file's next bytes, and calls `body` with each card that has ended, until it returns false.
    ///
    /// - Returns: whether more cards are wanted.
    /// - Throws: ``ContactCards/Problem/tooMany`` at a card too many.
    public mutating func read(
        _ bytes: [UInt8], _ body: (ContactCard) -> Bool
    ) throws(ContactCards.Problem) -> Bool {
        isEmpty = isEmpty && bytes.isEmpty
        // Not from the beginning: a line may go on through all of the file.
        let searched = max(rest.count - 2, 0)
        rest += bytes
        guard let end = endOfLine(from: searched) else { return true }
        let lines = Array(rest[..<end])
        rest.removeFirst(end)
        return try readLines(lines, body)
    }

    /// Reads what is left at the file's end, and calls `body` with the last card if it has ended.
    ///
    /// - Throws: ``ContactCards/Problem`` if there is a card too many, or none although there are bytes.
    public mutating func end(_ body: (ContactCard) -> Void) throws(ContactCards.Problem) {
        let lines = rest
        rest = []
        _ = try readLines(lines) { card in
            body(card)
            return true
        }
        guard cardsCount > 0 || isEmpty else { throw .noCard }
    }

    /// Where the last line has ended that does not go on: neither by a space or a tab that begins the next one, nor by
    /// a `=` at its own end.
    private func endOfLine(from start: Int) -> Int? {
        for place in stride(from: rest.count - 1, to: start, by: -1) where rest[place - 1] == Self.newline {
            guard rest[place] != UInt8(ascii: " "), rest[place] != UInt8(ascii: "\t") else { continue }
            let before = rest[..<(place - 1)]
            let line = before.last == UInt8(ascii: "\r") ? before.dropLast() : before
            if line.last != UInt8(ascii: "=") { return place }
        }
        return nil
    }

    private mutating func readLines(
        _ bytes: [UInt8], _ body: (ContactCard) -> Bool
    ) throws(ContactCards.Problem) -> Bool {
        var lines = CardLines(bytes)
        while let line = lines.next() {
            let isVCard = line.value.uppercased() == "VCARD"
            switch line.name {
            case "BEGIN" where isVCard: open = CardBuilder(withPictures: withPictures)
            case "END" where isVCard:
                let card = open?.card
                open = nil
                guard let card else { continue }
                guard cardsCount < ContactCards.cardsMax else { throw .tooMany }
                cardsCount += 1
                guard body(card) else { return false }
            default: open?.add(line)
            }
        }
        return true
    }
}
