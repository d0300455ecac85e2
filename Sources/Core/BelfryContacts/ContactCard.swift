/// A person of an address book, as a vCard says it. Sources: RFC 6350, RFC 2426, and vCard 2.1.
public struct ContactCard: Hashable, Sendable {
    /// What a number or an address is for.
    public enum Label: Hashable, Sendable {
        /// A mobile telephone.
        case mobile
        /// At home.
        case home
        /// At work.
        case work
        /// The main one.
        case main
        /// A fax at home.
        case homeFax
        /// A fax at work.
        case workFax
        /// A pager.
        case pager
        /// Something else.
        case other
        /// As the person calls it.
        case own(String)
    }

    /// A number or an address, with what it is for.
    public struct Labelled: Hashable, Sendable {
        /// What it is for; nil if the card does not say.
        public let label: Label?
        /// The number or the address, as it is written.
        public let value: String

        /// A number or an address.
        public init(label: Label?, value: String) {
            self.label = label
            self.value = value
        }
    }

    /// A birthday.
    public struct Birthday: Hashable, Sendable {
        /// The year; nil if the card does not say.
        public let year: Int?
        /// The month, 1 to 12.
        public let month: Int
        /// The day, 1 to 31.
        public let day: Int
    }

    /// What the card is known by: its `UID`, else what is made of its text.
    public internal(set) var identifier = ""
    /// The number of the line in its file with which it begins.
    public internal(set) var line = 1
    /// The whole name, as it is shown.
    public internal(set) var fullName = ""
    /// The family's name.
    public internal(set) var familyName = ""
    /// The given name.
    public internal(set) var givenName = ""
    /// Further names.
    public internal(set) var middleName = ""
    /// What stands before the name, such as "Dr."
    public internal(set) var namePrefix = ""
    /// What stands behind the name, such as "jr."
    public internal(set) var nameSuffix = ""
    /// What friends say.
    public internal(set) var nickname = ""
    /// Where the person works.
    public internal(set) var organization = ""
    /// In which part of it.
    public internal(set) var department = ""
    /// As what.
    public internal(set) var jobTitle = ""
    /// What else was noted.
    public internal(set) var note = ""
    /// The birthday; nil if the card does not say.
    public internal(set) var birthday: Birthday?
    /// Telephone numbers, in the card's order.
    public internal(set) var numbers: [Labelled] = []
    /// Mail addresses, in the card's order.
    public internal(set) var mailAddresses: [Labelled] = []
    /// The bytes of a picture that the card holds, not looked at; nil if there is none.
    public internal(set) var picture: [UInt8]?

    /// Whether all of `words` stand at the beginning of one of its names, whatever their case.
    public func isNamed(_ words: String) -> Bool {
        let names = [givenName, middleName, familyName, nickname, organization, fullName].flatMap(Self.words)
        let wanted = Self.words(words)
        return !wanted.isEmpty && wanted.allSatisfy { word in names.contains { $0.hasPrefix(word) } }
    }

    /// Whether one of its numbers is `number`.
    public func has(number: String) -> Bool {
        let wanted = PhoneDigits(number)
        return numbers.contains { PhoneDigits($0.value).isSame(as: wanted) }
    }

    /// Whether one of its mail addresses is `address`, whatever its case.
    public func has(mailAddress address: String) -> Bool {
        mailAddresses.contains { $0.value.lowercased() == address.lowercased() }
    }

    private static func words(_ text: String) -> [String] { text.lowercased().split(separator: " ").map(String.init) }
}
