import BelfryCrypto
@_exported public import Foundation

/// A number of bytes.
public typealias CC_LONG = UInt32

/// Bytes of an MD5.
public let CC_MD5_DIGEST_LENGTH: Int32 = 16
/// Bytes of a SHA-1.
public let CC_SHA1_DIGEST_LENGTH: Int32 = 20
/// Bytes of a SHA-256.
public let CC_SHA256_DIGEST_LENGTH: Int32 = 32
/// Bytes of a SHA-384.
public let CC_SHA384_DIGEST_LENGTH: Int32 = 48
/// Bytes of a SHA-512.
public let CC_SHA512_DIGEST_LENGTH: Int32 = 64

/// The MD5 of `len` bytes at `data`, written to `md`, which is returned.
@discardableResult
public func CC_MD5(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(.md5, data, len, md) }

/// The SHA-1 of `len` bytes at `data`, written to `md`, which is returned.
@discardableResult
public func CC_SHA1(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(.sha1, data, len, md) }

/// The SHA-256 of `len` bytes at `data`, written to `md`, which is returned.
@discardableResult
public func CC_SHA256(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(.sha256, data, len, md) }

/// The SHA-384 of `len` bytes at `data`, written to `md`, which is returned.
@discardableResult
public func CC_SHA384(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(.sha384, data, len, md) }

/// The SHA-512 of `len` bytes at `data`, written to `md`, which is returned.
@discardableResult
public func CC_SHA512(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(.sha512, data, len, md) }

private func digest(
    _ hash: HashName, _ data: UnsafeRawPointer?, _ count: CC_LONG, _ target: UnsafeMutablePointer<UInt8>?
) -> UnsafeMutablePointer<UInt8>? {
    let state = DigestState(hash)
    unsafe state.update(UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : Int(count)))
    unsafe target?.update(from: state.digest(), count: hash.digestBytes)
    return unsafe target
}

/// Which hash function an authentication code is made by.
public typealias CCHmacAlgorithm = UInt32
/// SHA-1.
public let kCCHmacAlgSHA1 = 0
/// MD5.
public let kCCHmacAlgMD5 = 1
/// SHA-256.
public let kCCHmacAlgSHA256 = 2
/// SHA-384.
public let kCCHmacAlgSHA384 = 3
/// SHA-512.
public let kCCHmacAlgSHA512 = 4

/// The authentication code of `dataLength` bytes at `data` by a key, written to `macOut` (RFC 2104).
public func CCHmac(
    _ algorithm: CCHmacAlgorithm, _ key: UnsafeRawPointer!, _ keyLength: Int, _ data: UnsafeRawPointer!,
    _ dataLength: Int, _ macOut: UnsafeMutableRawPointer!
) {
    let hashes: [HashName] = [.sha1, .md5, .sha256, .sha384, .sha512]
    guard hashes.indices.contains(Int(algorithm)) else { return }
    let code = KeyedDigest(hashes[Int(algorithm)], key: unsafe bytes(key, keyLength))
    code.update(unsafe bytes(data, dataLength))
    unsafe macOut?.copyMemory(from: code.code(), byteCount: hashes[Int(algorithm)].digestBytes)
}

/// `count` bytes at `pointer`; none at nil.
func bytes(_ pointer: UnsafeRawPointer?, _ count: Int) -> [UInt8] {
    guard let pointer = unsafe pointer, count > 0 else { return [] }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: pointer, count: count))
}
