import BelfryAppGroup
import BelfryAppleGround
import BelfryPropertyList
import BelfryTerms

/// The items of an app and its extensions: passwords, below `keychain/` in the state directory, in a file that only its
/// owner may read. They are encrypted only if the disk is.
struct Keychain {
    typealias Change = (status: OSStatus, found: [PropertyListDictionary])

    private static let key = "items"

    private var items: [PropertyListDictionary]

    init(_ root: PropertyListDictionary) {
        items = (root[Self.key]?.arrayValue ?? []).compactMap(\.dictionaryValue)
    }

    /// The current items; nil if there is no place for them.
    static func read() -> Keychain? { KeeperDoor.file(in: "keychain").map { Keychain($0.snapshot().root) } }

    /// Changes the items by `body`; if that returns an error, nothing is written.
    static func change(_ body: @escaping (inout Keychain) -> Change) -> Change {
        guard let file = KeeperDoor.file(in: "keychain") else { return (errSecNotAvailable, []) }
        let transaction = file.transactBlocking { edit in
            var keychain = Keychain(edit.root)
            let change = body(&keychain)
            if change.status == errSecSuccess { edit.root[key] = .array(keychain.items.map { .dictionary($0) }) }
            return change
        }
        KeeperDoor.report(transaction)
        if case .failed = transaction.outcome { return (errSecIO, []) }
        return transaction.value
    }

    /// The items that `query` finds, as many as it wants.
    func items(for query: KeychainQuery) -> [PropertyListDictionary] {
        Array(items.filter(query.finds).prefix(query.countMax))
    }

    mutating func add(_ query: KeychainQuery) -> Change {
        var item = query.attributes
        if item[Self.group] == nil { item[Self.group] = .string(KeeperDoor.appName ?? "") }
        guard !items.contains(where: { Self.areOne($0, item) }) else { return (errSecDuplicateItem, []) }
        let now = PropertyListValue.date(Date().timeIntervalSinceReferenceDate)
        item[kSecAttrCreationDate as String] = now
        item[kSecAttrModificationDate as String] = now
        items.append(item)
        return (errSecSuccess, [item])
    }

    mutating func update(_ query: KeychainQuery, _ changes: PropertyListDictionary) -> Change {
        let found = items.indices.filter { query.finds(items[$0]) }
        guard !found.isEmpty else { return (errSecItemNotFound, []) }
        for index in found {
            for member in changes.members { items[index][member.key] = member.value }
            items[index][kSecAttrModificationDate as String] = .date(Date().timeIntervalSinceReferenceDate)
            let isDouble = items.indices.contains { $0 != index && Self.areOne(items[$0], items[index]) }
            // The items changed so far are dropped too: `change` writes nothing after an error.
            guard !isDouble else { return (errSecDuplicateItem, []) }
        }
        return (errSecSuccess, [])
    }

    mutating func remove(_ query: KeychainQuery) -> Change {
        let count = items.count
        items.removeAll(where: query.finds)
        return (items.count == count ? errSecItemNotFound : errSecSuccess, [])
    }

    private static var group: String { kSecAttrAccessGroup as String }

    /// Whether a keychain can hold only one of the two.
    private static func areOne(_ first: PropertyListDictionary, _ second: PropertyListDictionary) -> Bool {
        let isOfServer = first[kSecClass as String]?.stringValue == kSecClassInternetPassword as String
        let own =
            isOfServer
            ? [
                kSecAttrSecurityDomain, kSecAttrServer, kSecAttrProtocol, kSecAttrAuthenticationType, kSecAttrPort,
                kSecAttrPath,
            ] : [kSecAttrService]
        let keys = own + [kSecClass, kSecAttrAccount, kSecAttrAccessGroup]
        return keys.allSatisfy { first[$0 as String] == second[$0 as String] }
            && KeychainQuery.goesElsewhere(first) == KeychainQuery.goesElsewhere(second)
    }
}

