#pragma once
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>

// The calls of libsystemd that the loop makes, as systemd/sd-event.h and systemd/sd-daemon.h have them. Written out,
// since whoever builds an extension need not have those headers; the library is opened when there is something to wait
// for.
typedef struct sd_event sd_event;
typedef struct sd_event_source sd_event_source;

struct csystemd_calls {
    int (*event_new)(sd_event **event);
    sd_event *(*event_unref)(sd_event *event);
    int (*event_run)(sd_event *event, uint64_t microseconds);
    int (*event_add_time)(
        sd_event *event, sd_event_source **source, clockid_t clock, uint64_t microseconds, uint64_t accuracy,
        int (*callback)(sd_event_source *source, uint64_t microseconds, void *userdata), void *userdata);
    int (*event_add_io)(
        sd_event *event, sd_event_source **source, int descriptor, uint32_t events,
        int (*callback)(sd_event_source *source, int descriptor, uint32_t events, void *userdata), void *userdata);
    int (*event_add_signal)(
        sd_event *event, sd_event_source **source, int signal,
        int (*callback)(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata), void *userdata);
    int (*event_add_defer)(
        sd_event *event, sd_event_source **source, int (*callback)(sd_event_source *source, void *userdata),
        void *userdata);
    int (*event_source_set_description)(sd_event_source *source, const char *description);
    int (*event_source_set_destroy_callback)(sd_event_source *source, void (*callback)(void *userdata));
    int (*event_source_set_enabled)(sd_event_source *source, int enablement);
    int (*event_source_set_floating)(sd_event_source *source, int floats);
    int (*event_source_set_io_events)(sd_event_source *source, uint32_t events);
    int (*event_source_set_time)(sd_event_source *source, uint64_t microseconds);
    sd_event_source *(*event_source_unref)(sd_event_source *source);
    int (*notify)(int unset_environment, const char *state);
};
