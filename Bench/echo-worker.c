// The least that a worker can be: reads one JSON object from the connection, answers one line, and leaves.
// The peer of the time from connecting to `delivered`.

#include "peer.h"
#include <stdbool.h>
#include <unistd.h>

enum { input_bytes_max = 64 * 1024 };

// Whether `input` holds an object up to its matching brace; anything else ends at its first newline.
static bool is_whole(const char *input, size_t length) {
    int depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < length; i++) {
        char byte = input[i];
        if (input[0] != '{' && byte == '\n') return true;
        if (in_string) {
            if (byte == '\\') i++;
            else if (byte == '"') in_string = false;
        } else if (byte == '"') in_string = true;
        else if (byte == '{') depth++;
        else if (byte == '}' && --depth == 0) return true;
    }
    return false;
}

int main(void) {
    static char input[input_bytes_max];
    size_t length = 0;
    while (length < sizeof input && !is_whole(input, length)) {
        ssize_t count = checked(read(STDIN_FILENO, input + length, sizeof input - length), "read");
        if (count == 0) break;
        length += (size_t)count;
    }
    static const char answer[] = "{\"event\":\"delivered\"}\n";
    checked(write(STDOUT_FILENO, answer, sizeof answer - 1), "write");
}
