// apns-peer PORT CERTIFICATE KEY FOLDER
//
// An APNs endpoint at the least, on one thread, with the libraries, the queue and the log of belfry-apns: jansson reads
// each payload, which says of what kind it is; the push and what it is known by are written in one transaction for each
// turn of the loop, answered 200 once that is on the disk, noted in the log, and dropped with the next turn, as what
// has expired. It checks no more than that, and hands nothing over. Prints "ready".

#define _GNU_SOURCE
#include "peer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { body_bytes_max = 5120, field_bytes_max = 256, frame_bytes_max = 17 << 10, output_bytes = 64 << 10, id_bytes = 36 };

struct stream {
    int32_t id;
    size_t count;
    bool is_queued, is_gone;
    const char *type;
    char path[field_bytes_max], topic[field_bytes_max], apns_id[id_bytes + 1];
    struct connection *connection;
    struct stream *next;
    uint8_t body[body_bytes_max];
};

struct connection {
    int socket;
    SSL *tls;
    nghttp2_session *session;
    uint8_t *pending;
    size_t pending_count;
    bool is_dead, is_touched;
    struct connection *next;
};

static SSL_CTX *context;
static nghttp2_session_callbacks *callbacks;
static nghttp2_option *options;
static sqlite3 *database;
static sqlite3_stmt *begin, *commit, *add, *note, *drop;
static int poller, log_file;
static char log_text[1 << 20];
static size_t log_count;
static struct stream *batch, **batch_end = &batch;
static struct connection *touched;
static int64_t number, written;
static uint8_t input[16 << 10], output[output_bytes];

static void touch(struct connection *connection) {
    if (connection->is_touched) return;
    connection->is_touched = true;
    connection->next = touched;
    touched = connection;
}

static void make_id(char *text) {
    uint8_t bytes[16];
    checked(getrandom(bytes, sizeof bytes, 0), "getrandom");
    static const char digits[] = "0123456789ABCDEF";
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *text++ = '-';
        *text++ = digits[bytes[i] >> 4];
        *text++ = digits[bytes[i] & 15];
    }
    *text = 0;
}

// What a request is known by if it comes again.
static void digest(const struct stream *stream, uint64_t words[2]) {
    words[0] = 0xCBF29CE484222325, words[1] = 0x6C62272E07BB0142;
    const uint8_t *parts[] = {(const uint8_t *)stream->apns_id, (const uint8_t *)stream->path, stream->body};
    size_t counts[] = {strlen(stream->apns_id), strlen(stream->path), stream->count};
    for (int part = 0; part < 3; part++)
        for (size_t i = 0; i < counts[part]; i++) {
            words[0] = (words[0] ^ parts[part][i]) * 0x100000001B3;
            words[1] = (words[1] + parts[part][i]) * 0x9E3779B97F4A7C15;
        }
}

static void run(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) {
        fprintf(stderr, "apns-peer: %s\n", sqlite3_errmsg(database));
        exit(70);
    }
    sqlite3_reset(statement);
}

static void keep(const struct stream *stream) {
    uint64_t words[2];
    digest(stream, words);
    number++;
    sqlite3_bind_int64(add, 1, number);
    sqlite3_bind_text(add, 2, stream->apns_id, -1, SQLITE_STATIC);
    sqlite3_bind_text(add, 3, "device", -1, SQLITE_STATIC);
    sqlite3_bind_blob(add, 4, stream->path, (int)strlen(stream->path) / 2, SQLITE_STATIC);
    sqlite3_bind_text(add, 5, stream->topic, -1, SQLITE_STATIC);
    sqlite3_bind_text(add, 6, stream->type, -1, SQLITE_STATIC);
    sqlite3_bind_int(add, 7, 10);
    sqlite3_bind_blob(add, 8, stream->body, (int)stream->count, SQLITE_STATIC);
    sqlite3_bind_int64(add, 9, boot_microseconds());
    run(add);
    sqlite3_bind_int64(note, 1, number);
    sqlite3_bind_int64(note, 2, boot_microseconds());
    sqlite3_bind_blob(note, 3, words, sizeof words, SQLITE_STATIC);
    run(note);
}

// What the push is if its server does not say; NULL if the body is no payload.
static const char *type_of(const struct stream *stream) {
    size_t flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL;
    json_t *payload = json_loadb((const char *)stream->body, stream->count, flags, NULL);
    if (!json_is_object(payload)) {
        json_decref(payload);
        return NULL;
    }
    json_t *aps = json_object_get(payload, "aps");
    bool is_shown = json_object_get(aps, "alert") || json_object_get(aps, "sound") || json_object_get(aps, "badge");
    const char *type = !is_shown && json_object_get(aps, "content-available") ? "background" : "alert";
    json_decref(payload);
    return type;
}

static void write_log(void) {
    checked(write(log_file, log_text, log_count), "write");
    log_count = 0;
}

