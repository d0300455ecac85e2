import BelfryAppGroup
package import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms
import CallLedger

/// One file of defaults. A process has one object for it, however many `UserDefaults` it makes.
final class DefaultsDomain: @unchecked Sendable {
    /// One thread at a time: a group file belongs to one.
    private let lock = NSLock()
    private let file: GroupFile
    /// Whether it is a group's, which every ring reads.
    private let isOfGroup: Bool
    /// The keys that were warned of.
    private let large = LockedValue<Set<String>>([])

    private init(_ file: GroupFile, isOfGroup: Bool) { (self.file, self.isOfGroup) = (file, isOfGroup) }

    /// From so many bytes of values on that are not Belfry's, a group's file is told to be large.
    private static let foreignBytesMax = 256 << 10

    private static let domains = LockedValue<[StateDirectory: [GroupName: DefaultsDomain]]>([:])
    private static let registration = LockedValue<[String: PropertyListValue]>([:])

    /// The domain of an app group; nil if there is no place for state.
    static func of(_ group: GroupName) -> DefaultsDomain? {
        KeeperDoor.stateDirectory.map { of(group, in: $0, isOfGroup: true) }
    }

    /// The domain of this program, separate from all groups.
    static func ofThisProgram() -> DefaultsDomain? {
        guard let state = KeeperDoor.stateDirectory, let name = ProgramName.ofThisProgram else { return nil }
        return of(name, in: programs(in: state), isOfGroup: false)
    }

    /// The domain of an app group or of this program; nil for a name that neither can have.
    static func named(_ name: String) -> DefaultsDomain? {
        name == KeeperDoor.bundle.bundleIdentifier ? ofThisProgram() : GroupName(name).flatMap(of)
    }

    private static func of(
        _ group: GroupName, in state: StateDirectory, isOfGroup: Bool
    ) -> DefaultsDomain {
        domains.withLock { domains in
            if let domain = domains[state]?[group] { return domain }
            let domain = DefaultsDomain(GroupFile(state: state, group: group), isOfGroup: isOfGroup)
            domains[state, default: [:]][group] = domain
            return domain
        }
    }

    /// What Belfry itself keeps in a group's file.
    private static let ownKeys: Set<String> = [
        Ledger.Key.calls, Ledger.Key.startCallTime, Ledger.Key.foreground, Ledger.Key.foregroundOwner,
        Ledger.Key.pendingAccept, Ledger.Key.missedCalls,
    ]

    /// Forgets the domains in the state directory `state`, which is about to be removed.
    static func forget(_ state: StateDirectory) {
        domains.withLock {
            $0[state] = nil
            $0[programs(in: state)] = nil
        }
    }

    private static func programs(in state: StateDirectory) -> StateDirectory {
        StateDirectory(path: "\(state.path)/programs")
    }

    /// Gives values to keys that are not set.
    static func register(_ defaults: [String: PropertyListValue]) {
        registration.withLock { $0.merge(defaults) { $1 } }
    }

    /// The value that was registered for `key`.
    static func registered(_ key: String) -> PropertyListValue? { registration.withLock { $0[key] } }

    /// All registered values.
    static func allRegistered() -> [String: PropertyListValue] { registration.withLock { $0 } }

    /// All values that are set now, by any process.
    func snapshot() -> PropertyListDictionary { lock.withLock { file.snapshot().root } }

    /// The value that `key` is set to now.
    func value(of key: String) -> PropertyListValue? { snapshot()[key] }

    /// Sets `key`, or removes it.
    func set(_ value: PropertyListValue?, for key: String) { change { $0[key] = value } }

    /// Replaces all that is set.
    func replaceAll(by values: [String: PropertyListValue]) {
        change { root in
            root = PropertyListDictionary()
            for (key, value) in values { root[key] = value }
        }
    }

    private func change(_ body: @escaping (inout PropertyListDictionary) -> Void) {
        var wanted = PropertyListDictionary()
        let transaction = lock.withLock {
            file.transactBlocking { edit in
                body(&edit.root)
                wanted = edit.root
            }
        }
        if isOfGroup { warnIfLarge(wanted) }
        KeeperDoor.report(transaction)
    }

