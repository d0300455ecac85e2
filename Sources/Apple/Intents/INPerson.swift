import BelfryAppleGround
import BelfryTerms
@_exported public import Foundation

/// The kind of a person's address.
public enum INPersonHandleType: Int, Sendable {
    /// Unknown.
    case unknown
    /// An address of electronic mail.
    case emailAddress
    /// A telephone number.
    case phoneNumber
}

/// Which of a person's addresses it is.
public struct INPersonHandleLabel: RawRepresentable, Hashable, Sendable {
    /// The stored label.
    public let rawValue: String

    /// The label stored as `rawValue`.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The label stored as `rawValue`.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// At home.
    public static let home = INPersonHandleLabel("_$!<Home>!$_")
    /// At work.
    public static let work = INPersonHandleLabel("_$!<Work>!$_")
    /// An iPhone.
    public static let iPhone = INPersonHandleLabel("iPhone")
    /// A mobile telephone.
    public static let mobile = INPersonHandleLabel("_$!<Mobile>!$_")
    /// The main one.
    public static let main = INPersonHandleLabel("_$!<Main>!$_")
    /// Another.
    public static let other = INPersonHandleLabel("_$!<Other>!$_")
}

/// An address of a person. Source: Apple, `INPersonHandle`.
open class INPersonHandle: NSObject, NSCopying {
    /// The address.
    public let value: String?
    /// Its kind.
    public let type: INPersonHandleType
    /// Which of the person's it is.
    public let label: INPersonHandleLabel?

    /// An address.
    public init(value: String?, type: INPersonHandleType, label: INPersonHandleLabel?) {
        self.value = value
        self.type = type
        self.label = label
        super.init()
    }

    /// An address.
    public convenience init(value: String?, type: INPersonHandleType) {
        self.init(value: value, type: type, label: nil)
    }

    /// Itself: an address does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether `object` is the same address.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? INPersonHandle).map { $0.value == value && $0.type == type && $0.label == label } ?? false
    }

    /// The same for addresses that are equal.
    open override var hash: Int { value.hashValue }
}

/// Where the system's suggestion of a person comes from.
public enum INPersonSuggestionType: Int, Sendable {
    /// Nothing.
    case none
    /// Social profiles.
    case socialProfile
    /// Messages.
    case instantMessageAddress
}

/// A person. Source: Apple, `INPerson`.
open class INPerson: NSObject, NSCopying {
    /// Where the person is reached.
    open var personHandle: INPersonHandle?
    /// The person's names.
    public let nameComponents: PersonNameComponents?
    /// The name that people see; made of the names, or of the address, if it is not given.
    public let displayName: String
    /// A picture of the person.
    public let image: INImage?
    /// The person's identifier in the address book.
    public let contactIdentifier: String?
    /// The person's identifier in the app.
    public let customIdentifier: String?
    /// Other addresses.
    public let aliases: [INPersonHandle]?
    /// Where the system's suggestion of the person comes from.
    public let suggestionType: INPersonSuggestionType
    /// Whether it is the person whose device this is.
    public let isMe: Bool
    /// Other names that Siri may have heard: none.
    public let alternatives: [INPerson]? = nil

    private init(
        _ personHandle: INPersonHandle, _ nameComponents: PersonNameComponents?, _ displayName: String?,
        _ image: INImage?, _ contactIdentifier: String?, _ customIdentifier: String?, aliases: [INPersonHandle]?,
        suggestionType: INPersonSuggestionType, isMe: Bool
    ) {
        self.personHandle = personHandle
        self.nameComponents = nameComponents
        let names = [nameComponents?.givenName, nameComponents?.familyName].compactMap { $0 }
        self.displayName = displayName ?? (names.isEmpty ? personHandle.value ?? "" : names.joined(separator: " "))
        self.image = image
        self.contactIdentifier = contactIdentifier
        self.customIdentifier = customIdentifier
        self.aliases = aliases
        self.suggestionType = suggestionType
        self.isMe = isMe
        super.init()
    }

