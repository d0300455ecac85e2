// number-lookup FOLDER ID...
//
// For each number in standard input, one a line, looks it up as Belfry does: opens the folder of the directory, asks
// for the tables of the address book and of the person's list, which are not there, reads which extensions there are,
// and opens the table of each, searched by halves with pread until one has the number. Prints the microseconds of a
// look-up.

#define _GNU_SOURCE
#include "number-table.h"
#include "peer.h"
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_in(int folder, const char *name) { return openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW); }

// Whether the table `path` has the number; its label then.
static bool look_up(int folder, const char *path, int64_t wanted, char *label) {
    int file = (int)checked(open_in(folder, path), path);
    struct stat status;
    checked(fstat(file, &status), path);
    unsigned char header[header_bytes];
    uint64_t counts[2];
    bool found = false;
    if (pread(file, header, sizeof header, 0) == sizeof header && memcmp(header, "BELFRY#\n", 8) == 0) {
        memcpy(counts, header + 16, sizeof counts);
        uint64_t low = 0, high = counts[0];
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            unsigned char row[row_bytes];
            if (pread(file, row, sizeof row, (off_t)(header_bytes + middle * row_bytes)) != sizeof row) break;
            int64_t number;
            memcpy(&number, row, 8);
            if (number == wanted) {
                uint32_t meaning;
                uint16_t bytes;
                memcpy(&meaning, row + 8, 4);
                off_t at = (off_t)(header_bytes + counts[0] * row_bytes + (meaning & 0x7FFFFFFF) - 1);
                checked(pread(file, &bytes, 2, at), path);
                checked(pread(file, label, bytes, at + 2), path);
                label[bytes] = 0;
                found = true;
                break;
            }
            if (number < wanted) low = middle + 1;
            else high = middle;
        }
    }
    close(file);
    return found;
}

// Opens the folder, and reads what is not a table of an extension.
static int open_folder(const char *path) {
    static char records[1 << 18];
    struct stat status;
    int folder = (int)checked(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path);
    checked(fstat(folder, &status), path);
    if (open_in(folder, "contacts.numbers") >= 0 || open_in(folder, "list.numbers") >= 0) exit(65);
    int file = (int)checked(open_in(folder, "extensions.json"), "extensions.json");
    checked(fstat(file, &status), path);
    checked(read(file, records, sizeof records), "extensions.json");
    close(file);
    return folder;
}

int main(int count, char **arguments) {
    char line[64], label[65537], name[512];
    int64_t begun = boot_microseconds();
    long looked_up = 0;
    for (; fgets(line, sizeof line, stdin); looked_up++) {
        int folder = open_folder(arguments[1]);
        int64_t number = strtoll(line, NULL, 10);
        bool found = false;
        for (int table = 2; table < count && !found; table++) {
            snprintf(name, sizeof name, "%s.extension.numbers", arguments[table]);
            found = look_up(folder, name, number, label);
        }
        close(folder);
    }
    printf("%f\n", (double)(boot_microseconds() - begun) / (double)(looked_up ? looked_up : 1));
    return 0;
}
