// connect COUNT GAP_MS (NAME SOCKET MESSAGES)...
//
// Connects COUNT times to each socket in turn, one connection every GAP_MS, sends a line of the file MESSAGES (the next
// one each time, from the top again after the last), and waits for an answer that says "delivered". Prints a line for
// each connection: NAME and the microseconds from connecting to that answer, or NAME and "lost".

#define _GNU_SOURCE
#include "peer.h"
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { answer_bytes_max = 64 * 1024, patience_milliseconds = 5000, sockets_max = 8 };

struct subject {
    const char *name;
    struct sockaddr_un address;
    FILE *messages;
};

static int64_t now_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static size_t next_message(struct subject *subject, char **line) {
    static size_t capacity;
    ssize_t length = getline(line, &capacity, subject->messages);
    if (length < 0) {
        rewind(subject->messages);
        length = checked(getline(line, &capacity, subject->messages), "a file without messages");
    }
    return (size_t)length;
}

// Whether the answer came; `answer` is there for people when it did not.
static bool is_delivered(int connection, char *answer) {
    size_t length = 0;
    for (;;) {
        struct pollfd ready = {.fd = connection, .events = POLLIN};
        if (checked(poll(&ready, 1, patience_milliseconds), "poll") == 0) return false;
        ssize_t count = read(connection, answer + length, answer_bytes_max - 1 - length);
        if (count <= 0) return false;
        length += (size_t)count;
        answer[length] = 0;
        if (strstr(answer, "\"delivered\"")) return true;
    }
}

int main(int count, char **arguments) {
    static struct subject subjects[sockets_max];
    static char answer[answer_bytes_max];
    int subject_count = (count - 3) / 3;
    if (subject_count < 1 || subject_count > sockets_max) return 64;
    int rounds = atoi(arguments[1]);
    int64_t gap = (int64_t)atoi(arguments[2]) * 1000000;
    for (int i = 0; i < subject_count; i++) {
        char **words = arguments + 3 + 3 * i;
        subjects[i] = (struct subject){.name = words[0], .address = {.sun_family = AF_UNIX}};
        strncpy(subjects[i].address.sun_path, words[1], sizeof subjects[i].address.sun_path - 1);
        subjects[i].messages = fopen(words[2], "re");
        checked(subjects[i].messages ? 0 : -1, words[2]);
    }
    char *message = NULL;
    int64_t due = now_nanoseconds();
    for (int i = 0; i < rounds * subject_count; i++) {
        struct subject *subject = &subjects[i % subject_count];
        size_t length = next_message(subject, &message);
        struct timespec until = {due / 1000000000, due % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        int connection = (int)checked(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
        int64_t start = now_nanoseconds();
        due = start + gap;
        checked(connect(connection, (struct sockaddr *)&subject->address, sizeof subject->address), "connect");
        checked(send(connection, message, length, MSG_NOSIGNAL), "send");
        answer[0] = 0;
        if (is_delivered(connection, answer)) {
            printf("%s %.1f\n", subject->name, (double)(now_nanoseconds() - start) / 1000);
        } else {
            printf("%s lost\n", subject->name);
            fprintf(stderr, "connect: %s was not delivered: %s\n", subject->name, answer);
        }
        close(connection);
    }
}
