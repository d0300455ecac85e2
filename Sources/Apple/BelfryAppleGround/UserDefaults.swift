import BelfryAppGroup
import BelfryPropertyList
import BelfryTerms

/// `UserDefaults` as on iOS: each change is in the file of its group at once, and every process sees the changes of the
/// others without `synchronize()`.
///
/// Values are read as NSNumber, String, Date, Data and Swift containers of these. Source: Apple, `UserDefaults`.
open class UserDefaults: Foundation.UserDefaults {
    /// The app group, or nil for this program's own.
    private let group: GroupName?
    private let door = KeeperDoor.current
    /// The current domain of the values: looked up each time, since other code of the process may have another keeper.
    /// Nil if there is no place for state.
    private var domain: DefaultsDomain? {
        KeeperDoor.current(havingMade: door).run {
            if let group { DefaultsDomain.of(group) } else { DefaultsDomain.ofThisProgram() }
        }
    }

    /// The defaults of the app group `suiteName`, or of this program if that is nil. Nil for a name that no app group
    /// can have, and for this program's own name.
    public override init?(suiteName: String?) {
        if let suiteName {
            let own = KeeperDoor.bundle.bundleIdentifier
            guard suiteName != own, suiteName != UserDefaults.globalDomain, let group = GroupName(suiteName) else {
                let isOwn = suiteName == own
                let why =
                    isOwn
                    ? "this program's own domain: UserDefaults.standard has it" : "an app group has \(GroupName.rule)"
                KeeperDoor.warn(.unsupported, "UserDefaults(suiteName: \(suiteName)): \(why)")
                return nil
            }
            self.group = group
        } else {
            group = nil
        }
        super.init(suiteName: nil)
    }

    /// The defaults of this program.
    public convenience init() {
        // Only a suite name can be refused.
        self.init(suiteName: nil)!
    }

    nonisolated(unsafe) private static let ofThisProgram = UserDefaults()

    /// The defaults of this program.
    open override class var standard: UserDefaults { unsafe ofThisProgram }

    /// The value of `key`: the one that was set, else the registered one.
    open override func object(forKey defaultName: String) -> Any? {
        let value = domain?.value(of: defaultName) ?? DefaultsDomain.registered(defaultName)
        return value.map(DefaultsValue.object)
    }

    /// Sets `key`; nil removes it. A value that no property list can hold ends the process, as the exception on iOS.
    open override func set(_ value: Any?, forKey defaultName: String) {
        guard let value else { return removeObject(forKey: defaultName) }
        guard let listed = DefaultsValue.propertyList(of: value) else {
            preconditionFailure("Attempt to insert non-property list object \(value) for key \(defaultName)")
        }
        change(defaultName, to: listed)
    }

    /// Removes the value of `key`.
    open override func removeObject(forKey defaultName: String) { change(defaultName, to: nil) }

    private func change(_ key: String, to value: PropertyListValue?) {
        domain?.set(value, for: key)
        NotificationCenter.default.post(name: Foundation.UserDefaults.didChangeNotification, object: self)
    }

    /// Sets `key` to a number.
    open override func set(_ value: Int, forKey defaultName: String) { change(defaultName, to: .integer(Int64(value))) }

    /// Sets `key` to a number.
    open override func set(_ value: Float, forKey defaultName: String) {
        change(defaultName, to: .real(Double(value)))
    }

    /// Sets `key` to a number.
    open override func set(_ value: Double, forKey defaultName: String) { change(defaultName, to: .real(value)) }

    /// Sets `key` to a truth value.
    open override func set(_ value: Bool, forKey defaultName: String) { change(defaultName, to: .bool(value)) }

    /// Sets `key` to an address: a file's path, or an archive of any other.
    open override func set(_ url: URL?, forKey defaultName: String) {
        guard let url else { return removeObject(forKey: defaultName) }
        if url.isFileURL { return change(defaultName, to: .string(url.path)) }
        let archive = try? NSKeyedArchiver.archivedData(withRootObject: url as NSURL, requiringSecureCoding: true)
        change(defaultName, to: .data([UInt8](archive ?? Data())))
    }

