// vCards of an address book. A trap is a finding, and so is a card that cannot be found by its own number.
import BelfryContacts

func feedContacts(_ bytes: [UInt8]) {
    guard let cards = try? ContactCards(bytes, withPictures: true) else { return }
    for card in cards.all {
        precondition(!card.identifier.isEmpty, "a card that nothing is known by")
        for number in card.numbers where number.value.utf8.contains(where: { (48...57).contains($0) }) {
            let digits = PhoneDigits(number.value)
            precondition(!digits.isSame(as: digits) || card.has(number: number.value), "a number is not found")
        }
        _ = card.isNamed(card.fullName)
        _ = card.numbers.map { card.has(mailAddress: $0.value) }
    }
}
