/// Reads an address book piece by piece, and hands on card by card: what it keeps is the line and the card that have
/// not ended.
public struct ContactCardReader: Sendable {
    private static let newline = UInt8(ascii: "\n")

    private let withPictures: Bool
    private let cardsMax: Int
    private let lineBytesMax: Int
    /// How many lines of the file have been read, and in which one the open card begins.
    private var linesCount = 0
    private var openedAt = 0
    private var open: CardBuilder?
    private var cardsCount = 0
    private var isEmpty = true
    /// What was not read, since the line may go on.
    private(set) var rest: [UInt8] = []

    /// A reader at the beginning of a file.
    ///
    /// - Parameters:
    ///   - withPictures: whether pictures are wanted.
    ///   - cardsMax: how many cards the file may have.
    ///   - lineBytesMax: how long a line may be with all that is folded into it: what is kept of the file at most.
    public init(
        withPictures: Bool, cardsMax: Int = ContactCards.cardsMax, lineBytesMax: Int = ContactCards.fileBytesMax
    ) {
        (self.withPictures, self.cardsMax, self.lineBytesMax) = (withPictures, cardsMax, lineBytesMax)
    }

    /// Reads the file's next bytes, and calls `body` with each card that has ended, until it returns false.
    ///
    /// - Returns: whether more cards are wanted.
    /// - Throws: ``ContactCards/Problem`` at a card too many, or a line that is too long.
    public mutating func read(
        _ bytes: [UInt8], _ body: (ContactCard) -> Bool
    ) throws(ContactCards.Problem) -> Bool {
        isEmpty = isEmpty && bytes.isEmpty
        // Not from the beginning: a line may go on through all of the file.
        let searched = max(rest.count - 2, 0)
        rest += bytes
        guard let end = endOfLine(from: searched) else {
            guard rest.count <= lineBytesMax else { throw .lineTooLong(line: linesCount + 1, bytesMax: lineBytesMax) }
            return true
        }
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
        defer { linesCount += lines.count }
        while let line = lines.next() {
            let isVCard = line.value.uppercased() == "VCARD"
            switch line.name {
            case "BEGIN" where isVCard:
                openedAt = linesCount + lines.count
                open = CardBuilder(withPictures: withPictures)
            case "END" where isVCard:
                var card = open?.card
                card?.line = openedAt
                open = nil
                guard let card else { continue }
                guard cardsCount < cardsMax else { throw .tooMany(max: cardsMax) }
                cardsCount += 1
                guard body(card) else { return false }
            default: open?.add(line)
            }
        }
        return true
    }
}
