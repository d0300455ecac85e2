#pragma once

// The calls of libpulse that ask a sound server for its sinks, as pulse/mainloop.h, pulse/context.h and
// pulse/introspect.h have them. Written out, since the library is opened where libcanberra brought it along, and
// nothing else of its headers is needed to build.

// The beginning of a pa_sink_info, which only ever grew at its end.
struct cpulse_sink {
    const char *name;
};

// `end` is 0 for a sink, positive behind the last, negative on failure.
typedef void (*cpulse_sink_callback)(void *context, const struct cpulse_sink *sink, int end, void *data);

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
    void (*context_disconnect)(void *context);
    void (*context_unref)(void *context);
    void (*operation_unref)(void *operation);
    const char *(*error_text)(int error);
};
