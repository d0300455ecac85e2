#pragma once

#include <stdint.h>

// The calls of libpulse that ask a sound server for its sinks and what it remembers, as pulse/mainloop.h,
// pulse/context.h, pulse/introspect.h, pulse/proplist.h and pulse/ext-stream-restore.h have them. Written out, since the
// library is opened where libcanberra brought it along, and nothing else of its headers is needed to build.

struct cpulse_sample_spec {
    int format;
    uint32_t rate;
    uint8_t channels;
};

struct cpulse_channel_map {
    uint8_t channels;
    int map[32];
};

// Of each channel, 0x10000 for 100 %.
struct cpulse_volume {
    uint8_t channels;
    uint32_t values[32];
};

// The beginning of a pa_sink_info, which only ever grew at its end.
struct cpulse_sink {
    const char *name;
    uint32_t index;
    const char *description;
    struct cpulse_sample_spec sample_spec;
    struct cpulse_channel_map channel_map;
    uint32_t owner_module;
    struct cpulse_volume volume;
    int mute;
    uint32_t monitor_source;
    const char *monitor_source_name;
    uint64_t latency;
    const char *driver;
    int flags;
    const void *properties;
};

// The beginning of a pa_sink_input_info.
struct cpulse_input {
    uint32_t index;
    const char *name;
    uint32_t owner_module;
    uint32_t client;
    uint32_t sink;
    struct cpulse_sample_spec sample_spec;
    struct cpulse_channel_map channel_map;
    struct cpulse_volume volume;
    uint64_t buffer_time;
    uint64_t sink_time;
    const char *resample_method;
    const char *driver;
    int mute;
    const void *properties;
};

// The beginning of a pa_server_info.
struct cpulse_server {
    const char *user_name;
    const char *host_name;
    const char *version;
    const char *name;
    struct cpulse_sample_spec sample_spec;
    const char *default_sink;
};

// What module-stream-restore remembers of a kind of stream, a pa_ext_stream_restore_info.
struct cpulse_remembered {
    const char *name;
    struct cpulse_channel_map channel_map;
    struct cpulse_volume volume;
    const char *device;
    int mute;
};

// `end` is 0 for a sink, positive behind the last, negative on failure.
typedef void (*cpulse_sink_callback)(void *context, const struct cpulse_sink *sink, int end, void *data);
typedef void (*cpulse_input_callback)(void *context, const struct cpulse_input *input, int end, void *data);
typedef void (*cpulse_remembered_callback)(
    void *context, const struct cpulse_remembered *remembered, int end, void *data);
typedef void (*cpulse_server_callback)(void *context, const struct cpulse_server *server, void *data);

enum {
    CPULSE_CONTEXT_NOAUTOSPAWN = 1,
    CPULSE_CONTEXT_READY = 4,
    CPULSE_CONTEXT_FAILED = 5,
    CPULSE_CONTEXT_TERMINATED = 6,
};

struct cpulse_calls {
    void *(*mainloop_new)(void);
    void (*mainloop_free)(void *mainloop);
    void *(*mainloop_get_api)(void *mainloop);
    int (*mainloop_prepare)(void *mainloop, int timeout_microseconds);
    int (*mainloop_poll)(void *mainloop);
    int (*mainloop_dispatch)(void *mainloop);
    void *(*context_new)(void *api, const char *name);
    int (*context_connect)(void *context, const char *server, int flags, const void *spawn_api);
    int (*context_get_state)(const void *context);
    int (*context_errno)(const void *context);
    void *(*context_get_sink_info_list)(void *context, cpulse_sink_callback callback, void *data);
    void *(*context_get_sink_input_info_list)(void *context, cpulse_input_callback callback, void *data);
    void *(*context_get_server_info)(void *context, cpulse_server_callback callback, void *data);
    void *(*ext_stream_restore_read)(void *context, cpulse_remembered_callback callback, void *data);
    const char *(*proplist_gets)(const void *properties, const char *key);
    void (*context_disconnect)(void *context);
    void (*context_unref)(void *context);
    void (*operation_unref)(void *operation);
    const char *(*error_text)(int error);
};

enum {
    CPULSE_STREAM_PLAYBACK = 1,
    CPULSE_SAMPLE_FLOAT32LE = 5,
};

// A pa_buffer_attr; each at its highest for what the server finds best.
struct cpulse_buffer {
    uint32_t max_bytes;
    uint32_t target_bytes;
    uint32_t bytes_before_start;
    uint32_t bytes_at_once;
    uint32_t fragment_bytes;
};

// The calls of libpulse-simple that play a stream, as pulse/simple.h has them.
struct cpulse_simple_calls {
    void *(*open)(
        const char *server, const char *program, int direction, const char *device, const char *name,
        const struct cpulse_sample_spec *spec, const struct cpulse_channel_map *map,
        const struct cpulse_buffer *buffer, int *error);
    int (*write)(void *stream, const void *bytes, unsigned long count, int *error);
    int (*drain)(void *stream, int *error);
    int (*flush)(void *stream, int *error);
    void (*close)(void *stream);
    const char *(*error_text)(int error);
};
