public import BelfryAppleGround
import BelfryContacts
import BelfryTerms

/// What the app may read. Source: Apple, `CNEntityType`.
public enum CNEntityType: Int, Sendable {
    /// The person's contacts.
    case contacts
}

/// Whether the app may. Source: Apple, `CNAuthorizationStatus`.
public enum CNAuthorizationStatus: Int, Sendable {
    /// The person was not asked.
    case notDetermined
    /// It may not, and the person cannot change that.
    case restricted
    /// It may not.
    case denied
    /// It may.
    case authorized
    /// It may read some.
    case limited
}

/// The domain of ``CNError``.
public let CNErrorDomain = "CNErrorDomain"

/// Why contacts cannot be had. Source: Apple, `CNError`.
public struct CNError: CodedError, LocalizedError, Hashable, Sendable {
    /// Why.
    public enum Code: Int, Sendable {
        /// They cannot be reached.
        case communicationError = 1
        /// They cannot be read.
        case dataAccessError = 2
        /// The app may not.
        case authorizationDenied = 100
        /// There is no such contact.
        case recordDoesNotExist = 200
    }

    /// Why.
    public let code: Code

    /// An error.
    public init(_ code: Code) { self.code = code }

    /// ``CNErrorDomain``.
    public static var errorDomain: String { CNErrorDomain }
    /// The code in words.
    public var errorDescription: String? {
        switch code {
        case .communicationError: "The contacts cannot be reached"
        case .dataAccessError: "The contacts cannot be read"
        case .authorizationDenied: "Access Denied"
        case .recordDoesNotExist: "There is no such contact"
        }
    }

    /// They cannot be read.
    public static var dataAccessError: Code { .dataAccessError }
    /// The app may not.
    public static var authorizationDenied: Code { .authorizationDenied }
    /// There is no such contact.
    public static var recordDoesNotExist: Code { .recordDoesNotExist }
}

/// In which order contacts come. Source: Apple, `CNContactSortOrder`.
public enum CNContactSortOrder: Int, Sendable {
    /// As they are.
    case none
    /// As the person likes it: by the given name.
    case userDefault
    /// By the given name.
    case givenName
    /// By the family's name.
    case familyName
}

/// Which contacts are wanted, and what of them. Source: Apple, `CNContactFetchRequest`.
open class CNContactFetchRequest: NSObject {
    /// What is wanted of each.
    open var keysToFetch: [any CNKeyDescriptor]
    /// Which are wanted; nil for all.
    open var predicate: NSPredicate?
    /// Changes nothing: contacts come as they are.
    open var mutableObjects = false
    /// Changes nothing: nothing is unified.
    open var unifyResults = true
    /// In which order they come.
    open var sortOrder = CNContactSortOrder.none

    /// A request for all contacts.
    public init(keysToFetch: [any CNKeyDescriptor]) {
        self.keysToFetch = keysToFetch
        super.init()
    }
}

/// The person's contacts: the vCards in the file that `[Contacts] File=` names. Without one the app is not authorised.
/// Source: Apple, `CNContactStore`.
open class CNContactStore: NSObject, @unchecked Sendable {
    private let door = KeeperDoor.current

    /// The contacts.
    public override init() { super.init() }

    /// Authorised where `[Contacts] File=` names a file; else the person was not asked.
    open class func authorizationStatus(for entityType: CNEntityType) -> CNAuthorizationStatus {
        KeeperDoor.contactsFile == nil ? .notDetermined : .authorized
    }

    /// Says if the app may: as on iOS, nobody can be asked by an extension, so that an app that is not authorised gets
    /// an error.
    @preconcurrency open func requestAccess(
        for entityType: CNEntityType, completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let isAuthorized = Self.authorizationStatus(for: entityType) == .authorized
        door.run(on: .global()) {
            completionHandler(isAuthorized, isAuthorized ? nil : CNError(.authorizationDenied))
        }
    }

    /// True if the app may; else throws.
    open func requestAccess(for entityType: CNEntityType) async throws -> Bool {
        guard Self.authorizationStatus(for: entityType) == .authorized else { throw CNError(.authorizationDenied) }
        return true
    }

    /// The contacts for which `predicate` holds, with what `keys` ask for.
    ///
    /// - Throws: ``CNError`` if the app is not authorised, or the file cannot be read.
    open func unifiedContacts(
        matching predicate: NSPredicate, keysToFetch keys: [any CNKeyDescriptor]
    ) throws -> [CNContact] {
        var found: [CNContact] = []
        try readContacts(keys) { contact in
            if predicate.evaluate(with: contact) { found.append(contact) }
            return true
        }
        return found
    }

    /// The contact that is known by `identifier`.
    ///
    /// - Throws: ``CNError`` if there is none, if the app is not authorised, or the file cannot be read.
    open func unifiedContact(
        withIdentifier identifier: String, keysToFetch keys: [any CNKeyDescriptor]
    ) throws -> CNContact {
        var found: CNContact?
        try readContacts(keys) { contact in
            if contact.identifier == identifier { found = contact }
            return found == nil
        }
        guard let found else { throw CNError(.recordDoesNotExist) }
        return found
    }

    /// Calls `block` with each contact that `fetchRequest` wants, until it sets its second argument.
    ///
    /// - Throws: ``CNError`` if the app is not authorised, or the file cannot be read.
    open func enumerateContacts(
        with fetchRequest: CNContactFetchRequest, usingBlock block: (CNContact, UnsafeMutablePointer<ObjCBool>) -> Void
    ) throws {
        var stop = ObjCBool(false)
        var found: [CNContact] = []
        try readContacts(fetchRequest.keysToFetch) { contact in
            guard fetchRequest.predicate?.evaluate(with: contact) ?? true else { return true }
            if fetchRequest.sortOrder == .none {
                unsafe block(contact, &stop)
            } else {
                found.append(contact)
            }
            return !stop.boolValue
        }
        switch fetchRequest.sortOrder {
        case .none: break
        case .familyName: found.sort { Self.isBefore($0.card.familyName, $1.card.familyName) }
        case .userDefault, .givenName: found.sort { Self.isBefore($0.card.givenName, $1.card.givenName) }
        }
        for contact in found where !stop.boolValue { unsafe block(contact, &stop) }
    }

    private static func isBefore(_ one: String, _ other: String) -> Bool {
        one.localizedCaseInsensitiveCompare(other) == .orderedAscending
    }

    /// Calls `body` with one contact after another until it returns false.
    private func readContacts(_ keys: [any CNKeyDescriptor], _ body: (CNContact) -> Bool) throws {
        guard let path = KeeperDoor.contactsFile else { throw CNError(.authorizationDenied) }
        let keys = Set(keys.flatMap(\.contactKeys))
        let pictureKeys: Set = [
            CNContactImageDataKey, CNContactThumbnailImageDataKey, CNContactImageDataAvailableKey,
        ]
        do {
            try ContactsFile.forEachCard(at: path, withPictures: !keys.isDisjoint(with: pictureKeys)) { card in
                body(CNContact(card, keys: keys))
            }
        } catch {
            KeeperDoor.warn(.configuration, "[Contacts] File=\(path): \(error)")
            throw CNError(.dataAccessError)
        }
    }
}

extension NSNotification.Name {
    /// Posted on iOS when contacts have changed; never here.
    public static let CNContactStoreDidChange = NSNotification.Name("CNContactStoreDidChangeNotification")
}
