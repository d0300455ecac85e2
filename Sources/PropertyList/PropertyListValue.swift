/// A property list value, its types kept apart as the file keeps them.
public indirect enum PropertyListValue: Hashable, Sendable {
    /// `<true/>` or `<false/>`.
    case bool(Bool)
    /// An integer that fits 64 bits with a sign.
    case integer(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    /// A real.
    case real(Double)
    /// A string.
    case string(String)
    /// A date, in seconds since 2001-01-01 UTC as a property list counts.
    case date(Double)
    /// Bytes.
    case data([UInt8])
    /// A keyed archive's reference, which only binary property lists have.
    case uid(UInt64)
    /// An array.
    case array([PropertyListValue])
    /// A dictionary in the order it was read.
    case dictionary(PropertyListDictionary)
}
