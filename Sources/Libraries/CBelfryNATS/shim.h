#pragma once
// libnats, and the TLS below it. Over plain connections libnats 3.4 never blocks an event loop; over TLS it does: it
// waits, without end, for the rest of a record, for room to write one, and for a handshake; and where the first PONG
// does not come in time it reads on for ever, into a buffer that grows. So the bytes of its TLS go through a BIO of
// ours, which waits until a deadline while the connection is made and never afterwards, and which knows no error of
// reading but the end.
#include <errno.h>
#include <nats/nats.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/// What one connection of libnats shares with its line. It must outlive the connection.
typedef struct {
    /// The epoll that the line listens to.
    int poll;
    /// The connection's socket while it is attached, else -1.
    int socket;
    /// The socket below its TLS.
    int stream;
    /// What the epoll waits for, guarded by libnats' lock of the connection.
    unsigned events;
    /// When connecting has to be over, in milliseconds of CLOCK_MONOTONIC.
    long long deadline;
    /// Whether the broker's TLS ended, or took too long; whether it broke.
    int is_ended, is_broken;
    /// Whether libnats would leave out the signature.
    int is_unlucky;
    const BIO_METHOD *method;
    char *host, *jwt;
    unsigned char key[32];
} cnats_door;

static inline long long cnats_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static inline cnats_door *cnats_door_new(int poll, const BIO_METHOD *method, const char *host, const char *jwt,
                                         const unsigned char *key) {
    cnats_door *door = (cnats_door *)calloc(1, sizeof *door);
    if (!door)
        return NULL;
    door->poll = poll;
    door->socket = door->stream = -1;
    door->method = method;
    door->host = strdup(host);
    door->jwt = strdup(jwt);
    memcpy(door->key, key, sizeof door->key);
    return door;
}

/// The key is needed while the connection is made, and not kept longer.
static inline void cnats_door_forget_key(cnats_door *door) { OPENSSL_cleanse(door->key, sizeof door->key); }

static inline void cnats_door_free(cnats_door *door) {
    cnats_door_forget_key(door);
    free(door->host);
    free(door->jwt);
    free(door);
}

// What libnats calls of its event loop, from threads of its own too: no more than epoll_ctl(2).

static inline natsStatus cnats_attach(void **data, void *loop, natsConnection *connection, natsSock socket) {
    (void)connection;
    cnats_door *door = (cnats_door *)loop;
    struct epoll_event event = {.events = EPOLLIN};
    *data = door;
    door->events = EPOLLIN;
    if (epoll_ctl(door->poll, EPOLL_CTL_ADD, socket, &event) != 0)
        return NATS_SYS_ERROR;
    door->socket = socket;
    return NATS_OK;
}

static inline natsStatus cnats_wait_for(cnats_door *door, unsigned events, bool is_wanted) {
    door->events = is_wanted ? door->events | events : door->events & ~events;
    struct epoll_event event = {.events = door->events};
    return epoll_ctl(door->poll, EPOLL_CTL_MOD, door->socket, &event) == 0 ? NATS_OK : NATS_SYS_ERROR;
}

static inline natsStatus cnats_wait_to_read(void *data, bool is_wanted) {
    return cnats_wait_for((cnats_door *)data, EPOLLIN, is_wanted);
}

static inline natsStatus cnats_wait_to_write(void *data, bool is_wanted) {
    return cnats_wait_for((cnats_door *)data, EPOLLOUT, is_wanted);
}

static inline natsStatus cnats_detach(void *data) {
    ((cnats_door *)data)->socket = -1;
    return NATS_OK;
}

/// Has `poll` wait for the eventfd of messages as well; -1 if it cannot.
static inline int cnats_wait_for_messages(int poll, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = 1}};
    return epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event);
}

/// What the socket of `door` is ready for; 0 if nothing.
static inline unsigned cnats_ready(const cnats_door *door) {
    struct epoll_event events[2];
    int count = epoll_wait(door->poll, events, 2, 0);
    for (int index = 0; index < count; index++)
        if (events[index].data.u64 == 0)
            return events[index].events;
    return 0;
}

// Who the line is.

static inline natsStatus cnats_say_jwt(char **jwt, char **error, void *data) {
    (void)error;
    *jwt = strdup(((cnats_door *)data)->jwt);
    return *jwt ? NATS_OK : NATS_NO_MEMORY;
}

/// A signature that begins with a zero, one of 256, libnats takes for an empty text and leaves out, which the broker
/// refuses as a wrong one. It depends on the broker's nonce, which is another one with each connection.
static inline natsStatus cnats_sign(char **error, unsigned char **signature, int *count, const char *nonce,
                                    void *data) {
    (void)error;
    cnats_door *door = (cnats_door *)data;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, door->key, sizeof door->key);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t size = 64;
    *signature = (unsigned char *)malloc(size);
    int is_signed = key && context && *signature && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
                    EVP_DigestSign(context, *signature, &size, (const unsigned char *)nonce, strlen(nonce)) == 1;
    *count = (int)size;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    door->is_unlucky = is_signed && (*signature)[0] == 0;
    if (is_signed && !door->is_unlucky)
        return NATS_OK;
    free(*signature);
    *signature = NULL;
    return NATS_ERR;
}

// The bytes below TLS.

/// Whether `socket` became ready for `events` before connecting has to be over.
static inline int cnats_wait(int socket, short events, long long deadline) {
    struct pollfd entry = {.fd = socket, .events = events};
    for (;;) {
        long long left = deadline - cnats_milliseconds();
        if (left <= 0)
            return 0;
        int result = poll(&entry, 1, (int)left);
        if (result > 0 || (result < 0 && errno != EINTR))
            return result > 0;
    }
}

