import BelfryJSON
public import BelfrySyscalls
public import BelfryTerms
public import CallDirectory
import Glibc

/// What the person has chosen of an extension of the call directory, and how its last load went.
public struct DirectoryRecord: Hashable, Sendable {
    /// Its identifier, `CFBundleIdentifier`.
    public let id: GroupName
    /// The name of its app, which stands before its labels.
    public var app: String
    /// Whether its numbers count.
    public var isEnabled = false
    /// Why its last load came to nothing; nil if it did not, or there was none.
    public var failure: DirectoryFailure?
    /// When that was, in seconds since 1970.
    public var failedAt: Int64 = 0

    /// An extension that the person has said nothing of.
    public init(_ id: GroupName, app: String) { (self.id, self.app) = (id, app) }
}

/// The extensions that the person has enabled once, in the person's order: `extensions.json` in the directory's folder.
public struct DirectoryRecords: Hashable, Sendable {
    private static let name = "extensions.json"
    private static let bytesMax = 256 << 10
    /// So many extensions are remembered.
    private static let recordsMax = 256

    /// The extensions, in the order in which their labels count.
    public var all: [DirectoryRecord] = []

    /// The record of the extension `id`; nil if there is none.
    public subscript(id: GroupName) -> DirectoryRecord? { all.first { $0.id == id } }

    /// The records in `folder`; none if they cannot be read.
    public init(in folder: DirectoryFolder) {
        let bytes = try? folder.directory.read(Self.name, bytesMax: Self.bytesMax)?.bytes
        let object = bytes.flatMap { try? JSONValue.parse($0).objectValue }
        for value in object?["extensions"]?.arrayValue ?? [] {
            guard all.count < Self.recordsMax, let record = DirectoryRecord(value.objectValue) else { continue }
            if self[record.id] == nil { all.append(record) }
        }
    }

    /// Changes the records in `folder`: reads them, calls `change` and writes them, while no other process does.
    public static func change<Result>(
        in folder: DirectoryFolder, _ change: (inout DirectoryRecords) -> Result
    ) throws(SystemError) -> Result {
        let lock = try FileLock.take(".\(name).lock", in: folder.directory)
        defer { extendLifetime(lock) }
        var records = DirectoryRecords(in: folder)
        let before = records
        let result = change(&records)
        if records != before {
            let object: JSONObject = ["extensions": .array(records.all.map { .object($0.json) })]
            try folder.directory.replace(
                name, with: object.serialized(), temporaryName: ".\(name).new", in: folder.directory, isDurable: true)
        }
        return result
    }
}

extension DirectoryRecord {
    fileprivate init?(_ object: JSONObject?) {
        guard let object, let text = object["id"]?.stringValue, let id = GroupName(text) else { return nil }
        self.init(id, app: object["app"]?.stringValue ?? text)
        isEnabled = object["enabled"]?.boolValue ?? false
        if let code = object["code"]?.integerValue.flatMap({ DirectoryFailure.Code(rawValue: Int($0)) }) {
            failure = DirectoryFailure(code, object["problem"]?.stringValue ?? "")
            failedAt = object["failedAt"]?.integerValue ?? 0
        }
    }

    fileprivate var json: JSONObject {
        var json: JSONObject = ["id": .string(id.text), "app": .string(app), "enabled": .bool(isEnabled)]
        if let failure {
            json["code"] = .integer(Int64(failure.code.rawValue))
            json["problem"] = .string(failure.description)
            json["failedAt"] = .integer(failedAt)
        }
        return json
    }
}
