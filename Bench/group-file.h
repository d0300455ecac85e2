// The group file for measuring code: read whole, and one call's state found in its text.
#ifndef GROUP_FILE_H
#define GROUP_FILE_H


#include "peer.h"
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { group_file_bytes_max = 1024 * 1024 };

// The file's text, zero-terminated, in a buffer of its own; nothing of a file that is not there.
static inline size_t read_group_file(const char *path, char *text) {
    size_t length = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t count;
        while ((count = read(file, text + length, group_file_bytes_max - 1 - length)) > 0) length += (size_t)count;
        close(file);
    }
    text[length] = 0;
    return length;
}

// Where the text of call `id`'s state begins; NULL where the file has no such call.
static inline char *state_of_call(char *text, const char *id) {
    char key[256];
    snprintf(key, sizeof key, "<key>%s</key>", id);
    char *found = strstr(text, key);
    if (found) found = strstr(found, "<key>state</key>");
    if (found) found = strstr(found, "<string>");
    return found ? found + strlen("<string>") : NULL;
}

static inline bool begins_with(const char *text, const char *word) {
    return strncmp(text, word, strlen(word)) == 0;
}

#endif
