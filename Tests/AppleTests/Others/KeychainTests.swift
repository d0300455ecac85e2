import BelfryAppleGround
import KeeperChannel
import Security
import Support
import Testing

/// The keychain, as extensions ask it: each test has one of its own.
@Suite final class KeychainTests {
    private let folder = TemporaryFolder()
    private let door: KeeperDoor

    init() {
        door = KeeperDoor.open(KeeperGreeting(stateDirectory: folder.path, memoryBytesMax: 1)) { _ in }
    }

    deinit { door.close() }

    private static var password: [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "keys",
            kSecAttrAccount as String: "anna",
        ]
    }

    private func add(_ more: [String: Any]) -> OSStatus {
        door.run { SecItemAdd(Self.password.merging(more) { $1 } as CFDictionary, nil) }
    }

    private func copy(_ more: [String: Any], of base: [String: Any] = password) -> (OSStatus, CFTypeRef?) {
        var item: CFTypeRef?
        let status = door.run { unsafe SecItemCopyMatching(base.merging(more) { $1 } as CFDictionary, &item) }
        return (status, item)
    }

    @Test("a secret is kept for other processes, is found by what it has, and is there once")
    func kept() throws {
        #expect(copy([kSecReturnData as String: true]).0 == errSecItemNotFound)
        #expect(add([kSecValueData as String: Data("secret".utf8)]) == errSecSuccess)
        #expect(add([kSecValueData as String: Data("other".utf8)]) == errSecDuplicateItem)
        for wanted: Any in [true, kCFBooleanTrue!, NSNumber(value: 1)] {
            let (status, item) = copy([kSecReturnData as String: wanted, kSecMatchLimit as String: kSecMatchLimitOne])
            #expect(status == errSecSuccess && item as? Data == Data("secret".utf8))
        }
        #expect(copy([kSecReturnData as String: false]).1 == nil)
        #expect(copy([kSecAttrAccount as String: "bob"]).0 == errSecItemNotFound)
        #expect(copy([kSecAttrAccessGroup as String: "group.none"]).0 == errSecItemNotFound)
        let path = "\(folder.path)/keychain/groups"
        let file = try #require(
            FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }
                .first { $0.hasSuffix(".plist") })
        let mode = try FileManager.default.attributesOfItem(atPath: "\(path)/\(file)")[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("attributes say when it was made, and whose it is") func attributes() throws {
        #expect(add([kSecValueData as String: Data([1]), kSecAttrGeneric as String: Data([2])]) == errSecSuccess)
        let wanted = [kSecReturnAttributes as String: true, kSecReturnData as String: true]
        let found = try #require(copy(wanted).1 as? [String: Any])
        #expect(found[kSecValueData as String] as? Data == Data([1]))
        #expect(found[kSecAttrGeneric as String] as? Data == Data([2]))
        #expect(found[kSecAttrAccount as String] as? String == "anna")
        #expect(found[kSecAttrAccessGroup as String] as? String != nil)
        let made = try #require(found[kSecAttrCreationDate as String] as? Date)
        #expect(abs(made.timeIntervalSinceNow) < 600)
        let alone = try #require(copy([kSecReturnAttributes as String: true]).1 as? [String: Any])
        #expect(alone[kSecValueData as String] == nil)
    }

    @Test("all are listed, changed and removed as they are found") func several() throws {
        for account in ["anna", "bob"] {
            #expect(
                add([kSecAttrAccount as String: account, kSecValueData as String: Data(account.utf8)]) == errSecSuccess)
        }
        let all: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "keys",
        ]
        let listed = copy([kSecReturnData as String: true, kSecMatchLimit as String: kSecMatchLimitAll], of: all).1
        #expect(listed as? [Data] == [Data("anna".utf8), Data("bob".utf8)])
        let two = copy([kSecReturnData as String: true, kSecMatchLimit as String: 2], of: all).1
        #expect((two as? [Data])?.count == 2)
        let update = door.run {
            SecItemUpdate(Self.password as CFDictionary, [kSecValueData: Data([7])] as CFDictionary)
        }
        #expect(update == errSecSuccess && copy([kSecReturnData as String: true]).1 as? Data == Data([7]))
        let doubled = door.run { SecItemUpdate(all as CFDictionary, [kSecAttrAccount: "carl"] as CFDictionary) }
        #expect(doubled == errSecDuplicateItem && copy([:]).0 == errSecSuccess)
        #expect(door.run { SecItemDelete(all as CFDictionary) } == errSecSuccess)
        #expect(door.run { SecItemDelete(all as CFDictionary) } == errSecItemNotFound)
        #expect(
            door.run { SecItemUpdate(all as CFDictionary, [kSecAttrLabel: "x"] as CFDictionary) } == errSecItemNotFound)
    }

    @Test("items that go to other devices are apart, and servers have their own") func kinds() {
        let elsewhere = [kSecAttrSynchronizable as String: true]
        #expect(add([kSecValueData as String: Data([1])]) == errSecSuccess)
        #expect(add([kSecAttrSynchronizable as String: true, kSecValueData as String: Data([2])]) == errSecSuccess)
        let wanted: [String: Any] = [kSecReturnData as String: true, kSecMatchLimit as String: kSecMatchLimitAll]
        #expect(copy(wanted).1 as? [Data] == [Data([1])])
        #expect(copy(wanted.merging(elsewhere) { $1 }).1 as? [Data] == [Data([2])])
        let any = wanted.merging([kSecAttrSynchronizable as String: kSecAttrSynchronizableAny]) { $1 }
        #expect((copy(any).1 as? [Data])?.count == 2)
        for port in [1, 2] {
            let server: [String: Any] = [
                kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: "example.com",
                kSecAttrPort as String: port,
            ]
            #expect(door.run { SecItemAdd(server as CFDictionary, nil) } == errSecSuccess)
            #expect(door.run { SecItemAdd(server as CFDictionary, nil) } == errSecDuplicateItem)
        }
    }

    @Test("what is not kept here is refused, and what has no sense is not taken") func refuses() {
        let key = [kSecClass: kSecClassKey] as CFDictionary
        #expect(door.run { SecItemAdd(key, nil) } == errSecUnimplemented)
        #expect(door.run { SecItemDelete(key) } == errSecUnimplemented)
        #expect(copy([kSecReturnRef as String: true]).0 == errSecUnimplemented)
        #expect(copy([:], of: [:]).0 == errSecParam)
        #expect(copy([kSecAttrAccount as String: NSNull()]).0 == errSecParam)
        let change = [kSecClass: kSecClassGenericPassword] as CFDictionary
        #expect(door.run { SecItemUpdate(Self.password as CFDictionary, change) } == errSecParam)
        #expect(SecCopyErrorMessageString(errSecItemNotFound, nil) != nil && SecCopyErrorMessageString(1, nil) == nil)
    }

    @Test("what a keychain answers has Apple's number") func numbers() {
        let numbers = [
            errSecSuccess, errSecUnimplemented, errSecIO, errSecParam, errSecAllocate, errSecUserCanceled,
            errSecNotAvailable, errSecAuthFailed, errSecDuplicateItem, errSecItemNotFound,
            errSecInteractionNotAllowed, errSecDecode, errSecMissingEntitlement,
        ]
        #expect(
            numbers == [
                0, -4, -36, -50, -108, -128, -25_291, -25_293, -25_299, -25_300, -25_308, -26_275, -34_018,
            ])
    }

    @Test("random bytes are random") func random() {
        var bytes = [UInt8](repeating: 0, count: 64)
        #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes) == errSecSuccess)
        #expect(Set(bytes).count > 16)
    }

    @Test("without a place for it there is no keychain") func nowhere() {
        door.close()
        #expect(copy([kSecReturnData as String: true]).0 == errSecNotAvailable)
        #expect(add([:]) == errSecNotAvailable)
    }
}
