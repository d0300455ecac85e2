import BelfryCrypto

/// The result of a function of this module.
public typealias CCCryptorStatus = Int32
/// All went well.
public let kCCSuccess = 0
/// A parameter is wrong.
public let kCCParamError = -4300
/// There is too little room for the output.
public let kCCBufferTooSmall = -4301
/// The input is no multiple of a block.
public let kCCAlignmentError = -4303
/// The decrypted data cannot be right.
public let kCCDecodeError = -4304
/// Not implemented here.
public let kCCUnimplemented = -4305

/// Whether to encrypt or to decrypt.
public typealias CCOperation = UInt32
/// Encrypts.
public let kCCEncrypt = 0
/// Decrypts.
public let kCCDecrypt = 1

/// Which cipher.
public typealias CCAlgorithm = UInt32
/// AES.
public let kCCAlgorithmAES = 0
/// AES, whose blocks have 128 bits.
public let kCCAlgorithmAES128 = 0

/// How a cipher is used.
public typealias CCOptions = UInt32
/// The last block is filled up (PKCS #7).
public let kCCOptionPKCS7Padding = 1
/// Each block by itself; without it, each is chained to the one before.
public let kCCOptionECBMode = 2

/// Bytes of a key of AES-128.
public let kCCKeySizeAES128 = 16
/// Bytes of a key of AES-192.
public let kCCKeySizeAES192 = 24
/// Bytes of a key of AES-256.
public let kCCKeySizeAES256 = 32
/// Bytes of a block of AES.
public let kCCBlockSizeAES128 = 16

/// Encrypts or decrypts by AES, each block by itself or chained to the one before; writes to `dataOutMoved` how many
/// bytes came out, or need room.
///
/// - Returns: `kCCSuccess`, or the error; `kCCUnimplemented` for another cipher.
@discardableResult
public func CCCrypt(
    _ op: CCOperation, _ alg: CCAlgorithm, _ options: CCOptions, _ key: UnsafeRawPointer!, _ keyLength: Int,
    _ iv: UnsafeRawPointer!, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int, _ dataOut: UnsafeMutableRawPointer!,
    _ dataOutAvailable: Int, _ dataOutMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    guard alg == kCCAlgorithmAES else { return CCCryptorStatus(kCCUnimplemented) }
    guard op <= kCCDecrypt, options <= 3, dataInLength >= 0 else { return CCCryptorStatus(kCCParamError) }
    let encrypts = op == kCCEncrypt
    let pads = options & CCOptions(kCCOptionPKCS7Padding) != 0
    let input = unsafe bytes(dataIn, dataInLength)
    guard input.count % PlainCipher.blockBytes == 0 || encrypts && pads else {
        return CCCryptorStatus(kCCAlignmentError)
    }
    let zeros = [UInt8](repeating: 0, count: PlainCipher.blockBytes)
    let start = unsafe iv == nil ? zeros : bytes(iv, PlainCipher.blockBytes)
    let cipher: PlainCipher = options & CCOptions(kCCOptionECBMode) == 0 ? .cipherBlockChaining : .electronicCodebook
    do throws(CryptoFailure) {
        let output = try cipher.run(
            input, key: unsafe bytes(key, keyLength), start: start, encrypts: encrypts, pads: pads)
        // Before the check: a caller with too little room learns how much it needs.
        unsafe dataOutMoved?.pointee = output.count
        guard output.count <= dataOutAvailable else { return CCCryptorStatus(kCCBufferTooSmall) }
        unsafe dataOut?.copyMemory(from: output, byteCount: output.count)
        return CCCryptorStatus(kCCSuccess)
    } catch {
        return CCCryptorStatus(error == .invalidInput ? kCCParamError : kCCDecodeError)
    }
}

/// How a key is made out of a password.
public typealias CCPBKDFAlgorithm = UInt32
/// PBKDF2 (RFC 8018).
public let kCCPBKDF2 = 2

/// By which hash function.
public typealias CCPseudoRandomAlgorithm = UInt32
/// SHA-1.
public let kCCPRFHmacAlgSHA1 = 1
/// SHA-256.
public let kCCPRFHmacAlgSHA256 = 3
/// SHA-384.
public let kCCPRFHmacAlgSHA384 = 4
/// SHA-512.
public let kCCPRFHmacAlgSHA512 = 5

/// Makes a key out of a password, in `rounds` rounds, written to `derivedKey`.
///
/// - Returns: `kCCSuccess`, or `kCCParamError`.
@discardableResult
public func CCKeyDerivationPBKDF(
    _ algorithm: CCPBKDFAlgorithm, _ password: UnsafePointer<CChar>!, _ passwordLen: Int,
    _ salt: UnsafePointer<UInt8>!, _ saltLen: Int, _ prf: CCPseudoRandomAlgorithm, _ rounds: UInt32,
    _ derivedKey: UnsafeMutablePointer<UInt8>!, _ derivedKeyLen: Int
) -> Int32 {
    let hashes: [Int: HashName] = [
        kCCPRFHmacAlgSHA1: .sha1, kCCPRFHmacAlgSHA256: .sha256, kCCPRFHmacAlgSHA384: .sha384,
        kCCPRFHmacAlgSHA512: .sha512,
    ]
    guard algorithm == kCCPBKDF2, let hash = hashes[Int(prf)],
        let key = passwordKey(
            hash, password: unsafe bytes(password, passwordLen), salt: unsafe bytes(salt, saltLen),
            rounds: Int(rounds), count: derivedKeyLen)
    else { return Int32(kCCParamError) }
    unsafe derivedKey?.update(from: key, count: key.count)
    return Int32(kCCSuccess)
}

/// Writes `count` random bytes.
///
/// - Returns: `kCCSuccess`.
@discardableResult
public func CCRandomGenerateBytes(_ bytes: UnsafeMutableRawPointer!, _ count: Int) -> Int32 {
    var generator = SystemRandomNumberGenerator()
    for index in 0..<max(count, 0) {
        unsafe bytes?.storeBytes(of: UInt8.random(in: 0...255, using: &generator), toByteOffset: index, as: UInt8.self)
    }
    return Int32(kCCSuccess)
}
