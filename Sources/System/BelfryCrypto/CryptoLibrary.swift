import BelfrySyscalls
import CBelfryCrypto

/// libcrypto, opened on first use: linking it would add the time to load it to every start.
@safe
enum CryptoLibrary {
    /// Its calls.
    static let calls: ccrypto_calls = {
        do throws(SystemError) {
            return try opened()
        } catch {
            preconditionFailure("cryptography needs libcrypto.so.3, which cannot be opened: \(error); install libssl3")
        }
    }()

    private static func opened() throws(SystemError) -> ccrypto_calls {
        let library = try DynamicLibrary("libcrypto.so.3")
        var calls = ccrypto_calls()
        try fillDigests(&calls, library)
        try fillCiphers(&calls, library)
        try fillCurves(&calls, library)
        try fillKeys(&calls, library)
        return calls
    }

    private static func fillDigests(_ calls: inout ccrypto_calls, _ library: DynamicLibrary) throws(SystemError) {
        unsafe calls.md_fetch = try library.function("EVP_MD_fetch")
        unsafe calls.md_new = try library.function("EVP_MD_CTX_new")
        unsafe calls.md_free = try library.function("EVP_MD_CTX_free")
        unsafe calls.md_copy = try library.function("EVP_MD_CTX_copy_ex")
        unsafe calls.md_init = try library.function("EVP_DigestInit_ex")
        unsafe calls.md_update = try library.function("EVP_DigestUpdate")
        unsafe calls.md_final = try library.function("EVP_DigestFinal_ex")
        unsafe calls.pbkdf2 = try library.function("PKCS5_PBKDF2_HMAC")
    }

    private static func fillCiphers(_ calls: inout ccrypto_calls, _ library: DynamicLibrary) throws(SystemError) {
        unsafe calls.cipher_fetch = try library.function("EVP_CIPHER_fetch")
        unsafe calls.cipher_forget = try library.function("EVP_CIPHER_free")
        unsafe calls.cipher_new = try library.function("EVP_CIPHER_CTX_new")
        unsafe calls.cipher_free = try library.function("EVP_CIPHER_CTX_free")
        unsafe calls.cipher_init = try library.function("EVP_CipherInit_ex")
        unsafe calls.cipher_ctrl = try library.function("EVP_CIPHER_CTX_ctrl")
        unsafe calls.cipher_set_padding = try library.function("EVP_CIPHER_CTX_set_padding")
        unsafe calls.cipher_update = try library.function("EVP_CipherUpdate")
        unsafe calls.cipher_final = try library.function("EVP_CipherFinal_ex")
    }

    private static func fillCurves(_ calls: inout ccrypto_calls, _ library: DynamicLibrary) throws(SystemError) {
        unsafe calls.bn_new = try library.function("BN_new")
        unsafe calls.bn_free = try library.function("BN_clear_free")
        unsafe calls.bn_read = try library.function("BN_bin2bn")
        unsafe calls.bn_write = try library.function("BN_bn2binpad")
        unsafe calls.bn_compare = try library.function("BN_cmp")
        unsafe calls.bn_is_zero = try library.function("BN_is_zero")
        unsafe calls.group_new = try library.function("EC_GROUP_new_by_curve_name")
        unsafe calls.group_free = try library.function("EC_GROUP_free")
        unsafe calls.group_order = try library.function("EC_GROUP_get0_order")
        unsafe calls.point_new = try library.function("EC_POINT_new")
        unsafe calls.point_free = try library.function("EC_POINT_clear_free")
        unsafe calls.point_read = try library.function("EC_POINT_oct2point")
        unsafe calls.point_write = try library.function("EC_POINT_point2oct")
        unsafe calls.point_multiply = try library.function("EC_POINT_mul")
        unsafe calls.point_coordinates = try library.function("EC_POINT_get_affine_coordinates")
    }

    private static func fillKeys(_ calls: inout ccrypto_calls, _ library: DynamicLibrary) throws(SystemError) {
        unsafe calls.key_of_private = try library.function("EVP_PKEY_new_raw_private_key")
        unsafe calls.key_of_public = try library.function("EVP_PKEY_new_raw_public_key")
        unsafe calls.key_public = try library.function("EVP_PKEY_get_raw_public_key")
        unsafe calls.key_free = try library.function("EVP_PKEY_free")
        unsafe calls.agreement_new = try library.function("EVP_PKEY_CTX_new")
        unsafe calls.agreement_free = try library.function("EVP_PKEY_CTX_free")
        unsafe calls.agreement_init = try library.function("EVP_PKEY_derive_init")
        unsafe calls.agreement_set_peer = try library.function("EVP_PKEY_derive_set_peer")
        unsafe calls.agreement_derive = try library.function("EVP_PKEY_derive")
        unsafe calls.sign_init = try library.function("EVP_DigestSignInit")
        unsafe calls.sign = try library.function("EVP_DigestSign")
        unsafe calls.verify_init = try library.function("EVP_DigestVerifyInit")
        unsafe calls.verify = try library.function("EVP_DigestVerify")
    }
}

/// Why a cryptographic operation failed.
public enum CryptoFailure: Error, Hashable, Sendable {
    /// A key, nonce, point or length that is not valid.
    case invalidInput
    /// The message is not the one that was sealed, or was sealed with another key.
    case notAuthentic
    /// The library failed.
    case library
}
