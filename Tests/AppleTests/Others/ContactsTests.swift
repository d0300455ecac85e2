import BelfryAppleGround
import BelfryTerms
import Contacts
import KeeperChannel
import Support
import Synchronization
import Testing

/// The person's address book, as extensions ask it.
@Suite struct ContactsTests {
    private let folder = TemporaryFolder()
    private static let cards = """
        BEGIN:VCARD
        VERSION:3.0
        UID:ada
        N:Lovelace;Ada;;Dr.;
        TEL;TYPE=CELL:+44 20 7946 0018
        EMAIL;TYPE=HOME:ada@example.org
        PHOTO;ENCODING=b;TYPE=PNG:iVBORw0K
        END:VCARD
        BEGIN:VCARD
        VERSION:3.0
        UID:works
        N:;;;;
        ORG:Works
        TEL:0301234567
        END:VCARD

        """

    /// Runs `body` as an extension whose address book is the file at `path`; what it was warned of.
    @discardableResult
    private func run(_ path: String?, _ body: () throws -> Void) rethrows -> [String] {
        let said = Mutex<[String]>([])
        let greeting = KeeperGreeting(stateDirectory: folder.path, memoryBytesMax: 1, contactsFile: path)
        let door = KeeperDoor.open(greeting) { word in
            if case .warning(let code, let detail) = word { said.withLock { $0.append("\(code.rawValue) \(detail)") } }
        }
        defer { door.close() }
        try door.run(body)
        // Code of other tests may use this door, too.
        return said.withLock { $0.filter { $0.contains("[Contacts]") } }
    }

    @Test("without a file the app is not authorised, and its requests fail as on iOS") func notAuthorised() async {
        run(nil) {
            #expect(CNContactStore.authorizationStatus(for: .contacts) == .notDetermined)
            let request = CNContactFetchRequest(keysToFetch: [CNContactGivenNameKey as any CNKeyDescriptor])
            var code: CNError.Code?
            do {
                try unsafe CNContactStore().enumerateContacts(with: request) { _, _ in Issue.record("a contact") }
            } catch {
                code = (error as? CNError)?.code
                #expect((error as NSError).domain == CNErrorDomain)
            }
            #expect(code == .authorizationDenied)
        }
        // In a process of its own: here another test's code may have a file while this one waits.
        await #expect(processExitsWith: .success) {
            await #expect(throws: CNError(.authorizationDenied)) {
                try await CNContactStore().requestAccess(for: .contacts)
            }
        }
    }

    @Test("who calls is found by the number, with what was asked for") func byNumber() throws {
        let path = folder.write(Array(Self.cards.utf8), to: "a.vcf")
        try run(path) {
            #expect(CNContactStore.authorizationStatus(for: .contacts) == .authorized)
            let keys: [any CNKeyDescriptor] = [
                CNContactFormatter.descriptorForRequiredKeys(for: .fullName),
                CNContactPhoneNumbersKey as any CNKeyDescriptor,
                CNContactThumbnailImageDataKey as NSString, CNContactEmailAddressesKey as any CNKeyDescriptor,
            ]
            let predicate = CNContact.predicateForContacts(matching: CNPhoneNumber(stringValue: "020 7946 0018"))
            let found = try CNContactStore().unifiedContacts(matching: predicate, keysToFetch: keys)
            let ada = try #require(found.first)
            #expect(found.count == 1 && CNContactFormatter.string(from: ada, style: .fullName) == "Dr. Ada Lovelace")
            #expect(ada.phoneNumbers.first?.value.stringValue == "+44 20 7946 0018")
            #expect(ada.phoneNumbers.first?.label == CNLabelPhoneNumberMobile)
            #expect(CNLabeledValue<NSString>.localizedString(forLabel: CNLabelPhoneNumberMobile) == "mobile")
            #expect(ada.emailAddresses.first?.value == "ada@example.org" && ada.thumbnailImageData?.count == 6)
            #expect(ada.isKeyAvailable(CNContactNicknameKey) && !ada.isKeyAvailable(CNContactNoteKey))
        }
    }

    @Test("all are gone through in their order, until that is enough; one is found by its identifier") func enumerated()
        throws
    {
        let path = folder.write(Array(Self.cards.utf8), to: "a.vcf")
        try run(path) {
            let store = CNContactStore()
            let request = CNContactFetchRequest(keysToFetch: [
                CNContactFormatter.descriptorForRequiredKeys(for: .fullName)
            ])
            var names: [String?] = []
            try unsafe store.enumerateContacts(with: request) { contact, stop in
                names.append(CNContactFormatter().string(from: contact))
                unsafe stop.pointee = true
            }
            #expect(names == ["Dr. Ada Lovelace"])
            request.sortOrder = .givenName
            names = []
            try unsafe store.enumerateContacts(with: request) { contact, _ in names.append(contact.organizationName) }
            #expect(names == ["Works", ""])
            request.predicate = CNContact.predicateForContacts(matchingName: "works")
            names = []
            try unsafe store.enumerateContacts(with: request) { contact, _ in names.append(contact.identifier) }
            #expect(names == ["works"])
            #expect(try store.unifiedContact(withIdentifier: "ada", keysToFetch: []).contactType == .person)
            #expect(throws: CNError(.recordDoesNotExist)) {
                try store.unifiedContact(withIdentifier: "bob", keysToFetch: [])
            }
        }
    }

    @Test("an address book that cannot be read is an error, with a warning") func unreadable() {
        let predicate = CNContact.predicateForContacts(matchingName: "a")
        for path in [folder.write(Array("x".utf8), to: "x.vcf"), "/nowhere"] {
            let said = run(path) {
                #expect(throws: CNError(.dataAccessError)) {
                    try CNContactStore().unifiedContacts(matching: predicate, keysToFetch: [])
                }
            }
            #expect(said.count == 1 && said[0].hasPrefix("configuration [Contacts] File=\(path)"), "\(said)")
        }
    }

    @Test("vCards that came with a message are read") func serialization() throws {
        let contacts = try CNContactVCardSerialization.contacts(with: Data(Self.cards.utf8))
        #expect(contacts.map(\.note) == ["", ""] && contacts.first?.imageDataAvailable == true)
        #expect(throws: CNError(.dataAccessError)) { try CNContactVCardSerialization.contacts(with: Data([1])) }
    }
}
