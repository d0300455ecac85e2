import BelfryJSON
import BelfrySyscalls
import Glibc

/// What is remembered of an app's processes until the next boot, for people who look for a fault.
public struct AppRecord: Hashable, Sendable {
    /// When a process last said that it is the app, in Unix seconds; nil if none has.
    public var started: Int64?
    /// When its registry last wanted voip pushes, likewise.
    public var registered: Int64?
    /// Why it did not start the last time, for people; empty if it did.
    public var problem = ""

    /// Nothing.
    public init() {}
}

/// The records of all apps: a file of the runtime directory, which `belfry-calls` alone writes.
public struct AppRecords: Sendable {
    private static let name = "apps.json"
    private static let bytesMax = 256 << 10
    /// How many apps are remembered; of more, those that came first.
    private static let recordsMax = 256

    private let folder: String
    private var records: [String: AppRecord]

    /// The records in the runtime directory at `path`; none if they cannot be read.
    public init(in path: String) {
        folder = path
        let bytes = try? readFile(at: "\(path)/\(Self.name)", bytesMax: Self.bytesMax).bytes
        let object = bytes.flatMap { try? JSONValue.parse($0).objectValue }
        records = [:]
        for member in object?.members ?? [] { records[member.key] = AppRecord(member.value.objectValue) }
    }

    /// What is remembered of the app `id`.
    public subscript(id: String) -> AppRecord { records[id] ?? AppRecord() }

    /// Changes what is remembered of the app `id`. What cannot be written is not remembered for long: no call needs it.
    public mutating func change(_ id: String, _ change: (inout AppRecord) -> Void) {
        var record = self[id]
        change(&record)
        guard record != self[id], records[id] != nil || records.count < Self.recordsMax else { return }
        records[id] = record
        var object = JSONObject()
        for (id, record) in records.sorted(by: { $0.key < $1.key }) { object[id] = .object(record.json) }
        try? Directory.open(path: folder, makes: true).write(
            object.serialized(), as: Self.name, aside: ".\(Self.name).\(getpid())")
    }
}

extension AppRecord {
    fileprivate init(_ object: JSONObject?) {
        started = object?["started"]?.integerValue
        registered = object?["registered"]?.integerValue
        problem = object?["problem"]?.stringValue ?? ""
    }

    fileprivate var json: JSONObject {
        [
            "started": started.map { .integer($0) } ?? .null, "registered": registered.map { .integer($0) } ?? .null,
            "problem": .string(problem),
        ]
    }
}