static void log_step(const struct stream *stream, const char *step) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    size_t left = sizeof log_text - log_count;
    int count = snprintf(log_text + log_count, left, "{\"at\":%lld.%06ld,\"id\":\"%s\",\"step\":\"%s\"",
                         (long long)now.tv_sec, now.tv_nsec / 1000, stream->apns_id, step);
    if (!strcmp(step, "accepted"))
        count += snprintf(log_text + log_count + count, left - (size_t)count,
                          ",\"device\":\"device\",\"topic\":\"%s\",\"type\":\"%s\",\"status\":200", stream->topic,
                          stream->type);
    memcpy(log_text + log_count + count, "}\n", 2);
    log_count += (size_t)count + 2;
    if (log_count >= sizeof log_text / 2) write_log();
}

static nghttp2_nv field(const char *name, const char *value) {
    return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE};
}

static void finish_batch(void) {
    if (!batch) return;
    run(begin);
    for (int64_t old = written + 1; old <= number; old++) {
        sqlite3_bind_int64(drop, 1, old);
        run(drop);
    }
    written = number;
    for (struct stream *stream = batch; stream; stream = stream->next) keep(stream);
    run(commit);
    for (struct stream *stream = batch, *next; stream; stream = next) {
        next = stream->next;
        log_step(stream, "accepted");
        log_step(stream, "expired");
        if (stream->is_gone || stream->connection->is_dead) {
            free(stream);
            continue;
        }
        stream->is_queued = false;
        nghttp2_nv fields[] = {field(":status", "200"), field("apns-id", stream->apns_id)};
        nghttp2_submit_response(stream->connection->session, stream->id, fields, 2, NULL);
    }
    batch = NULL, batch_end = &batch;
    write_log();
}

static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *context_) {
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    struct stream *stream = malloc(sizeof *stream);
    memset(stream, 0, offsetof(struct stream, body));
    stream->id = frame->hd.stream_id, stream->connection = context_;
    return nghttp2_session_set_stream_user_data(session, stream->id, stream);
}

static void take(char *room, size_t room_bytes, const uint8_t *value, size_t count) {
    count = count < room_bytes ? count : room_bytes - 1;
    memcpy(room, value, count);
    room[count] = 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_count,
                     const uint8_t *value, size_t count, uint8_t flags, void *context_) {
    (void)flags, (void)context_;
    struct stream *stream = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!stream) return 0;
    if (name_count == 5 && !memcmp(name, ":path", 5)) take(stream->path, field_bytes_max, value, count);
    if (name_count == 10 && !memcmp(name, "apns-topic", 10)) take(stream->topic, field_bytes_max, value, count);
    if (name_count == 7 && !memcmp(name, "apns-id", 7)) take(stream->apns_id, id_bytes + 1, value, count);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes, size_t count,
                   void *context_) {
    (void)flags, (void)context_;
    struct stream *stream = nghttp2_session_get_stream_user_data(session, id);
    if (!stream || stream->count + count > body_bytes_max) return 0;
    memcpy(stream->body + stream->count, bytes, count);
    stream->count += count;
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context_) {
    (void)context_;
    struct stream *stream = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!stream || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
    if (!stream->apns_id[0]) make_id(stream->apns_id);
    stream->type = type_of(stream);
    if (!stream->type) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    stream->is_queued = true;
    *batch_end = stream, batch_end = &stream->next;
    return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *context_) {
    (void)code, (void)context_;
    struct stream *stream = nghttp2_session_get_stream_user_data(session, id);
    if (stream && stream->is_queued) stream->is_gone = true;
    else free(stream);
    return 0;
}

static void watch(struct connection *connection, uint32_t events, int what) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    checked(epoll_ctl(poller, what, connection->socket, &event), "epoll_ctl");
}

static bool must_wait(struct connection *connection, int result) {
    int why = SSL_get_error(connection->tls, result);
    ERR_clear_error();
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) connection->is_dead = true;
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
}

static void flush_output(struct connection *connection) {
    while (!connection->is_dead) {
        const uint8_t *from = connection->pending ? connection->pending : output;
        size_t count = connection->pending_count;
        while (!connection->pending && count + frame_bytes_max <= output_bytes) {
            const uint8_t *frame;
            ssize_t size = nghttp2_session_mem_send(connection->session, &frame);
            if (size <= 0) break;
            memcpy(output + count, frame, (size_t)size);
            count += (size_t)size;
        }
        if (!count) return;
        size_t taken = 0;
        int result = SSL_write_ex(connection->tls, from, count, &taken);
        if (result != 1 && !must_wait(connection, result)) return;
        uint8_t *rest = NULL;
        if (taken < count) {
            rest = malloc(count - taken);
            memcpy(rest, from + taken, count - taken);
        }
        free(connection->pending);
        connection->pending = rest, connection->pending_count = count - taken;
        if (result != 1) {
            watch(connection, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
            return;
        }
    }
}

static void open_session(struct connection *connection) {
    nghttp2_session_server_new2(&connection->session, callbacks, connection, options);
    nghttp2_settings_entry entries[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 1000}, {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 8000}};
    nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, entries, 2);
}

