import BelfryContacts
@_exported public import Foundation

/// What is wanted of a contact. Source: Apple, `CNKeyDescriptor`.
public protocol CNKeyDescriptor {
    /// The keys that it stands for.
    var contactKeys: [String] { get }
}

extension String: CNKeyDescriptor {
    /// Itself.
    public var contactKeys: [String] { [self] }
}

extension NSString: CNKeyDescriptor {
    /// Itself.
    public var contactKeys: [String] { [self as String] }
}

/// Several keys at once.
struct KeyList: CNKeyDescriptor {
    let contactKeys: [String]
}

/// What a contact is known by; it need not be asked for.
public let CNContactIdentifierKey = "identifier"
/// Whether it is a person.
public let CNContactTypeKey = "contactType"
/// What stands before the name.
public let CNContactNamePrefixKey = "namePrefix"
/// The given name.
public let CNContactGivenNameKey = "givenName"
/// Further names.
public let CNContactMiddleNameKey = "middleName"
/// The family's name.
public let CNContactFamilyNameKey = "familyName"
/// What stands behind the name.
public let CNContactNameSuffixKey = "nameSuffix"
/// What friends say.
public let CNContactNicknameKey = "nickname"
/// Where a person works.
public let CNContactOrganizationNameKey = "organizationName"
/// In which part of it.
public let CNContactDepartmentNameKey = "departmentName"
/// As what.
public let CNContactJobTitleKey = "jobTitle"
/// What else was noted.
public let CNContactNoteKey = "note"
/// The birthday.
public let CNContactBirthdayKey = "birthday"
/// Telephone numbers.
public let CNContactPhoneNumbersKey = "phoneNumbers"
/// Mail addresses.
public let CNContactEmailAddressesKey = "emailAddresses"
/// The picture.
public let CNContactImageDataKey = "imageData"
/// Whether there is a picture.
public let CNContactImageDataAvailableKey = "imageDataAvailable"
/// The picture, small.
public let CNContactThumbnailImageDataKey = "thumbnailImageData"

/// At home.
public let CNLabelHome = "_$!<Home>!$_"
/// At work.
public let CNLabelWork = "_$!<Work>!$_"
/// Something else.
public let CNLabelOther = "_$!<Other>!$_"
/// A mobile telephone.
public let CNLabelPhoneNumberMobile = "_$!<Mobile>!$_"
/// The main number.
public let CNLabelPhoneNumberMain = "_$!<Main>!$_"
/// A fax at home.
public let CNLabelPhoneNumberHomeFax = "_$!<HomeFAX>!$_"
/// A fax at work.
public let CNLabelPhoneNumberWorkFax = "_$!<WorkFAX>!$_"
/// A pager.
public let CNLabelPhoneNumberPager = "_$!<Pager>!$_"

/// Labels as Apple writes them.
enum CNLabel {
    static func text(of label: ContactCard.Label?) -> String? {
        switch label {
        case .mobile: CNLabelPhoneNumberMobile
        case .home: CNLabelHome
        case .work: CNLabelWork
        case .main: CNLabelPhoneNumberMain
        case .homeFax: CNLabelPhoneNumberHomeFax
        case .workFax: CNLabelPhoneNumberWorkFax
        case .pager: CNLabelPhoneNumberPager
        case .other: CNLabelOther
        case .own(let text): text
        case nil: nil
        }
    }

    /// A label for people: what stands in Apple's marks, in small letters.
    static func shown(_ label: String) -> String {
        guard label.hasPrefix("_$!<"), label.hasSuffix(">!$_") else { return label }
        return label.dropFirst(4).dropLast(4).lowercased()
    }
}
