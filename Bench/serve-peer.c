// serve-peer SOCKET COMMAND [ARGUMENT]...   binds and listens, runs COMMAND, and ends once it has: what `belfry serve`
//                                           does at the least
// serve-peer --ready COMMAND [ARGUMENT]...  runs COMMAND, and prints the microseconds until something in it ran --now
// serve-peer --now                          prints microseconds since boot

#define _GNU_SOURCE
#include "peer.h"
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void serve(const char *path, char **command) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int listener = (int)checked(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    checked(bind(listener, (struct sockaddr *)&address, sizeof address), "bind");
    checked(listen(listener, 256), "listen");
    pid_t child;
    checked(-posix_spawn(&child, command[0], NULL, NULL, command, environ), command[0]);
    checked(waitpid(child, NULL, 0), "waitpid");
    unlink(path);
}

static void time_until_ready(char **command) {
    int ends[2];
    checked(pipe(ends), "pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    pid_t child;
    int64_t start = boot_microseconds();
    checked(-posix_spawn(&child, command[0], &actions, NULL, command, environ), command[0]);
    close(ends[1]);
    FILE *output = fdopen(ends[0], "r");
    long long ready;
    checked(fscanf(output, "%lld", &ready) - 1, "no time came back");
    checked(waitpid(child, NULL, 0), "waitpid");
    printf("%lld\n", ready - (long long)start);
}

int main(int count, char **words) {
    if (count == 2 && strcmp(words[1], "--now") == 0) {
        printf("%lld\n", (long long)boot_microseconds());
    } else if (count > 2 && strcmp(words[1], "--ready") == 0) {
        time_until_ready(words + 2);
    } else if (count > 2) {
        serve(words[1], words + 2);
    } else {
        return 64;
    }
}
