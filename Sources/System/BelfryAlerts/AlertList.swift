public import BelfryAppGroup
public import BelfryJSON
public import BelfryProtocol
public import BelfrySyscalls
public import BelfryTerms
import Glibc

/// The last alerts with their whole text: a file in the state directory, an object a line, the newest last.
///
/// Each worker adds its own under a lock, and replaces the file: a reader finds either the old one or the new one.
public struct AlertList: Sendable {
    /// How many alerts are kept; the oldest go.
    public static let alertsMax = 200
    /// Most bytes of the file: with longer texts fewer alerts are kept.
    public static let bytesMax = 1 << 20

    private static let name = "alerts"
    private static let aside = "alerts.new"
    private static let lock = "alerts.lock"

    private let state: StateDirectory

    /// The list in `state`.
    public init(in state: StateDirectory) { self.state = state }

    /// The alerts, the oldest first; none if there is no file. A line that is no alert is passed over.
    public func alerts() throws(SystemError) -> [ListedAlert] {
        do throws(SystemError) {
            return try lines(in: Directory.open(path: state.path, makes: false)).compactMap { ListedAlert(line: $0) }
        } catch  where error.errno == ENOENT {
            return []
        }
    }

    /// Adds `alert`; false, and nothing done, while another process changes the list.
    public func add(_ alert: ListedAlert) throws(SystemError) -> Bool {
        let folder = try Directory.open(path: state.path, makes: true)
        guard let lock = try FileLock.tryTake(Self.lock, in: folder) else { return false }
        try add(alert.line, to: folder, holding: lock)
        return true
    }

    /// Adds `line`. A lock that is lent is held until this returns.
    private func add(
        _ line: [UInt8], to folder: borrowing Directory, holding lock: borrowing FileLock
    ) throws(SystemError) {
        guard line.count <= Self.bytesMax else {
            throw SystemError(errno: EFBIG, call: "write", subject: "\(state.path)/\(Self.name)")
        }
        var kept: [[UInt8]] = [line]
        var bytes = line.count
        for earlier in try lines(in: folder).reversed() where !earlier.isEmpty {
            bytes += earlier.count + 1
            guard kept.count < Self.alertsMax, bytes <= Self.bytesMax else { break }
            kept.append(earlier + [UInt8(ascii: "\n")])
        }
        try write(kept.reversed(), to: folder)
    }

    /// Forgets all, or those of `group` if that is not nil; false, and nothing done, while another process changes the
    /// list.
    public func clear(of group: String? = nil) throws(SystemError) -> Bool {
        do throws(SystemError) {
            let folder = try Directory.open(path: state.path, makes: false)
            guard let lock = try FileLock.tryTake(Self.lock, in: folder) else { return false }
            try remove(group, from: folder, holding: lock)
            return true
        } catch  where error.errno == ENOENT {
            return true
        }
    }

    private func remove(
        _ group: String?, from folder: borrowing Directory, holding lock: borrowing FileLock
    ) throws(SystemError) {
        guard let group else { return try folder.remove(Self.name) }
        let kept = try lines(in: folder).filter { ListedAlert(line: $0).map { $0.group != group } ?? false }
        try write(kept.map { $0 + [UInt8(ascii: "\n")] }, to: folder)
    }

    private func write(_ lines: [[UInt8]], to folder: borrowing Directory) throws(SystemError) {
        // A process that was killed in the middle has left its own.
        try folder.remove(Self.aside)
        try folder.write(Array(lines.joined()), as: Self.name, aside: Self.aside)
    }

    private func lines(in folder: borrowing Directory) throws(SystemError) -> [[UInt8]] {
        let content = try folder.read(Self.name, bytesMax: Self.bytesMax)
        return content?.bytes.split(separator: UInt8(ascii: "\n")).map(Array.init) ?? []
    }
}

/// An alert of the list.
public struct ListedAlert: Hashable, Sendable {
    /// When it was delivered, in Unix seconds.
    public let time: Int64
    /// The app group.
    public let group: String
    /// By which a later one replaces it where it is shown.
    public let name: String
    /// The first line; empty if there is none.
    public let title: String
    /// The second line; empty if there is none.
    public let subtitle: String
    /// The text, with its line breaks; empty if there is none.
    public let body: String
    /// How much it might interrupt; a word of ``InterruptionLevel``.
    public let level: String

    /// What `content` said at `time`, called `name` in `group`.
    public init(_ content: NotificationContent, in group: GroupName, name: String, at time: Int64) {
        (self.time, self.group, self.name) = (time, group.text, name)
        (title, subtitle, body) = (content.title, content.subtitle, content.body)
        level = (content.breaksThrough ? .critical : content.interruptionLevel).rawValue
    }

    /// As an object.
    public var object: JSONObject {
        [
            "time": .integer(time), "group": .string(group), "alert": .string(name), "title": .string(title),
            "subtitle": .string(subtitle), "body": .string(body), "level": .string(level),
        ]
    }

    /// As a line of the file, its newline included.
    var line: [UInt8] { object.serialized() + [UInt8(ascii: "\n")] }

    /// Reads it from a line; nil if that is none.
    init?(line: [UInt8]) {
        let limits = JSONLimits(bytesMax: AlertList.bytesMax)
        guard case .object(let object)? = try? JSONValue.parse(line, limits: limits),
            case .integer(let time)? = object["time"]
        else { return nil }
        func text(_ key: String) -> String { object[key]?.stringValue ?? "" }
        (self.time, group, name) = (time, text("group"), text("alert"))
        (title, subtitle, body, level) = (text("title"), text("subtitle"), text("body"), text("level"))
    }
}
