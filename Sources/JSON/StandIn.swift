// Stands in until the real reader lands; the commit that brings it removes this file.
public struct JSONError: Error {}
extension JSONValue {
    public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue { throw JSONError() }
    public func serialized() -> [UInt8] { [] }
}
