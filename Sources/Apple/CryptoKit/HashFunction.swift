import BelfryCrypto
@_exported public import Foundation

/// The result of a hash function: bytes. The time of a comparison does not depend on where they differ. Source: Apple,
/// `Digest`.
public protocol Digest: ContiguousBytes, CustomStringConvertible, Hashable, Sendable, Sequence where Element == UInt8 {
    /// How many bytes it has.
    static var byteCount: Int { get }
}

extension Digest {
    var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe [UInt8]($0) } }

    /// Its bytes, one after another.
    public func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }

    /// The name of the function, and the bytes in hexadecimal digits.
    public var description: String {
        let name = "\(Self.self)".replacingOccurrences(of: "Digest", with: "")
        return "\(name) digest: \(bytes.map { String(format: "%02x", $0) }.joined())"
    }

    /// Whether both have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { isSame(left.bytes, right.bytes) }

    /// Whether it has the bytes of `right`.
    public static func == <Bytes: DataProtocol>(left: Self, right: Bytes) -> Bool { isSame(left.bytes, Array(right)) }

    /// Whether it has other bytes than `right`.
    public static func != <Bytes: DataProtocol>(left: Self, right: Bytes) -> Bool { !(left == right) }

    /// Hashes its bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

/// Whether both are the same bytes; the time it takes depends only on their number.
func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}

/// A hash function at work. Source: Apple, `HashFunction`.
public protocol HashFunction: Sendable {
    /// Its digest.
    associatedtype Digest: CryptoKit.Digest
    /// How many bytes it works on at once.
    static var blockByteCount: Int { get }
    /// How many bytes its digest has.
    static var byteCount: Int { get }

    /// Nothing yet.
    init()

    /// Goes on with bytes.
    mutating func update(bufferPointer: UnsafeRawBufferPointer)

    /// The digest of all bytes so far; more may follow.
    func finalize() -> Digest
}

extension HashFunction {
    /// How many bytes its digest has.
    public static var byteCount: Int { Digest.byteCount }

    /// The digest of `data`.
    public static func hash<Bytes: DataProtocol>(data: Bytes) -> Digest {
        var function = Self()
        function.update(data: data)
        return function.finalize()
    }

    /// The digest of bytes.
    public static func hash(bufferPointer: UnsafeRawBufferPointer) -> Digest {
        var function = Self()
        unsafe function.update(bufferPointer: bufferPointer)
        return function.finalize()
    }

    /// Goes on with `data`.
    public mutating func update<Bytes: DataProtocol>(data: Bytes) {
        for region in data.regions { unsafe region.withUnsafeBytes { unsafe update(bufferPointer: $0) } }
    }
}

/// A digest in the making; changes to a copy do not affect it.
struct Hashing: Sendable {
    private var state: DigestState

    init(_ hash: HashName) { state = DigestState(hash) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&state) { state = DigestState(copying: state) }
        unsafe state.update(bytes)
    }

    func digest() -> [UInt8] { state.digest() }
}
