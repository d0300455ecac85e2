// A table of numbers as Belfry's file has it: Sources/Core/CallDirectory/NumberTable.swift says how.
#ifndef NUMBER_TABLE_H
#define NUMBER_TABLE_H

#include <stdint.h>
#include <string.h>

enum { header_bytes = 64, row_bytes = 12 };

static inline uint64_t checksum_of(uint64_t value, const unsigned char *bytes, size_t count) {
    for (size_t at = 0; at < count; at += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, count - at < 8 ? count - at : 8);
        value = (value ^ word) * 0x100000001B3u;
    }
    return value;
}

static const uint64_t checksum_of_nothing = 0xCBF29CE484222325u;

#endif
