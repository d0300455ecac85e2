/// A source of random bytes: there is only one.
public struct SecRandomRef: Sendable {}

/// The source of random bytes.
public let kSecRandomDefault: SecRandomRef? = nil

/// Writes `count` random bytes from the kernel (getrandom(2)).
///
/// - Returns: `errSecSuccess`.
public func SecRandomCopyBytes(_ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 {
    var generator = SystemRandomNumberGenerator()
    for place in 0..<count {
        unsafe bytes.storeBytes(of: UInt8.random(in: 0...255, using: &generator), toByteOffset: place, as: UInt8.self)
    }
    return errSecSuccess
}
