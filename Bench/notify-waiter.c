// notify-waiter: reads "FILE ID" from the connection, answers "waiting", waits by F_NOTIFY on the file's directory
// until the file says that call ID is hung up, and writes when it knew, in microseconds since boot. The peer of the
// time from a hangup in the group file to silence: a process woken the same way, that parses and writes nothing.

#define _GNU_SOURCE
#include "group-file.h"
#include <libgen.h>
#include <signal.h>

enum { patience_seconds = 60 };

int main(void) {
    static char text[group_file_bytes_max];
    char line[1024] = "", path[1024], id[128];
    checked(read(STDIN_FILENO, line, sizeof line - 1), "read");
    if (sscanf(line, "%1023s %127s", path, id) != 2) return 64;
    int signal_number = SIGRTMIN;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, signal_number);
    sigaddset(&signals, SIGIO);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    char *parent = strdup(path);
    int directory = (int)checked(open(dirname(parent), O_RDONLY | O_DIRECTORY | O_CLOEXEC), "open");
    checked(fcntl(directory, F_SETSIG, signal_number), "F_SETSIG");
    unsigned events = DN_MODIFY | DN_CREATE | DN_DELETE | DN_RENAME | DN_MULTISHOT;
    checked(fcntl(directory, F_NOTIFY, events), "F_NOTIFY");
    dprintf(STDOUT_FILENO, "waiting\n");
    for (;;) {
        struct timespec patience = {patience_seconds, 0};
        checked(sigtimedwait(&signals, NULL, &patience), "sigtimedwait");
        read_group_file(path, text);
        char *state = state_of_call(text, id);
        if (state && begins_with(state, "hangup<")) break;
    }
    dprintf(STDOUT_FILENO, "%lld\n", (long long)boot_microseconds());
}
