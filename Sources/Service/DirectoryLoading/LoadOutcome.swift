import BelfryJSON
public import BelfryTerms
public import CallDirectory

/// What comes of a load, in the order in which it comes.
public enum LoadNews: Hashable, Sendable {
    /// What iOS would have said of the extension's code, or what is wrong with its entries.
    case warning(CodeWord<WarningCode>, detail: String)
    /// The extension's code wrote this.
    case output(String)
    /// The load is over.
    case over(LoadOutcome)
}

/// How a load ended.
public struct LoadOutcome: Hashable, Sendable {
    /// The table that stands now.
    public struct Loaded: Hashable, Sendable {
        /// How many numbers it has.
        public var rows = 0
        /// How many of them are blocked.
        public var blocked = 0
        /// How many of them have a label.
        public var identified = 0
        /// Whether the load was a difference to the table before.
        public var isIncremental = false

        /// An empty one.
        public init() {}
    }

    /// An error by which the extension's code cancelled its load.
    public struct Cancellation: Hashable, Sendable {
        /// Its domain.
        public let domain: String
        /// Its code.
        public let code: Int64
        /// What it says.
        public let text: String

        /// An error.
        public init(domain: String, code: Int64, text: String) {
            (self.domain, self.code, self.text) = (domain, code, text)
        }

        /// The domain of Apple's codes: `CXErrorDomainCallDirectoryManager`.
        static let domainOfApple = "com.apple.CallKit.error.calldirectorymanager"

        /// As Apple's code, `unknown` if it has none.
        public var failure: DirectoryFailure {
            let own = domain == Self.domainOfApple ? DirectoryFailure.Code(rawValue: Int(code)) : nil
            return DirectoryFailure(own ?? .unknown, "the extension cancelled its load: \(domain) \(code), \(text)")
        }
    }

    /// The table that stands; or why it is the old one.
    public let result: Result<Loaded, DirectoryFailure>
    /// The error by which the code cancelled it; nil if it did not.
    public var cancellation: Cancellation?
    /// How long it took.
    public var elapsed = TimeSpan.seconds(0)

    /// An outcome.
    public init(_ result: Result<Loaded, DirectoryFailure>, cancellation: Cancellation? = nil) {
        (self.result, self.cancellation) = (result, cancellation)
    }

    /// Why the load failed; nil if it did not.
    public var failure: DirectoryFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }
}

extension LoadNews {
    /// The news as the line that `belfry-directory` writes, newline included.
    public var line: [UInt8] { json.serialized() + [UInt8(ascii: "\n")] }

    /// The news in a line that `belfry-directory` has written; nil if it is none that this version knows.
    public init?(line: [UInt8]) {
        guard let said = try? JSONValue.parse(line).objectValue else { return nil }
        if let code = said["warning"]?.stringValue {
            self = .warning(CodeWord(rawValue: code), detail: said["detail"]?.stringValue ?? "")
        } else if let text = said["output"]?.stringValue {
            self = .output(text)
        } else if said["code"] != nil {
            self = .over(LoadOutcome(said))
        } else {
            return nil
        }
    }

    private var json: JSONObject {
        switch self {
        case .warning(let code, let detail): ["warning": .string(code.rawValue), "detail": .string(detail)]
        case .output(let text): ["output": .string(text)]
        case .over(let outcome): outcome.json
        }
    }
}

extension LoadOutcome {
    fileprivate init(_ said: JSONObject) {
        if let code = said["code"]?.integerValue {
            let known = DirectoryFailure.Code(rawValue: Int(code)) ?? .unknown
            self.init(.failure(DirectoryFailure(known, said["problem"]?.stringValue ?? "")))
        } else {
            func count(_ key: String) -> Int { Int(said[key]?.integerValue ?? 0) }
            var loaded = Loaded()
            (loaded.rows, loaded.blocked, loaded.identified) = (count("rows"), count("blocked"), count("identified"))
            loaded.isIncremental = said["incremental"]?.boolValue ?? false
            self.init(.success(loaded))
        }
        if let error = said["cancelled"]?.objectValue {
            cancellation = Cancellation(
                domain: error["domain"]?.stringValue ?? "", code: error["code"]?.integerValue ?? 0,
                text: error["text"]?.stringValue ?? "")
        }
        elapsed = TimeSpan(seconds: said["seconds"]?.numberValue ?? 0) ?? .zero
    }

    fileprivate var json: JSONObject {
        var json: JSONObject
        switch result {
        case .success(let loaded):
            json = [
                "code": .null, "problem": .null, "rows": .integer(Int64(loaded.rows)),
                "blocked": .integer(Int64(loaded.blocked)), "identified": .integer(Int64(loaded.identified)),
                "incremental": .bool(loaded.isIncremental),
            ]
        case .failure(let failure):
            json = ["code": .integer(Int64(failure.code.rawValue)), "problem": .string(failure.description)]
        }
        if let cancellation {
            json["cancelled"] = .object([
                "domain": .string(cancellation.domain), "code": .integer(cancellation.code),
                "text": .string(cancellation.text),
            ])
        }
        json["seconds"] = .real(elapsed.seconds)
        return json
    }
}
