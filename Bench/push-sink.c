// push-sink PATH: the least that can be at a push socket. Takes each push that comes to PATH, and says `received`.

#include "peer.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { descriptors_max = 4096, events_max = 64 };

static const char answer[] =
    "{\"event\":\"received\",\"at\":0.1,\"boot\":1.5,\"id\":\"i\",\"type\":\"alert\",\"intercepted\":true}\n";

// Reads what is there; whether that was all.
static bool is_read(int connection) {
    char chunk[65536];
    for (;;) {
        ssize_t count = recv(connection, chunk, sizeof chunk, MSG_DONTWAIT);
        if (count == 0) return true;
        if (count < 0) return errno != EAGAIN;
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return 64;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
    int listener = (int)checked(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    checked(bind(listener, (struct sockaddr *)&address, sizeof address), "bind");
    checked(listen(listener, descriptors_max), "listen");
    int poll = (int)checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    struct epoll_event wanted = {.events = EPOLLIN, .data.fd = listener};
    checked(epoll_ctl(poll, EPOLL_CTL_ADD, listener, &wanted), "epoll_ctl");
    for (;;) {
        struct epoll_event events[events_max];
        int count = (int)checked(epoll_wait(poll, events, events_max, -1), "epoll_wait");
        for (int i = 0; i < count; i++) {
            int ready = events[i].data.fd;
            if (ready == listener) {
                struct epoll_event event = {.events = EPOLLIN, .data.fd = accept(listener, NULL, NULL)};
                if (event.data.fd >= 0) checked(epoll_ctl(poll, EPOLL_CTL_ADD, event.data.fd, &event), "epoll_ctl");
            } else if (is_read(ready)) {
                (void)!send(ready, answer, sizeof answer - 1, MSG_NOSIGNAL);
                close(ready);
            }
        }
    }
}
