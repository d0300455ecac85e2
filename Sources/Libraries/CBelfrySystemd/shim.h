#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>

// The calls of libsystemd that are made here, as systemd/sd-event.h, sd-daemon.h and sd-bus.h have them. Written out,
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

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;

struct csystemd_bus_error {
    const char *name;
    const char *message;
    int needs_free;
};

typedef int (*csystemd_message_handler)(
    sd_bus_message *message, void *userdata, struct csystemd_bus_error *error);

struct csystemd_bus_calls {
    int (*open_user)(sd_bus **bus);
    int (*open_system)(sd_bus **bus);
    int (*attach_event)(sd_bus *bus, sd_event *event, int priority);
    int (*detach_event)(sd_bus *bus);
    void (*close)(sd_bus *bus);
    sd_bus *(*unref)(sd_bus *bus);
    int (*add_filter)(sd_bus *bus, sd_bus_slot **slot, csystemd_message_handler handler, void *userdata);
    int (*call_async)(
        sd_bus *bus, sd_bus_slot **slot, sd_bus_message *message, csystemd_message_handler handler, void *userdata,
        uint64_t microseconds);
    int (*send)(sd_bus *bus, sd_bus_message *message, uint64_t *cookie);
    int (*slot_set_destroy_callback)(sd_bus_slot *slot, void (*callback)(void *userdata));
    int (*slot_set_floating)(sd_bus_slot *slot, int floats);
    sd_bus_slot *(*slot_unref)(sd_bus_slot *slot);
    int (*message_new_method_call)(
        sd_bus *bus, sd_bus_message **message, const char *destination, const char *path, const char *interface,
        const char *member);
    int (*message_new_method_return)(sd_bus_message *call, sd_bus_message **message);
    int (*message_new_method_error)(
        sd_bus_message *call, sd_bus_message **message, const struct csystemd_bus_error *error);
    int (*message_new_signal)(
        sd_bus *bus, sd_bus_message **message, const char *path, const char *interface, const char *member);
    int (*message_set_auto_start)(sd_bus_message *message, int starts);
    sd_bus_message *(*message_ref)(sd_bus_message *message);
    sd_bus_message *(*message_unref)(sd_bus_message *message);
    int (*message_get_type)(sd_bus_message *message, uint8_t *type);
    const char *(*message_get_sender)(sd_bus_message *message);
    const char *(*message_get_path)(sd_bus_message *message);
    const char *(*message_get_interface)(sd_bus_message *message);
    const char *(*message_get_member)(sd_bus_message *message);
    const struct csystemd_bus_error *(*message_get_error)(sd_bus_message *message);
    int (*message_append_basic)(sd_bus_message *message, char type, const void *value);
    int (*message_append_array)(sd_bus_message *message, char type, const void *bytes, size_t size);
    int (*message_open_container)(sd_bus_message *message, char type, const char *contents);
    int (*message_close_container)(sd_bus_message *message);
    int (*message_at_end)(sd_bus_message *message, int complete);
    int (*message_peek_type)(sd_bus_message *message, char *type, const char **contents);
    int (*message_read_basic)(sd_bus_message *message, char type, void *value);
    int (*message_enter_container)(sd_bus_message *message, char type, const char *contents);
    int (*message_exit_container)(sd_bus_message *message);
    int (*message_skip)(sd_bus_message *message, const char *types);
};
