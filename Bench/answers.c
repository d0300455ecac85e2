// answers COUNT GAP_MS (NAME SOCKET)...
//
// Plays belfry-calls for an app at each SOCKET: listens, prints "listening", and waits for one connection each. Then
// has them perform an action COUNT times in turn, each GAP_MS after the one before, and prints a line for each: NAME
// and the microseconds until its outcome was there.

#define _GNU_SOURCE
#include "peer.h"
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { answer_bytes_max = 64 * 1024, patience_milliseconds = 5000, apps_max = 4, settling_milliseconds = 200 };

static char answer[answer_bytes_max];

static int64_t now_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int listening(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int listener = (int)checked(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    checked(bind(listener, (struct sockaddr *)&address, sizeof address), path);
    checked(listen(listener, 1), "listen");
    return listener;
}

static void say(int connection, const char *line) {
    checked(send(connection, line, strlen(line), MSG_NOSIGNAL), "send");
}

// Reads until both words were there, or for so long; whether they were.
static int hear(int connection, const char *word, const char *other, int milliseconds) {
    size_t length = 0;
    for (;;) {
        struct pollfd ready = {.fd = connection, .events = POLLIN};
        if (checked(poll(&ready, 1, milliseconds), "poll") == 0) return 0;
        ssize_t count = read(connection, answer + length, answer_bytes_max - 1 - length);
        if (count <= 0) return 0;
        length += (size_t)count;
        answer[length] = 0;
        if (word && strstr(answer, word) && strstr(answer, other)) return 1;
        if (length > answer_bytes_max / 2) length = 0;
    }
}

int main(int count, char **arguments) {
    int app_count = (count - 3) / 2;
    if (app_count < 1 || app_count > apps_max) return 64;
    int connections[apps_max], listeners[apps_max];
    for (int i = 0; i < app_count; i++) listeners[i] = listening(arguments[4 + 2 * i]);
    printf("listening\n");
    fflush(stdout);
    for (int i = 0; i < app_count; i++) {
        connections[i] = (int)checked(accept(listeners[i], NULL, NULL), "accept");
        say(connections[i], "{\"say\":\"welcome\",\"stateDirectory\":\"/nonexistent\",\"contactsFile\":null}\n");
    }
    // What they say of themselves.
    for (int i = 0; i < app_count; i++) hear(connections[i], NULL, NULL, settling_milliseconds);
    int rounds = atoi(arguments[1]);
    for (int n = 0; n < rounds * app_count; n++) {
        int connection = connections[n % app_count];
        char line[512], uuid[40];
        snprintf(uuid, sizeof uuid, "00000000-0000-4000-8000-%012X", n);
        snprintf(line, sizeof line,
            "{\"action\":{\"call\":\"00000000-0000-4000-9000-%012X\",\"kind\":\"answer\",\"uuid\":\"%s\"},"
            "\"say\":\"perform\",\"timeout\":60000000,\"transaction\":\"00000000-0000-4000-A000-%012X\"}\n",
            n, uuid, n);
        struct timespec gap = {.tv_nsec = atol(arguments[2]) * 1000000};
        clock_nanosleep(CLOCK_MONOTONIC, 0, &gap, NULL);
        int64_t start = now_nanoseconds();
        say(connection, line);
        if (!hear(connection, "\"outcome\"", uuid, patience_milliseconds)) {
            fprintf(stderr, "answers: %s has no outcome: %s\n", arguments[3 + 2 * (n % app_count)], answer);
            return 70;
        }
        printf("%s %.1f\n", arguments[3 + 2 * (n % app_count)], (double)(now_nanoseconds() - start) / 1000);
    }
    return 0;
}
