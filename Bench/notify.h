// What the peers that show something share: one call of a notification server, and failing loudly.
#ifndef NOTIFY_H
#define NOTIFY_H

#include "peer.h"
#include <string.h>
#include <systemd/sd-bus.h>

static inline void bus_checked(int result, const char *what) {
    if (result < 0) {
        fprintf(stderr, "%s: %s\n", what, strerror(-result));
        exit(70);
    }
}

// Opens the session bus and has a call shown; the number that the server gave it.
static inline uint32_t show_call(sd_bus **bus) {
    sd_bus_message *reply = NULL;
    uint32_t id;
    bus_checked(sd_bus_open_user(bus), "sd_bus_open_user");
    bus_checked(
        sd_bus_call_method(
            *bus, "org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.freedesktop.Notifications",
            "Notify", NULL, &reply, "susssasa{sv}i", "Bench", 0, "", "Bench", "Incoming call", 4, "call.accept",
            "Accept", "call.decline", "Decline", 3, "urgency", "y", 2, "category", "s", "call.incoming",
            "suppress-sound", "b", 1, 30000),
        "Notify");
    bus_checked(sd_bus_message_read(reply, "u", &id), "Notify");
    sd_bus_message_unref(reply);
    return id;
}

#endif
