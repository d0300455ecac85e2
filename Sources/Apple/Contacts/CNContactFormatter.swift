import BelfryContacts

/// How a name is written. Source: Apple, `CNContactFormatterStyle`.
public enum CNContactFormatterStyle: Int, Sendable {
    /// In full.
    case fullName
    /// As it is spoken: no card says that.
    case phoneticFullName
}

/// Writes names of contacts. Source: Apple, `CNContactFormatter`.
open class CNContactFormatter: Formatter, @unchecked Sendable {
    /// How a name is written.
    public typealias Style = CNContactFormatterStyle

    /// How names are written.
    open var style = CNContactFormatterStyle.fullName

    /// The name of `contact`; nil if it has none.
    open class func string(from contact: CNContact, style: CNContactFormatterStyle) -> String? {
        guard style == .fullName else { return nil }
        let card = contact.card
        let names = [card.namePrefix, card.givenName, card.middleName, card.familyName, card.nameSuffix]
            .filter { !$0.isEmpty }
        let name = names.isEmpty ? card.organization : names.joined(separator: " ")
        return name.isEmpty ? nil : name
    }

    /// The name of `contact`; nil if it has none.
    open func string(from contact: CNContact) -> String? { Self.string(from: contact, style: style) }

    /// The name of a contact.
    open override func string(for obj: Any?) -> String? { (obj as? CNContact).flatMap(string) }

    /// What has to be fetched for a name.
    open class func descriptorForRequiredKeys(for style: CNContactFormatterStyle) -> any CNKeyDescriptor {
        KeyList(contactKeys: [
            CNContactTypeKey, CNContactNamePrefixKey, CNContactGivenNameKey, CNContactMiddleNameKey,
            CNContactFamilyNameKey, CNContactNameSuffixKey, CNContactNicknameKey, CNContactOrganizationNameKey,
        ])
    }
}

/// Reads vCards. Source: Apple, `CNContactVCardSerialization`.
open class CNContactVCardSerialization: NSObject {
    /// The contacts in `data`, with all that they hold.
    ///
    /// - Throws: ``CNError`` if there is none in it.
    open class func contacts(with data: Data) throws -> [CNContact] {
        guard let cards = try? ContactCards([UInt8](data), withPictures: true) else { throw CNError(.dataAccessError) }
        return cards.all.map { CNContact($0, keys: allKeys) }
    }

    /// What has to be fetched for a vCard.
    open class func descriptorForRequiredKeys() -> any CNKeyDescriptor { KeyList(contactKeys: allKeys.sorted()) }

    private static let allKeys: Set<String> = [
        CNContactTypeKey, CNContactNamePrefixKey, CNContactGivenNameKey, CNContactMiddleNameKey,
        CNContactFamilyNameKey, CNContactNameSuffixKey, CNContactNicknameKey, CNContactOrganizationNameKey,
        CNContactDepartmentNameKey, CNContactJobTitleKey, CNContactNoteKey, CNContactBirthdayKey,
        CNContactPhoneNumbersKey, CNContactEmailAddressesKey, CNContactImageDataKey, CNContactImageDataAvailableKey,
        CNContactThumbnailImageDataKey,
    ]
}
