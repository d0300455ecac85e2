// notify-server: a notification server that shows nothing. It writes "notify MICROSECONDS ID" for each call of Notify,
// with the time since boot at which it came. Lines on standard input: "choose ID KEY" tells who asked for ID that KEY
// was chosen, and writes "sent MICROSECONDS"; "answer GROUP CALL" has org.belfry.Calls1 answer, and writes the same.

#define _GNU_SOURCE
#include "notify.h"
#include <unistd.h>

enum { senders_max = 65536 };
static const char path[] = "/org/freedesktop/Notifications", name[] = "org.freedesktop.Notifications";
static char *senders[senders_max];
static uint32_t last;

static int notify(sd_bus_message *message, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    int64_t came = boot_microseconds();
    const char *app;
    uint32_t id;
    bus_checked(sd_bus_message_read(message, "su", &app, &id), "Notify");
    if (id == 0) id = ++last;
    free(senders[id % senders_max]);
    senders[id % senders_max] = strdup(sd_bus_message_get_sender(message));
    printf("notify %lld %u\n", (long long)came, id);
    fflush(stdout);
    return sd_bus_reply_method_return(message, "u", id);
}

static int close_notification(sd_bus_message *message, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    return sd_bus_reply_method_return(message, "");
}

static int get_capabilities(sd_bus_message *message, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    return sd_bus_reply_method_return(message, "as", 2, "actions", "body");
}

static const sd_bus_vtable methods[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Notify", "susssasa{sv}i", "u", notify, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("CloseNotification", "u", "", close_notification, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("GetCapabilities", "", "as", get_capabilities, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static void sent(void) {
    printf("sent %lld\n", (long long)boot_microseconds());
    fflush(stdout);
}

static void choose(sd_bus *bus, uint32_t id, const char *key) {
    sd_bus_message *message = NULL;
    bus_checked(sd_bus_message_new_signal(bus, &message, path, name, "ActionInvoked"), "ActionInvoked");
    bus_checked(sd_bus_message_append(message, "us", id, key), "ActionInvoked");
    bus_checked(sd_bus_message_set_destination(message, senders[id % senders_max]), "ActionInvoked");
    sent();
    bus_checked(sd_bus_send(bus, message, NULL), "ActionInvoked");
    bus_checked(sd_bus_flush(bus), "ActionInvoked");
    sd_bus_message_unref(message);
}

static int answered(sd_bus_message *reply, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    if (sd_bus_message_is_method_error(reply, NULL)) {
        fprintf(stderr, "Answer: %s\n", sd_bus_message_get_error(reply)->message);
    }
    return 0;
}

static int obey(sd_event_source *source, int descriptor, uint32_t events, void *bus) {
    (void)events;
    static char line[1024];
    ssize_t length = checked(read(descriptor, line, sizeof line - 1), "read");
    if (length == 0) return sd_event_exit(sd_event_source_get_event(source), 0);
    line[length] = 0;
    char first[512], second[512];
    uint32_t id;
    if (sscanf(line, "choose %u %511s", &id, first) == 2) {
        choose(bus, id, first);
    } else if (sscanf(line, "answer %511s %511s", first, second) == 2) {
        sent();
        bus_checked(
            sd_bus_call_method_async(
                bus, NULL, "org.belfry.Calls1", "/org/belfry/Calls1", "org.belfry.Calls1", "Answer", answered, NULL,
                "ss", first, second),
            "Answer");
        bus_checked(sd_bus_flush(bus), "Answer");
    } else {
        fprintf(stderr, "notify-server: cannot obey: %s", line);
    }
    return 0;
}

int main(void) {
    sd_bus *bus = NULL;
    sd_event *loop = NULL;
    bus_checked(sd_event_new(&loop), "sd_event_new");
    bus_checked(sd_bus_open_user(&bus), "sd_bus_open_user");
    bus_checked(sd_bus_add_object_vtable(bus, NULL, path, name, methods, NULL), "sd_bus_add_object_vtable");
    bus_checked(sd_bus_request_name(bus, name, 0), "sd_bus_request_name");
    bus_checked(sd_bus_attach_event(bus, loop, 0), "sd_bus_attach_event");
    bus_checked(sd_event_add_io(loop, NULL, STDIN_FILENO, 1, obey, bus), "sd_event_add_io");
    printf("ready\n");
    fflush(stdout);
    return sd_event_loop(loop) < 0;
}
