public import BelfryJSON
public import FoundationEssentials

extension JSONObject {
    /// The object as a value of `type`: of a content's `userInfo` what your server has put into the payload.
    ///
    /// Throws what `decoder` throws.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, using decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: Data(serialized()))
    }
}