/// A query to a keychain.
struct KeychainQuery {
    /// The attributes that an item must have, with its class.
    let attributes: PropertyListDictionary
    private let options: PropertyListDictionary

    /// The query in `query`; nil if it names no class, or has values that cannot be stored.
    init?(_ query: CFDictionary) {
        guard let listed = Self.listed(query), listed[kSecClass as String]?.stringValue != nil else { return nil }
        var (attributes, options) = (PropertyListDictionary(), PropertyListDictionary())
        for member in listed.members {
            // Apple's keys show by their prefix whether they say how to search rather than for what.
            let isOption = ["r_", "m_", "u_", "nleg"].contains { member.key.hasPrefix($0) }
            if isOption { options[member.key] = member.value } else { attributes[member.key] = member.value }
        }
        self.attributes = attributes
        self.options = options
    }

    /// `dictionary` as a property list; nil if it cannot be one.
    static func listed(_ dictionary: CFDictionary) -> PropertyListDictionary? {
        guard let members = dictionary as? [String: Any] else { return nil }
        return DefaultsValue.propertyList(of: UserInfo.boxed(members))?.dictionaryValue
    }

    /// Whether items of that class are kept, and the wanted results can be given; warns if not.
    var isPossible: Bool {
        let kept = [kSecClassGenericPassword as String, kSecClassInternetPassword as String]
        let name = attributes[kSecClass as String]?.stringValue ?? ""
        let refused = [kSecReturnRef as String, kSecReturnPersistentRef as String].filter { wants($0) }
        guard kept.contains(name), refused.isEmpty else {
            KeeperDoor.warn(.unsupported, "SecItem: \(refused.first ?? "the class \(name)")")
            return false
        }
        return true
    }

    /// The most items that are wanted.
    var countMax: Int {
        let limit = options[kSecMatchLimit as String]
        if limit?.stringValue == kSecMatchLimitAll as String { return .max }
        return limit?.boundedInteger(in: 1...Int64(Int32.max)).map(Int.init) ?? 1
    }

    /// Whether `item` has all attributes of the query.
    func finds(_ item: PropertyListDictionary) -> Bool {
        let asked = attributes.members.filter {
            $0.key != Self.synchronizable && $0.key != kSecValueData as String
        }
        return asked.allSatisfy { item[$0.key] == $0.value } && Self.fits(attributes[Self.synchronizable], item)
    }

    /// The wanted results for the items that were found; nil if none are wanted.
    func answer(_ items: [PropertyListDictionary]) -> CFTypeRef? {
        let wantsData = wants(kSecReturnData as String)
        let answers = items.compactMap { item -> CFTypeRef? in
            let data = item[kSecValueData as String].map(DefaultsValue.object) as? Data
            guard wants(kSecReturnAttributes as String) else { return wantsData ? data.map { $0 as NSData } : nil }
            var attributes = item.members.reduce(into: [String: Any]()) {
                $0[$1.key] = DefaultsValue.object($1.value)
            }
            attributes[kSecValueData as String] = wantsData ? data : nil
            return attributes as NSDictionary
        }
        return countMax > 1 ? (answers.isEmpty ? nil : answers as NSArray) : answers.first
    }

    private func wants(_ option: String) -> Bool { options[option]?.boolValue ?? false }

    private static var synchronizable: String { kSecAttrSynchronizable as String }

    /// Whether iOS would copy the item to other devices.
    static func goesElsewhere(_ item: PropertyListDictionary) -> Bool { item[synchronizable]?.boolValue ?? false }

    /// Items for other devices are found only by queries that ask for them.
    private static func fits(_ asked: PropertyListValue?, _ item: PropertyListDictionary) -> Bool {
        if asked?.stringValue == kSecAttrSynchronizableAny as String { return true }
        return (asked?.boolValue ?? false) == goesElsewhere(item)
    }
}