    /// A string, or a number in digits.
    open override func string(forKey defaultName: String) -> String? {
        switch object(forKey: defaultName) {
        case let text as String: text
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }

    /// An array.
    open override func array(forKey defaultName: String) -> [Any]? { object(forKey: defaultName) as? [Any] }

    /// A dictionary.
    open override func dictionary(forKey defaultName: String) -> [String: Any]? {
        object(forKey: defaultName) as? [String: Any]
    }

    /// Data.
    open override func data(forKey defaultName: String) -> Data? { object(forKey: defaultName) as? Data }

    /// An array of nothing but strings.
    open override func stringArray(forKey defaultName: String) -> [String]? {
        object(forKey: defaultName) as? [String]
    }

    /// A whole number; 0 if there is none.
    open override func integer(forKey defaultName: String) -> Int {
        switch object(forKey: defaultName) {
        case let number as NSNumber: number.intValue
        case let text as String: NSString(string: text).integerValue
        default: 0
        }
    }

    /// A number; 0 if there is none.
    open override func float(forKey defaultName: String) -> Float { Float(double(forKey: defaultName)) }

    /// A number; 0 if there is none.
    open override func double(forKey defaultName: String) -> Double {
        switch object(forKey: defaultName) {
        case let number as NSNumber: number.doubleValue
        case let text as String: NSString(string: text).doubleValue
        default: 0
        }
    }

    /// A truth value, or a number that is not 0, or a text such as `YES`; false if there is none.
    open override func bool(forKey defaultName: String) -> Bool {
        switch object(forKey: defaultName) {
        case let number as NSNumber: number.boolValue
        case let text as String: NSString(string: text).boolValue
        default: false
        }
    }

    /// An address.
    open override func url(forKey defaultName: String) -> URL? {
        switch object(forKey: defaultName) {
        case let path as String: URL(fileURLWithPath: NSString(string: path).expandingTildeInPath)
        case let archive as Data:
            (try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: archive)).map { $0 as URL }
        default: nil
        }
    }

    /// The value of `key`, as ``object(forKey:)``.
    open func value(forKey key: String) -> Any? { object(forKey: key) }

    /// Sets `key`, as ``set(_:forKey:)-(Any?,_)``.
    open func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

    /// Gives values to keys that are not set, for this process.
    open override func register(defaults registrationDictionary: [String: Any]) {
        DefaultsDomain.register(registrationDictionary.compactMapValues(DefaultsValue.propertyList))
    }

    /// All keys and values, registered ones included.
    open override func dictionaryRepresentation() -> [String: Any] {
        var all = DefaultsDomain.allRegistered()
        for member in domain?.snapshot().members ?? [] { all[member.key] = member.value }
        return all.mapValues(DefaultsValue.object)
    }

    /// True: each change is in the file already.
    @discardableResult
    open override func synchronize() -> Bool { true }

    /// All values set in the domain of this name, an app group or this program.
    open override func persistentDomain(forName domainName: String) -> [String: Any]? {
        let members = DefaultsDomain.named(domainName)?.snapshot().members ?? []
        guard !members.isEmpty else { return nil }
        return Dictionary(members.map { ($0.key, DefaultsValue.object($0.value)) }, uniquingKeysWith: { $1 })
    }

    /// Replaces all values in the domain of this name.
    open override func setPersistentDomain(_ domain: [String: Any], forName domainName: String) {
        DefaultsDomain.named(domainName)?.replaceAll(by: domain.compactMapValues(DefaultsValue.propertyList))
    }

    /// Removes all values in the domain of this name.
    open override func removePersistentDomain(forName domainName: String) {
        DefaultsDomain.named(domainName)?.replaceAll(by: [:])
    }

    /// Refused with a warning: a suite is read by `UserDefaults(suiteName:)`.
    open override func addSuite(named suiteName: String) {
        KeeperDoor.warn(.unsupported, "UserDefaults.addSuite(named:)")
    }

    /// Does nothing, since no suite was added.
    open override func removeSuite(named suiteName: String) {}
}
