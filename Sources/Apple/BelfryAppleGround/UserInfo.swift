package import BelfryJSON
import BelfryTerms

/// The values of `userInfo` as iOS hands them out: numbers and truth values as NSNumber, null as NSNull, containers
/// as Swift's.
///
/// A Swift number in an `Any` casts only to its own type, so that `as? Int32` of an `Int` is nil here; an NSNumber
/// casts to any of them. A developer's values are boxed when they are set.
package struct UserInfo {
    package let values: [AnyHashable: Any]
    /// The payload as it came; nil for a developer's values.
    private let payload: JSONObject?

    /// The values of `payload`, which ``json`` gives back exactly.
    package init(_ payload: JSONObject) {
        self.payload = payload
        values = Self.dictionary(payload)
    }

    /// The developer's values.
    package init(_ values: [AnyHashable: Any]) {
        payload = nil
        self.values = values.mapValues(Self.boxed)
    }

    /// The values as JSON, keys in order; without values that JSON cannot express.
    package var json: JSONObject { payload ?? Self.object(values) }
}

extension UserInfo: Equatable {
    package static func == (left: UserInfo, right: UserInfo) -> Bool {
        NSDictionary(dictionary: left.values).isEqual(to: right.values)
    }
}

extension UserInfo {
    /// `value` as it comes out of a property list or of JSON on iOS.
    package static func boxed(_ value: Any) -> Any {
        switch value {
        case let number as NSNumber: number
        case let text as String: text
        case let dictionary as [String: Any]: dictionary.mapValues(boxed)
        case let dictionary as [AnyHashable: Any]: dictionary.mapValues(boxed)
        case let array as [Any]: array.map(boxed)
        default: value
        }
    }

    private static func dictionary(_ object: JSONObject) -> [String: Any] {
        // Swift takes some keys for equal although their bytes differ: the last one counts, as in Foundation.
        Dictionary(object.members.map { ($0.key, value(of: $0.value)) }, uniquingKeysWith: { $1 })
    }

    private static func value(of json: JSONValue) -> Any {
        switch json {
        case .null: NSNull()
        case .bool(let flag): NSNumber(value: flag)
        case .integer(let number): NSNumber(value: number)
        case .unsigned(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .string(let text): text
        case .array(let elements): elements.map(value)
        case .object(let object): dictionary(object)
        }
    }

    private static func object(_ values: [AnyHashable: Any]) -> JSONObject {
        var object = JSONObject()
        let members = values.compactMap { key, value in (key.base as? String).map { ($0, value) } }
        for (key, value) in members.sorted(by: { $0.0 < $1.0 }) { object[key] = json(of: value) }
        return object
    }

    private static func json(of value: Any) -> JSONValue? {
        switch value {
        case is NSNull: return .null
        case let number as NSNumber: return json(ofNumber: number)
        case let text as String: return .string(text)
        case let dictionary as [AnyHashable: Any]: return .object(object(dictionary))
        case let array as [Any]: return .array(array.compactMap(json))
        default:
            // A date or data, which iOS would keep.
            KeeperDoor.warn(.unsupported, "\(type(of: value)) in userInfo, which is left out")
            return nil
        }
    }

    private static func json(ofNumber number: NSNumber) -> JSONValue {
        switch number.kind {
        case .bool(let flag): .bool(flag)
        case .integer(let number): .integer(number)
        case .unsigned(let number): .unsigned(number)
        case .real(let number): .real(number)
        }
    }
}

extension NSNumber {
    /// The type that a number was made from.
    enum Kind {
        case bool(Bool)
        case integer(Int64)
        /// Above `Int64.max`.
        case unsigned(UInt64)
        case real(Double)
    }

    /// The type that the number was made from.
    var kind: Kind {
        // Foundation has one object for each truth value, so identity separates them from the numbers 1 and 0.
        if self === NSNumber(value: true) { return .bool(true) }
        if self === NSNumber(value: false) { return .bool(false) }
        switch unsafe UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return .real(doubleValue)
        case UInt8(ascii: "Q"): return Int64(exactly: uint64Value).map { .integer($0) } ?? .unsigned(uint64Value)
        default: return .integer(int64Value)
        }
    }
}
