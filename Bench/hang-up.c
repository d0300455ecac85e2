// hang-up FILE ID|--all
//
// Hangs up call ID, or every ringing one, in the group file CONTAINER/Library/Preferences/NAME.plist as a Belfry writer
// does: under the lock beside the file, by a temporary file in CONTAINER/tmp, where nobody watches, and a rename. Prints
// when the rename began, in microseconds since boot.

#define _GNU_SOURCE
#include "group-file.h"
#include <libgen.h>
#include <sys/file.h>

static const char ringing[] = "ringing<", hangup[] = "hangup";

// Rewrites the state at `state`, which is shorter than before.
static void hang_up(char *state) {
    char *rest = state + strlen(ringing) - 1;
    memcpy(state, hangup, sizeof hangup - 1);
    memmove(state + sizeof hangup - 1, rest, strlen(rest) + 1);
}

int main(int count, char **arguments) {
    static char text[group_file_bytes_max];
    if (count != 3) return 64;
    const char *path = arguments[1], *id = arguments[2];
    char beside[1100];
    snprintf(beside, sizeof beside, "%s.lock", path);
    int lock = (int)checked(open(beside, O_RDWR | O_CREAT | O_CLOEXEC, 0600), beside);
    checked(flock(lock, LOCK_EX), "flock");
    read_group_file(path, text);
    if (strcmp(id, "--all") == 0) {
        static const char state_key[] = "<key>state</key>";
        for (char *at = text; (at = strstr(at, state_key)) != NULL; at += sizeof state_key) {
            char *state = strstr(at, "<string>");
            if (state && begins_with(state += strlen("<string>"), ringing)) hang_up(state);
        }
    } else {
        char *state = state_of_call(text, id);
        if (!state || !begins_with(state, ringing)) {
            fprintf(stderr, "hang-up: %s does not ring\n", id);
            return 66;
        }
        hang_up(state);
    }
    char *preferences = dirname(strdup(path));
    char temporary[1100];
    snprintf(temporary, sizeof temporary, "%s/../../tmp/hang-up", preferences);
    int file = (int)checked(open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), temporary);
    checked(write(file, text, strlen(text)), "write");
    close(file);
    int64_t began = boot_microseconds();
    checked(rename(temporary, path), "rename");
    close(lock);
    printf("%lld\n", (long long)began);
}
