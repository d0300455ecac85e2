import CBelfryCrypto

/// The curves of NIST (SP 800-186) on which two sides agree on a secret.
public enum PrimeCurve: Hashable, Sendable {
    /// P-256.
    case p256
    /// P-384.
    case p384
    /// P-521.
    case p521

    /// Bytes of a coordinate, and of a private key.
    public var fieldBytes: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    private var number: Int32 {
        switch self {
        case .p256: NID_X9_62_prime256v1
        case .p384: NID_secp384r1
        case .p521: NID_secp521r1
        }
    }

    /// A new private key.
    public func makePrivateKey() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        while true {
            var key = (0..<fieldBytes).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // The order of P-521 has 521 bits.
            if self == .p521 { key[0] &= 1 }
            if (try? publicKey(of: key)) != nil { return key }
        }
    }

    /// The public key of `key`: 4, and both coordinates (SEC 1, 2.3.3). Throws if `key` is not a private key.
    public func publicKey(of key: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let numbers = try Numbers(number)
        let scalar = unsafe try numbers.scalar(key, bytes: fieldBytes)
        let point = try unsafe numbers.makePoint()
        guard unsafe numbers.calls.point_multiply(numbers.group, point, scalar, nil, nil, nil) == 1 else {
            throw .library
        }
        return try unsafe numbers.bytes(of: point, isCompressed: false)
    }

    /// The point in any of its spellings (SEC 1, 2.3.4) as 4 and both coordinates, or as 2 or 3 and the first. Throws
    /// if it is not a point of the curve.
    public func point(_ bytes: [UInt8], isCompressed: Bool = false) throws(CryptoFailure) -> [UInt8] {
        let numbers = try Numbers(number)
        return try unsafe numbers.bytes(of: try numbers.point(bytes), isCompressed: isCompressed)
    }

    /// The secret that only the holders of `key` and of the private key of `point` know: the first coordinate of their
    /// product.
    public func sharedSecret(_ key: [UInt8], with point: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let numbers = try Numbers(number)
        let scalar = try unsafe numbers.scalar(key, bytes: fieldBytes)
        let peer = try unsafe numbers.point(point)
        let product = try unsafe numbers.makePoint()
        let x = try unsafe numbers.makeNumber()
        guard unsafe numbers.calls.point_multiply(numbers.group, product, nil, peer, scalar, nil) == 1,
            unsafe numbers.calls.point_coordinates(numbers.group, product, x, nil, nil) == 1
        else { throw .invalidInput }
        var secret = [UInt8](repeating: 0, count: fieldBytes)
        guard unsafe numbers.calls.bn_write(x, &secret, Int32(fieldBytes)) == Int32(fieldBytes) else { throw .library }
        return secret
    }
}

/// Numbers and points of one computation, cleared and given back at its end.
@safe
private final class Numbers {
    let calls = CryptoLibrary.calls
    let group: OpaquePointer
    private var numbers: [OpaquePointer] = unsafe []
    private var points: [OpaquePointer] = unsafe []

    init(_ curve: Int32) throws(CryptoFailure) {
        guard let group = calls.group_new(curve) else { throw .library }
        unsafe self.group = group
    }

    deinit {
        while let number = unsafe numbers.popLast() { unsafe calls.bn_free(number) }
        while let point = unsafe points.popLast() { unsafe calls.point_free(point) }
        unsafe calls.group_free(group)
    }

    func makeNumber() throws(CryptoFailure) -> OpaquePointer {
        guard let number = calls.bn_new() else { throw .library }
        unsafe numbers.append(number)
        return unsafe number
    }

    func makePoint() throws(CryptoFailure) -> OpaquePointer {
        guard let point = unsafe calls.point_new(group) else { throw .library }
        unsafe points.append(point)
        return unsafe point
    }

    /// A private key: at least 1, and below the order of the curve.
    func scalar(_ key: [UInt8], bytes: Int) throws(CryptoFailure) -> OpaquePointer {
        guard key.count == bytes else { throw .invalidInput }
        let number = try unsafe makeNumber()
        guard unsafe calls.bn_read(key, Int32(key.count), number) != nil else { throw .library }
        guard unsafe calls.bn_is_zero(number) == 0, unsafe calls.bn_compare(number, calls.group_order(group)) < 0 else {
            throw .invalidInput
        }
        return unsafe number
    }

    /// A point, which is on the curve and not at infinity.
    func point(_ bytes: [UInt8]) throws(CryptoFailure) -> OpaquePointer {
        let point = try unsafe makePoint()
        guard bytes.count > 1, unsafe calls.point_read(group, point, bytes, bytes.count, nil) == 1 else {
            throw .invalidInput
        }
        return unsafe point
    }

    func bytes(of point: OpaquePointer, isCompressed: Bool) throws(CryptoFailure) -> [UInt8] {
        let form = isCompressed ? POINT_CONVERSION_COMPRESSED : POINT_CONVERSION_UNCOMPRESSED
        var bytes = [UInt8](repeating: 0, count: 1 + 2 * 66)
        let count = unsafe calls.point_write(group, point, form, &bytes, bytes.count, nil)
        guard count > 0 else { throw .library }
        return Array(bytes.prefix(count))
    }
}
