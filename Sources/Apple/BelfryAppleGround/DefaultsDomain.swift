import BelfryAppGroup
package import BelfryPropertyList
import BelfrySyscalls
import BelfryTerms

/// One file of defaults. A process has one object for it, however many `UserDefaults` it makes.
final class DefaultsDomain: @unchecked Sendable {
    /// One thread at a time: a group file belongs to one.
    private let lock = NSLock()
    private let file: GroupFile

    private init(_ file: GroupFile) { self.file = file }

    private static let domains = LockedValue<[StateDirectory: [GroupName: DefaultsDomain]]>([:])
    private static let registration = LockedValue<[String: PropertyListValue]>([:])

    /// The domain of an app group; nil if there is no place for state.
    static func of(_ group: GroupName) -> DefaultsDomain? {
        KeeperDoor.stateDirectory.map { of(group, in: $0) }
    }

    /// The domain of this program, separate from all groups.
    static func ofThisProgram() -> DefaultsDomain? {
        guard let state = KeeperDoor.stateDirectory, let name = ProgramName.ofThisProgram else { return nil }
        return of(name, in: programs(in: state))
    }

    /// The domain of an app group or of this program; nil for a name that neither can have.
    static func named(_ name: String) -> DefaultsDomain? {
        name == KeeperDoor.bundle.bundleIdentifier ? ofThisProgram() : GroupName(name).flatMap(of)
    }

    private static func of(_ group: GroupName, in state: StateDirectory) -> DefaultsDomain {
        domains.withLock { domains in
            if let domain = domains[state]?[group] { return domain }
            let domain = DefaultsDomain(GroupFile(state: state, group: group))
            domains[state, default: [:]][group] = domain
            return domain
        }
    }

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
        KeeperDoor.report(lock.withLock { file.transactBlocking { body(&$0.root) } })
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
