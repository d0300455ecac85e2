/// A JSON value, with integers and reals kept apart as they were written.
public indirect enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction or exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number; always finite.
    case real(Double)
    /// A string; may hold NUL.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object in the order it was written.
    case object(JSONObject)
}
