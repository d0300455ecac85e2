#pragma once
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

// libsystemd's calls as its own headers type them, for whoever opens the library himself. Nothing here refers to a
// symbol of the library, so nothing is linked.
struct csystemd_calls {
    __typeof__(&sd_event_new) event_new;
    __typeof__(&sd_event_unref) event_unref;
    __typeof__(&sd_event_run) event_run;
    __typeof__(&sd_event_add_time) event_add_time;
    __typeof__(&sd_event_add_io) event_add_io;
    __typeof__(&sd_event_add_signal) event_add_signal;
    __typeof__(&sd_event_add_defer) event_add_defer;
    __typeof__(&sd_event_source_set_description) event_source_set_description;
    __typeof__(&sd_event_source_set_destroy_callback) event_source_set_destroy_callback;
    __typeof__(&sd_event_source_set_enabled) event_source_set_enabled;
    __typeof__(&sd_event_source_set_floating) event_source_set_floating;
    __typeof__(&sd_event_source_set_io_events) event_source_set_io_events;
    __typeof__(&sd_event_source_set_time) event_source_set_time;
    __typeof__(&sd_event_source_unref) event_source_unref;
    __typeof__(&sd_notify) notify;
};