    /// Warns if a group's file has become, or was to become, one that costs each ring time: of the key that has most of
    /// it, once.
    private func warnIfLarge(_ root: PropertyListDictionary) {
        let foreign = root.members.filter { !Self.ownKeys.contains($0.key) }.map { ($0.key, $0.value.contentBytes) }
        guard foreign.reduce(0, { $0 + $1.1 }) >= Self.foreignBytesMax,
            let (key, bytes) = foreign.max(by: { $0.1 < $1.1 }), large.withLock({ $0.insert(key).inserted })
        else { return }
        KeeperDoor.warn(
            .groupLarge,
            "\(key) of \(file.group.text) has \(bytes >> 10) KiB, which each ring reads; the file takes "
                + "\(GroupFile.bytesMax >> 10) KiB at most")
    }
}

extension PropertyListValue {
    /// How many bytes its texts, data and numbers have, without what a file needs to tell them apart.
    fileprivate var contentBytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let bytes): bytes.count
        case .bool, .integer, .unsigned, .uid, .real, .date: 8
        case .array(let elements): elements.reduce(0) { $0 + $1.contentBytes }
        case .dictionary(let dictionary):
            dictionary.members.reduce(0) { $0 + $1.key.utf8.count + $1.value.contentBytes }
        }
    }
}

/// The names under which this program and its app keep their files.
enum ProgramName {
    /// The bundle's identifier, else the program's name, made into a name that a file may have (S1); nil if that is
    /// impossible.
    static var ofThisProgram: GroupName? {
        GroupName(of: KeeperDoor.bundle.bundleIdentifier ?? ProcessInfo.processInfo.processName)
    }

    /// The app that this program belongs to: an extension's identifier is its app's and one part more.
    static var ofApp: GroupName? {
        guard KeeperDoor.bundle.object(forInfoDictionaryKey: "NSExtension") != nil,
            let identifier = KeeperDoor.bundle.bundleIdentifier, let dot = identifier.lastIndex(of: ".")
        else { return ofThisProgram }
        return GroupName(of: String(identifier[..<dot]))
    }
}

extension GroupName {
    /// The name nearest to `text`: each character that no name may have becomes a hyphen.
    fileprivate init?(of text: String) {
        let scalars = text.unicodeScalars.prefix(GroupName.bytesMax).map { scalar in
            scalar.isASCII && (scalar == "." || scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? Character(scalar) : "-"
        }
        self.init(String(scalars))
    }
}

/// Property list values as `UserDefaults` takes and gives them.
package enum DefaultsValue {
    /// `value` as iOS gives it.
    package static func object(_ value: PropertyListValue) -> Any {
        switch value {
        case .bool(let flag): NSNumber(value: flag)
        case .integer(let number): NSNumber(value: number)
        case .unsigned(let number), .uid(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .string(let text): text
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let bytes): Data(bytes)
        case .array(let elements): elements.map(object)
        case .dictionary(let dictionary):
            Dictionary(dictionary.members.map { ($0.key, object($0.value)) }, uniquingKeysWith: { $1 })
        }
    }

    /// `value` as a property list holds it; nil for a value that none can hold.
    package static func propertyList(of value: Any) -> PropertyListValue? {
        switch value {
        case let date as Date: return .date(date.timeIntervalSinceReferenceDate)
        case let data as Data: return .data([UInt8](data))
        case is NSNull: return nil
        case let number as NSNumber: return propertyList(ofNumber: number)
        case let text as String: return .string(text)
        case let values as [String: Any]:
            var dictionary = PropertyListDictionary()
            for (key, value) in values {
                guard let listed = propertyList(of: value) else { return nil }
                dictionary[key] = listed
            }
            return .dictionary(dictionary)
        case let values as [Any]:
            let listed = values.compactMap(propertyList)
            return listed.count == values.count ? .array(listed) : nil
        default: return nil
        }
    }

    private static func propertyList(ofNumber number: NSNumber) -> PropertyListValue {
        switch number.kind {
        case .bool(let flag): .bool(flag)
        case .integer(let number): .integer(number)
        case .unsigned(let number): .unsigned(number)
        case .real(let number): .real(number)
        }
    }
}