static void serve(struct connection *connection) {
    touch(connection);
    if (!connection->session) {
        int result = SSL_do_handshake(connection->tls);
        if (result != 1) {
            must_wait(connection, result);
            return;
        }
        open_session(connection);
    }
    for (int turn = 0; turn < 8 || SSL_has_pending(connection->tls); turn++) {
        size_t count;
        int result = SSL_read_ex(connection->tls, input, sizeof input, &count);
        if (result != 1) {
            must_wait(connection, result);
            return;
        }
        if (nghttp2_session_mem_recv(connection->session, input, count) < 0) {
            connection->is_dead = true;
            return;
        }
    }
}

static void accept_all(int listener) {
    int on = 1, socket;
    while ((socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct connection *connection = calloc(1, sizeof *connection);
        connection->socket = socket, connection->tls = SSL_new(context);
        SSL_set_fd(connection->tls, socket);
        SSL_set_accept_state(connection->tls);
        watch(connection, EPOLLIN, EPOLL_CTL_ADD);
    }
}

static void finish_turn(void) {
    finish_batch();
    for (struct connection *connection = touched, *next; connection; connection = next) {
        next = connection->next;
        connection->is_touched = false;
        bool had_pending = connection->pending;
        if (connection->session) flush_output(connection);
        if (had_pending && !connection->pending && !connection->is_dead) watch(connection, EPOLLIN, EPOLL_CTL_MOD);
        if (!connection->is_dead) continue;
        nghttp2_session_del(connection->session);
        SSL_free(connection->tls);
        close(connection->socket);
        free(connection->pending);
        free(connection);
    }
    touched = NULL;
}

static int select_protocol(SSL *tls, const uint8_t **chosen, uint8_t *chosen_count, const uint8_t *offered,
                           unsigned count, void *context_) {
    (void)tls, (void)context_;
    return nghttp2_select_next_protocol((uint8_t **)chosen, chosen_count, offered, count) == 1 ? SSL_TLSEXT_ERR_OK
                                                                                              : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static void prepare(char **words) {
    context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_alpn_select_cb(context, select_protocol, NULL);
    if (SSL_CTX_use_certificate_file(context, words[2], SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, words[3], SSL_FILETYPE_PEM) != 1)
        exit(66);
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_option_new(&options);
    nghttp2_option_set_no_closed_streams(options, 1);
}

static void open_queue(const char *folder) {
    checked(chdir(folder), folder);
    log_file = (int)checked(open("log.jsonl", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600), "log.jsonl");
    const char *tables =
        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE pushes (number INTEGER PRIMARY KEY, id TEXT NOT NULL, device TEXT NOT NULL, token BLOB NOT NULL,"
        " topic TEXT NOT NULL, type TEXT NOT NULL, priority INTEGER NOT NULL, expiration INTEGER, collapse TEXT,"
        " payload BLOB NOT NULL, accepted INTEGER NOT NULL, stored INTEGER NOT NULL DEFAULT 0);"
        "CREATE TABLE remembered (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, digest BLOB NOT NULL)";
    if (sqlite3_open("queue.sqlite", &database) || sqlite3_exec(database, tables, NULL, NULL, NULL)) exit(73);
    struct { sqlite3_stmt **statement; const char *text; } statements[] = {
        {&begin, "BEGIN IMMEDIATE"}, {&commit, "COMMIT"},
        {&add, "INSERT INTO pushes (number, id, device, token, topic, type, priority, payload, accepted)"
               " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"},
        {&note, "INSERT INTO remembered VALUES (?, ?, ?)"}, {&drop, "DELETE FROM pushes WHERE number = ?"}};
    for (int i = 0; i < 5; i++)
        if (sqlite3_prepare_v2(database, statements[i].text, -1, statements[i].statement, NULL)) exit(73);
}

int main(int count, char **words) {
    if (count != 5) return 64;
    signal(SIGPIPE, SIG_IGN);
    prepare(words);
    open_queue(words[4]);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = (int)checked(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "socket");
    checked(bind(listener, (struct sockaddr *)&address, sizeof address), "bind");
    checked(listen(listener, 4096), "listen");
    poller = (int)checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    checked(epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event), "epoll_ctl");
    puts("ready");
    fflush(stdout);
    for (;;) {
        struct epoll_event events[64];
        int ready = epoll_wait(poller, events, 64, -1);
        if (ready < 0 && errno == EINTR) continue;
        for (int i = 0; i < (int)checked(ready, "epoll_wait"); i++) {
            if (events[i].data.ptr) serve(events[i].data.ptr);
            else accept_all(listener);
        }
        finish_turn();
    }
}
