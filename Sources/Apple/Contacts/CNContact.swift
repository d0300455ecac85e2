import BelfryContacts

/// A person of the address book, as it was when it was fetched. Source: Apple, `CNContact`.
open class CNContact: NSObject, @unchecked Sendable {
    let card: ContactCard
    private let keys: Set<String>

    /// The contact of `card`, of which `keys` were asked for.
    init(_ card: ContactCard, keys: Set<String>) {
        self.card = card
        self.keys = keys
        super.init()
    }

    /// What it is known by.
    open var identifier: String { card.identifier }
    /// Whether it is a person or an organisation.
    open var contactType: CNContactType {
        card.givenName.isEmpty && card.familyName.isEmpty ? .organization : .person
    }
    /// What stands before the name.
    open var namePrefix: String { value(CNContactNamePrefixKey, card.namePrefix) }
    /// The given name.
    open var givenName: String { value(CNContactGivenNameKey, card.givenName) }
    /// Further names.
    open var middleName: String { value(CNContactMiddleNameKey, card.middleName) }
    /// The family's name.
    open var familyName: String { value(CNContactFamilyNameKey, card.familyName) }
    /// What stands behind the name.
    open var nameSuffix: String { value(CNContactNameSuffixKey, card.nameSuffix) }
    /// What friends say.
    open var nickname: String { value(CNContactNicknameKey, card.nickname) }
    /// Where the person works.
    open var organizationName: String { value(CNContactOrganizationNameKey, card.organization) }
    /// In which part of it.
    open var departmentName: String { value(CNContactDepartmentNameKey, card.department) }
    /// As what.
    open var jobTitle: String { value(CNContactJobTitleKey, card.jobTitle) }
    /// What else was noted.
    open var note: String { value(CNContactNoteKey, card.note) }
    /// The birthday; nil if none is known.
    open var birthday: DateComponents? {
        value(CNContactBirthdayKey, card.birthday).map {
            DateComponents(calendar: Calendar(identifier: .gregorian), year: $0.year, month: $0.month, day: $0.day)
        }
    }
    /// Telephone numbers.
    open var phoneNumbers: [CNLabeledValue<CNPhoneNumber>] {
        value(CNContactPhoneNumbersKey, card.numbers).map {
            CNLabeledValue(label: CNLabel.text(of: $0.label), value: CNPhoneNumber(stringValue: $0.value))
        }
    }
    /// Mail addresses.
    open var emailAddresses: [CNLabeledValue<NSString>] {
        value(CNContactEmailAddressesKey, card.mailAddresses).map {
            CNLabeledValue(label: CNLabel.text(of: $0.label), value: NSString(string: $0.value))
        }
    }
    /// Whether there is a picture.
    open var imageDataAvailable: Bool { value(CNContactImageDataAvailableKey, card.picture) != nil }
    /// The picture; nil if there is none.
    open var imageData: Data? { value(CNContactImageDataKey, card.picture).map { Data($0) } }
    /// The same picture, which is not made smaller.
    open var thumbnailImageData: Data? { value(CNContactThumbnailImageDataKey, card.picture).map { Data($0) } }

    /// Whether `key` was asked for.
    open func isKeyAvailable(_ key: String) -> Bool { key == CNContactIdentifierKey || keys.contains(key) }

    /// Whether all of `keyDescriptors` were asked for.
    open func areKeysAvailable(_ keyDescriptors: [any CNKeyDescriptor]) -> Bool {
        keyDescriptors.allSatisfy { $0.contactKeys.allSatisfy(isKeyAvailable) }
    }

    /// The value of `key`. iOS ends a program that asks for what it has not fetched.
    private func value<Value>(_ key: String, _ value: Value) -> Value {
        precondition(
            isKeyAvailable(key), "CNPropertyNotFetchedException: \(key) was not requested when the contact was fetched")
        return value
    }
}

extension CNContact {
    /// For contacts with `name`, or with words that begin so.
    public class func predicateForContacts(matchingName name: String) -> NSPredicate {
        predicate { $0.isNamed(name) }
    }

    /// For contacts with `phoneNumber`, however it is written.
    public class func predicateForContacts(matching phoneNumber: CNPhoneNumber) -> NSPredicate {
        let number = phoneNumber.stringValue
        return predicate { $0.has(number: number) }
    }

    /// For contacts with `emailAddress`.
    public class func predicateForContacts(matchingEmailAddress emailAddress: String) -> NSPredicate {
        predicate { $0.has(mailAddress: emailAddress) }
    }

    /// For contacts with `identifiers`.
    public class func predicateForContacts(withIdentifiers identifiers: [String]) -> NSPredicate {
        predicate { identifiers.contains($0.identifier) }
    }

    private class func predicate(_ holds: @escaping @Sendable (ContactCard) -> Bool) -> NSPredicate {
        NSPredicate { contact, _ in (contact as? CNContact).map { holds($0.card) } ?? false }
    }
}

/// What a contact is.
public enum CNContactType: Int, Sendable {
    /// A person.
    case person
    /// An organisation.
    case organization
}

/// A telephone number. Source: Apple, `CNPhoneNumber`.
open class CNPhoneNumber: NSObject, @unchecked Sendable {
    /// The number as it is written.
    public let stringValue: String

    /// A number as it is written.
    public init(stringValue string: String) {
        stringValue = string
        super.init()
    }

    /// Whether `object` is a number that is written so.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CNPhoneNumber)?.stringValue == stringValue }

    /// The same for equal numbers.
    open override var hash: Int { stringValue.hashValue }
}

/// A number or an address, with what it is for. Source: Apple, `CNLabeledValue`.
open class CNLabeledValue<ValueType>: NSObject where ValueType: NSObject {
    /// What it is for; nil if nothing is known.
    public let label: String?
    /// The number or the address.
    public let value: ValueType

    /// A value with a label.
    public init(label: String?, value: ValueType) {
        self.label = label
        self.value = value
        super.init()
    }

    /// A label for people.
    open class func localizedString(forLabel label: String) -> String { CNLabel.shown(label) }
}
