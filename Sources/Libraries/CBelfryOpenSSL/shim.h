#pragma once
// What OpenSSL has as macros, which Swift cannot call.
#include <malloc.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/// TLS 1.2 or later, no session that could be resumed, buffers that are given back while nothing comes, and no going on
/// by itself after a record without data, which would go on for as long as a peer sends them.
static inline int copenssl_prepare(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_max_cert_list(context, 16 << 10);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 && SSL_CTX_set_num_tickets(context, 0) == 1;
}

/// Has `tls` accept a server's certificate only if it names `host`, an address or a name; 1 if that worked.
static inline int copenssl_expect_host(SSL *tls, const char *host) {
    X509_VERIFY_PARAM *wanted = SSL_get0_param(tls);
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, host) == 1)
        return 1;
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    return X509_VERIFY_PARAM_set1_host(wanted, host, 0) == 1 && SSL_set_tlsext_host_name(tls, host) == 1;
}

static inline void copenssl_set_message_context(SSL *tls, void *context) { SSL_set_msg_callback_arg(tls, context); }

static inline long copenssl_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

static inline void copenssl_no_configuration(X509V3_CTX *context) { X509V3_set_ctx_nodb(context); }

/// The public key of P-256 at `point`; the parameters keep pointers to their names, which Swift's texts are not.
static inline EVP_PKEY *copenssl_public_key(const unsigned char *point, size_t count) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"prime256v1", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, count),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (!context || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

static inline void copenssl_free(void *memory) { OPENSSL_free(memory); }

/// No passphrase is ever asked for at a terminal.
static inline int copenssl_no_passphrase(char *room, int size, int is_writing, void *context) {
    (void)room, (void)size, (void)is_writing, (void)context;
    return -1;
}

static inline EVP_PKEY *copenssl_read_key(BIO *bio) {
    return PEM_read_bio_PrivateKey(bio, NULL, copenssl_no_passphrase, NULL);
}

static inline X509 *copenssl_read_certificate(BIO *bio) {
    return PEM_read_bio_X509(bio, NULL, copenssl_no_passphrase, NULL);
}

/// The certificate in the PKCS #12 file `bytes`: that of its key, or the first that signs no others. NULL if there is
/// none; `*is_locked` says if the passphrase is another one.
static inline X509 *copenssl_read_pkcs12(const unsigned char *bytes, long count, const char *passphrase,
                                         int *is_locked) {
    *is_locked = 0;
    PKCS12 *file = d2i_PKCS12(NULL, &bytes, count);
    const ASN1_INTEGER *rounds = NULL;
    if (file)
        PKCS12_get0_mac(NULL, NULL, NULL, &rounds, file);
    // A file may ask for so many that nothing ends.
    if (!file || (rounds && (ASN1_INTEGER_get(rounds) < 0 || ASN1_INTEGER_get(rounds) > 10000000))) {
        PKCS12_free(file);
        return NULL;
    }
    // Key chains write RC2, which OpenSSL has among what is outdated alone.
    OSSL_PROVIDER *outdated = OSSL_PROVIDER_try_load(NULL, "legacy", 1);
    X509 *certificate = NULL;
    EVP_PKEY *key = NULL;
    STACK_OF(X509) *others = NULL;
    if (PKCS12_parse(file, passphrase, &key, &certificate, &others) != 1) {
        unsigned long code = ERR_peek_last_error();
        *is_locked = ERR_GET_LIB(code) == ERR_LIB_PKCS12 && ERR_GET_REASON(code) == PKCS12_R_MAC_VERIFY_FAILURE;
    }
    for (int index = 0; !certificate && index < sk_X509_num(others); index++) {
        X509 *other = sk_X509_value(others, index);
        if (X509_check_ca(other) == 0 && X509_up_ref(other) == 1)
            certificate = other;
    }
    sk_X509_pop_free(others, X509_free);
    EVP_PKEY_free(key);
    PKCS12_free(file);
    OSSL_PROVIDER_unload(outdated);
    return certificate;
}

static inline int copenssl_write_key(BIO *bio, EVP_PKEY *key) {
    return PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
}
