/// The people of an address book: a file of vCards, one after another.
///
/// The file is read as if an attacker had written it. What is not understood is passed over; a card without name,
/// number and address is none.
public struct ContactCards: Hashable, Sendable {
    /// Why a file is no address book.
    public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// There are bytes, and no card.
        case noCard
        /// There are more cards than that.
        case tooMany(max: Int)
        /// The line with that number goes on for more bytes.
        case lineTooLong(line: Int, bytesMax: Int)

        /// In words for people, without a full stop.
        public var description: String {
            switch self {
            case .noCard: "there is no vCard in it"
            case .tooMany(let max): "it has more than \(max) vCards"
            case .lineTooLong(let line, let bytesMax): "line \(line) is longer than \(bytesMax) bytes"
            }
        }
    }

    /// The most bytes of a file.
    public static let fileBytesMax = 32 << 20
    /// The most cards of a file that is an address book.
    public static let cardsMax = 20_000
    /// The most numbers or addresses of a card; further ones are passed over.
    static let valuesMax = 100

    /// The cards, in the file's order.
    public let all: [ContactCard]

    /// The cards in `bytes`; `withPictures` says whether pictures are wanted.
    public init(_ bytes: [UInt8], withPictures: Bool) throws(Problem) {
        var cards: [ContactCard] = []
        var reader = ContactCardReader(withPictures: withPictures)
        _ = try reader.read(bytes) { card in
            cards.append(card)
            return true
        }
        try reader.end { cards.append($0) }
        all = cards
    }
}
