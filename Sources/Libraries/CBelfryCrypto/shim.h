#pragma once
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>

// libcrypto's calls as its own headers type them, for whoever opens the library himself. Nothing here refers to a
// symbol of the library, so nothing is linked.
struct ccrypto_calls {
    __typeof__(&EVP_MD_fetch) md_fetch;
    __typeof__(&EVP_MD_CTX_new) md_new;
    __typeof__(&EVP_MD_CTX_free) md_free;
    __typeof__(&EVP_MD_CTX_copy_ex) md_copy;
    __typeof__(&EVP_DigestInit_ex) md_init;
    __typeof__(&EVP_DigestUpdate) md_update;
    __typeof__(&EVP_DigestFinal_ex) md_final;
    __typeof__(&PKCS5_PBKDF2_HMAC) pbkdf2;

    __typeof__(&EVP_CIPHER_fetch) cipher_fetch;
    __typeof__(&EVP_CIPHER_free) cipher_forget;
    __typeof__(&EVP_CIPHER_CTX_new) cipher_new;
    __typeof__(&EVP_CIPHER_CTX_free) cipher_free;
    __typeof__(&EVP_CipherInit_ex) cipher_init;
    __typeof__(&EVP_CIPHER_CTX_ctrl) cipher_ctrl;
    __typeof__(&EVP_CIPHER_CTX_set_padding) cipher_set_padding;
    __typeof__(&EVP_CipherUpdate) cipher_update;
    __typeof__(&EVP_CipherFinal_ex) cipher_final;

    __typeof__(&BN_new) bn_new;
    __typeof__(&BN_clear_free) bn_free;
    __typeof__(&BN_bin2bn) bn_read;
    __typeof__(&BN_bn2binpad) bn_write;
    __typeof__(&BN_cmp) bn_compare;
    __typeof__(&BN_is_zero) bn_is_zero;

    __typeof__(&EC_GROUP_new_by_curve_name) group_new;
    __typeof__(&EC_GROUP_free) group_free;
    __typeof__(&EC_GROUP_get0_order) group_order;
    __typeof__(&EC_POINT_new) point_new;
    __typeof__(&EC_POINT_clear_free) point_free;
    __typeof__(&EC_POINT_oct2point) point_read;
    __typeof__(&EC_POINT_point2oct) point_write;
    __typeof__(&EC_POINT_mul) point_multiply;
    __typeof__(&EC_POINT_get_affine_coordinates) point_coordinates;

    __typeof__(&EVP_PKEY_new_raw_private_key) key_of_private;
    __typeof__(&EVP_PKEY_new_raw_public_key) key_of_public;
    __typeof__(&EVP_PKEY_get_raw_public_key) key_public;
    __typeof__(&EVP_PKEY_free) key_free;
    __typeof__(&EVP_PKEY_CTX_new) agreement_new;
    __typeof__(&EVP_PKEY_CTX_free) agreement_free;
    __typeof__(&EVP_PKEY_derive_init) agreement_init;
    __typeof__(&EVP_PKEY_derive_set_peer) agreement_set_peer;
    __typeof__(&EVP_PKEY_derive) agreement_derive;
    __typeof__(&EVP_DigestSignInit) sign_init;
    __typeof__(&EVP_DigestSign) sign;
    __typeof__(&EVP_DigestVerifyInit) verify_init;
    __typeof__(&EVP_DigestVerify) verify;
};
