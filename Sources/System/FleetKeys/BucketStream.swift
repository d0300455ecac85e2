import BelfryJSON

/// The bucket of devices: a stream of JetStream, which brokers keep. Whoever has the account's key makes it.
enum BucketStream {
    /// What it is called.
    static let name = "belfry-devices"
    private static let stream = "KV_\(name)"

    static let infoSubject = "$JS.API.STREAM.INFO.\(stream)"
    static let createSubject = "$JS.API.STREAM.CREATE.\(stream)"
    static let updateSubject = "$JS.API.STREAM.UPDATE.\(stream)"
    static let messageSubject = "$JS.API.STREAM.MSG.GET.\(stream)"
    /// What the subject of each key begins with.
    static let keyPrefix = "$KV.\(name)."

    /// What brokers say where it is not.
    static let absentCode: Int64 = 10_059

    /// What makes it, or changes it so that it has as many copies: the latest entry of each key, on disks. Who has the
    /// rights to write into it cannot remove an entry without a trace.
    static func configuration(copies: Int) -> [UInt8] {
        let object: JSONObject = [
            "name": .string(stream), "subjects": .array([.string("\(keyPrefix)>")]), "retention": "limits",
            "storage": "file", "max_msgs_per_subject": 1, "max_consumers": -1, "max_msgs": -1, "max_bytes": -1,
            "max_age": 0,
            "max_msg_size": -1, "discard": "new", "num_replicas": .integer(Int64(copies)), "deny_delete": true,
        ]
        return object.serialized()
    }

    /// What a broker says of it.
    enum Answer {
        /// It is there, with so many copies.
        case copies(Int)
        /// There is none.
        case absent
        /// Why nothing can be said or done, in the broker's words.
        case failure(String)

        init(_ bytes: [UInt8]) {
            let object = (try? JSONValue.parse(bytes))?.objectValue
            if let error = object?["error"]?.objectValue {
                let words = error["description"]?.stringValue ?? "error \(error["code"]?.integerValue ?? 0)"
                self = error["err_code"]?.integerValue == absentCode ? .absent : .failure(words)
            } else if let copies = object?["config"]?.objectValue?["num_replicas"]?.integerValue {
                self = .copies(Int(clamping: copies))
            } else {
                self = .failure("it answers what nobody understands")
            }
        }
    }
}
