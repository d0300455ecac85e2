// click-waiter FOLDER: has a call shown, writes its number, and waits for the person's choice, which wakes a process of
// its own over a socket in FOLDER, as the ear of a ring is; that writes when it knew, in microseconds since boot. The
// peer of the time from a click to silence.

#define _GNU_SOURCE
#include "notify.h"
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void wait_for_word(int listener) {
    char word[256];
    int connection = (int)checked(accept4(listener, NULL, NULL, SOCK_CLOEXEC), "accept4");
    checked(recv(connection, word, sizeof word, 0), "recv");
    dprintf(STDOUT_FILENO, "%lld\n", (long long)boot_microseconds());
    exit(0);
}

static int chosen(sd_bus_message *message, void *done, sd_bus_error *error) {
    (void)message, (void)error;
    int connection = (int)checked(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), "socket");
    checked(connect(connection, (struct sockaddr *)&address, sizeof address), "connect");
    checked(send(connection, "answer", 6, MSG_NOSIGNAL), "send");
    *(int *)done = 1;
    return 0;
}

int main(int count, char **arguments) {
    sd_bus *bus = NULL;
    int done = 0;
    if (count != 2) return 64;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/%d.ear", arguments[1], getpid());
    int listener = (int)checked(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), "socket");
    checked(bind(listener, (struct sockaddr *)&address, sizeof address), "bind");
    checked(listen(listener, 1), "listen");
    if (checked(fork(), "fork") == 0) wait_for_word(listener);
    uint32_t id = show_call(&bus);
    bus_checked(
        sd_bus_match_signal(
            bus, NULL, NULL, "/org/freedesktop/Notifications", "org.freedesktop.Notifications", "ActionInvoked", chosen,
            &done),
        "sd_bus_match_signal");
    dprintf(STDOUT_FILENO, "%u\n", id);
    while (!done) {
        int handled = sd_bus_process(bus, NULL);
        bus_checked(handled, "sd_bus_process");
        if (handled == 0) bus_checked(sd_bus_wait(bus, UINT64_MAX), "sd_bus_wait");
    }
    unlink(address.sun_path);
    return 0;
}
