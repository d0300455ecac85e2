// number-load COUNT FOLDER
//
// A child writes COUNT entries with labels, in ascending order, into a pipe; this process reads them, interns the
// labels, and writes Belfry's file of them: flushed, renamed, the labels through a file of their own. Prints the
// seconds from the start of the child.

#define _GNU_SOURCE
#include "number-table.h"
#include "peer.h"
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { chunk = 49152, known_max = 1 << 16, slots = 1 << 17 };

struct known {
    uint32_t place, count;
    char text[24];
};
static struct known known[slots];
static int known_count;

static FILE *opened(const char *path, const char *mode) {
    FILE *file = fopen(path, mode);
    if (!file) checked(-1, path);
    setvbuf(file, NULL, _IOFBF, chunk);
    return file;
}

static void generate(FILE *to, long count) {
    for (long entry = 0; entry < count; entry++) {
        int64_t number = 4930000000 + entry;
        char label[24];
        uint16_t bytes = (uint16_t)snprintf(label, sizeof label, "Label %ld", entry % 1000);
        fwrite(&number, 8, 1, to);
        fwrite(&bytes, 2, 1, to);
        fwrite(label, 1, bytes, to);
    }
    fflush(to);
}

// Where the label is among the labels, which are written to `labels` as they come first.
static uint32_t place_of(const char *text, uint16_t count, FILE *labels, uint32_t *labels_bytes) {
    uint32_t at = (uint32_t)checksum_of(checksum_of_nothing, (const unsigned char *)text, count) % slots;
    while (known[at].count && (known[at].count != count || memcmp(known[at].text, text, count) != 0)) {
        at = (at + 1) % slots;
    }
    if (known[at].count) return known[at].place;
    uint32_t place = *labels_bytes;
    fwrite(&count, 2, 1, labels);
    fwrite(text, 1, count, labels);
    *labels_bytes += 2u + count;
    if (known_count++ < known_max) {
        known[at].place = place;
        known[at].count = count;
        memcpy(known[at].text, text, count);
    }
    return place;
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    int64_t begun = boot_microseconds();
    long entries = atol(arguments[1]);
    int ends[2];
    checked(pipe2(ends, O_CLOEXEC), "pipe2");
    pid_t child = (pid_t)checked(fork(), "fork");
    if (child == 0) {
        close(ends[0]);
        generate(fdopen(ends[1], "w"), entries);
        _exit(0);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    setvbuf(from, NULL, _IOFBF, chunk);
    char path[1024], labels_path[1024], final_path[1024];
    snprintf(path, sizeof path, "%s/.peer.new", arguments[2]);
    snprintf(labels_path, sizeof labels_path, "%s/.peer.labels", arguments[2]);
    snprintf(final_path, sizeof final_path, "%s/peer.numbers", arguments[2]);
    FILE *file = opened(path, "w"), *labels = opened(labels_path, "w+");
    unsigned char header[header_bytes] = {0}, rows[chunk];
    fwrite(header, 1, sizeof header, file);
    uint64_t rows_checksum = checksum_of_nothing, labels_checksum = checksum_of_nothing, total = 0;
    uint32_t labels_bytes = 0;
    size_t filled = 0;
    int64_t number, last = INT64_MIN;
    while (fread(&number, 8, 1, from) == 1) {
        uint16_t bytes;
        char label[65536];
        if (fread(&bytes, 2, 1, from) != 1 || fread(label, 1, bytes, from) != bytes || number <= last) return 65;
        last = number;
        uint32_t meaning = place_of(label, bytes, labels, &labels_bytes) + 1;
        memcpy(rows + filled, &number, 8);
        memcpy(rows + filled + 8, &meaning, 4);
        total++;
        if ((filled += row_bytes) == chunk) {
            rows_checksum = checksum_of(rows_checksum, rows, filled);
            fwrite(rows, 1, filled, file);
            filled = 0;
        }
    }
    rows_checksum = checksum_of(rows_checksum, rows, filled);
    fwrite(rows, 1, filled, file);
    rewind(labels);
    for (size_t got; (got = fread(rows, 1, chunk, labels)) > 0;) {
        labels_checksum = checksum_of(labels_checksum, rows, got);
        fwrite(rows, 1, got, file);
    }
    fflush(file);
    uint32_t version = 1, flags = 1;
    uint64_t counts[5] = {total, labels_bytes, 0, rows_checksum, labels_checksum};
    memcpy(header, "BELFRY#\n", 8);
    memcpy(header + 8, &version, 4);
    memcpy(header + 12, &flags, 4);
    memcpy(header + 16, counts, sizeof counts);
    uint64_t own = checksum_of(checksum_of_nothing, header, 56);
    memcpy(header + 56, &own, 8);
    checked(pwrite(fileno(file), header, sizeof header, 0), path);
    checked(fsync(fileno(file)), path);
    checked(rename(path, final_path), final_path);
    unlink(labels_path);
    checked(waitpid(child, NULL, 0), "waitpid");
    printf("%f\n", (double)(boot_microseconds() - begun) / 1e6);
    return total == (uint64_t)entries ? 0 : 65;
}