static inline int cnats_bio_read(BIO *bio, char *room, int size) {
    cnats_door *door = (cnats_door *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    for (;;) {
        ssize_t count = recv(door->stream, room, (size_t)size, MSG_DONTWAIT);
        if (count > 0)
            return (int)count;
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN) {
            // Without the flag to try again: OpenSSL keeps what it has of a record, and libnats, which looks at errno,
            // comes back when there is more.
            if (door->socket >= 0)
                return -1;
            if (cnats_wait(door->stream, POLLIN, door->deadline))
                continue;
        }
        door->is_ended = 1;
        return 0;
    }
}

static inline int cnats_bio_write(BIO *bio, const char *bytes, int count) {
    cnats_door *door = (cnats_door *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    for (;;) {
        ssize_t taken = send(door->stream, bytes, (size_t)count, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (taken > 0)
            return (int)taken;
        if (taken < 0 && errno == EINTR)
            continue;
        if (taken < 0 && errno == EAGAIN) {
            if (door->socket >= 0)
                return -1;
            if (cnats_wait(door->stream, POLLOUT, door->deadline))
                continue;
            errno = ETIMEDOUT;
        }
        door->is_ended = 1;
        return -1;
    }
}

static inline long cnats_bio_control(BIO *bio, int command, long number, void *pointer) {
    (void)number, (void)pointer;
    switch (command) {
    case BIO_CTRL_EOF: return ((cnats_door *)BIO_get_data(bio))->is_ended;
    case BIO_CTRL_FLUSH: return 1;
    default: return 0;
    }
}

static inline const BIO_METHOD *cnats_bio_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "line");
    if (!method || BIO_meth_set_read(method, cnats_bio_read) != 1 || BIO_meth_set_write(method, cnats_bio_write) != 1 ||
        BIO_meth_set_ctrl(method, cnats_bio_control) != 1)
        return NULL;
    return method;
}

/// OpenSSL's news of a connection: it begins to speak, or something broke.
static inline void cnats_tls_news(const SSL *state, int kind, int value) {
    SSL *tls = (SSL *)state;
    cnats_door *door = (cnats_door *)SSL_CTX_get_app_data(SSL_get_SSL_CTX(tls));
    if ((kind & SSL_CB_ALERT) && (value >> 8) == SSL3_AL_FATAL)
        door->is_broken = 1;
    if (kind != SSL_CB_HANDSHAKE_START || door->socket >= 0 || BIO_method_type(SSL_get_rbio(tls)) != BIO_TYPE_SOCKET)
        return;
    BIO *bio = BIO_new(door->method);
    if (!bio)
        return;
    door->stream = SSL_get_fd(tls);
    BIO_set_data(bio, door);
    BIO_set_init(bio, 1);
    SSL_set_bio(tls, bio, bio);
    // libnats has OpenSSL look for each host among the names, where an address never is.
    X509_VERIFY_PARAM *wanted = SSL_get0_param(tls);
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, door->host) == 1)
        X509_VERIFY_PARAM_set1_host(wanted, NULL, 0);
}

/// Where the context that libnats makes for its options is found, since it gives out none: OpenSSL tells of each.
typedef struct {
    pthread_t thread;
    SSL_CTX *made;
} cnats_catch;

static inline void cnats_context_made(void *made, void *pointer, CRYPTO_EX_DATA *data, int index, long number,
                                      void *caught) {
    (void)pointer, (void)data, (void)index, (void)number;
    cnats_catch *here = (cnats_catch *)caught;
    if (pthread_equal(__atomic_load_n(&here->thread, __ATOMIC_RELAXED), pthread_self()))
        here->made = (SSL_CTX *)made;
}

static inline cnats_catch *cnats_catch_new(void) {
    cnats_catch *caught = (cnats_catch *)calloc(1, sizeof *caught);
    if (!caught || SSL_CTX_get_ex_new_index(0, caught, cnats_context_made, NULL, NULL) < 0)
        return NULL;
    return caught;
}

/// Has `options` use TLS, and gives its context; one thread at a time.
static inline SSL_CTX *cnats_secure(natsOptions *options, cnats_catch *caught) {
    caught->made = NULL;
    __atomic_store_n(&caught->thread, pthread_self(), __ATOMIC_RELAXED);
    natsStatus status = natsOptions_SetSecure(options, true);
    return status == NATS_OK ? caught->made : NULL;
}

/// Prepares `context` for the connection of `door`: it trusts the authorities in `text` alone, where libnats has those
/// of the system as well. 1 if that worked.
static inline int cnats_prepare(SSL_CTX *context, cnats_door *door, const char *text, int count) {
    X509_STORE *store = X509_STORE_new();
    BIO *bio = BIO_new_mem_buf(text, count);
    int trusted = 0;
    X509 *certificate;
    while (store && bio && (certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
        trusted += X509_STORE_add_cert(store, certificate) == 1;
        X509_free(certificate);
    }
    BIO_free(bio);
    ERR_clear_error();
    if (trusted == 0) {
        X509_STORE_free(store);
        return 0;
    }
    SSL_CTX_set_cert_store(context, store);
    // libnats has OpenSSL go on by itself after a record without data, and that stays so: otherwise it would have
    // libnats wait.
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_app_data(context, (char *)door);
    SSL_CTX_set_info_callback(context, cnats_tls_news);
    return 1;
}