    /// A person.
    public convenience init(
        personHandle: INPersonHandle, nameComponents: PersonNameComponents?, displayName: String?, image: INImage?,
        contactIdentifier: String?, customIdentifier: String?
    ) {
        self.init(
            personHandle, nameComponents, displayName, image, contactIdentifier, customIdentifier, aliases: nil,
            suggestionType: .none, isMe: false)
    }

    /// A person, and whether that is the one whose device this is.
    public convenience init(
        personHandle: INPersonHandle, nameComponents: PersonNameComponents?, displayName: String?, image: INImage?,
        contactIdentifier: String?, customIdentifier: String?, isMe: Bool,
        suggestionType: INPersonSuggestionType = .none
    ) {
        self.init(
            personHandle, nameComponents, displayName, image, contactIdentifier, customIdentifier, aliases: nil,
            suggestionType: suggestionType, isMe: isMe)
    }

    /// A person with other addresses.
    public convenience init(
        personHandle: INPersonHandle, nameComponents: PersonNameComponents?, displayName: String?, image: INImage?,
        contactIdentifier: String?, customIdentifier: String?, aliases: [INPersonHandle]?,
        suggestionType: INPersonSuggestionType
    ) {
        self.init(
            personHandle, nameComponents, displayName, image, contactIdentifier, customIdentifier, aliases: aliases,
            suggestionType: suggestionType, isMe: false)
    }

    /// Itself: a person is a value.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A picture of a person or a group. Source: Apple, `INImage`.
open class INImage: NSObject, NSCopying, @unchecked Sendable {
    private enum Source {
        case data(Data)
        case url(URL)
        case name(String)
    }

    private let source: Source

    private init(_ source: Source) {
        self.source = source
        super.init()
    }

    /// A picture in `imageData`.
    public convenience init(imageData: Data) { self.init(.data(imageData)) }

    /// A picture at `url`.
    public convenience init?(url URL: URL) { self.init(.url(URL)) }

    /// A picture at `url`, shown at a size in points.
    public convenience init?(url URL: URL, width: Double, height: Double) { self.init(url: URL) }

    /// A picture of the main bundle.
    public convenience init(named name: String) { self.init(.name(name)) }

    /// Itself: a picture does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The picture's bytes; nil, with a warning, for an address that is no file.
    var data: Data? {
        switch source {
        case .data(let data): return data
        case .url(let url):
            guard url.isFileURL else {
                KeeperDoor.warn(.unsupported, "INImage(url:) of a picture that is not in a file")
                return nil
            }
            return FileManager.default.contents(atPath: url.path)
        case .name(let name):
            let paths = ["", ".png", "@2x.png", "@3x.png", ".jpg"].lazy.compactMap {
                KeeperDoor.bundle.path(forResource: name + $0, ofType: nil)
            }
            return paths.first.flatMap { FileManager.default.contents(atPath: $0) }
        }
    }
}

/// Text that is read aloud. Source: Apple, `INSpeakableString`.
open class INSpeakableString: NSObject, NSCopying {
    /// The text.
    public let spokenPhrase: String
    /// Its pronunciation, in letters.
    public let pronunciationHint: String?
    /// The identifier of the thing in the app that it names.
    public let vocabularyIdentifier: String?

    /// A text that names something in the app.
    public init(identifier: String, spokenPhrase: String, pronunciationHint: String?) {
        self.spokenPhrase = spokenPhrase
        self.pronunciationHint = pronunciationHint
        vocabularyIdentifier = identifier
        super.init()
    }

    /// A text that names something in the app.
    public convenience init(vocabularyIdentifier: String, spokenPhrase: String, pronunciationHint: String?) {
        self.init(identifier: vocabularyIdentifier, spokenPhrase: spokenPhrase, pronunciationHint: pronunciationHint)
    }

    /// A text.
    public init(spokenPhrase: String) {
        self.spokenPhrase = spokenPhrase
        pronunciationHint = nil
        vocabularyIdentifier = nil
        super.init()
    }

    /// Itself: a text does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether `object` is the same text.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? INSpeakableString).map {
            $0.spokenPhrase == spokenPhrase && $0.vocabularyIdentifier == vocabularyIdentifier
        } ?? false
    }

    /// The same for texts that are equal.
    open override var hash: Int { spokenPhrase.hashValue }
}
