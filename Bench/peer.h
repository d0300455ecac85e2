// What the peers share: the clock that Belfry's events carry, and failing loudly.
#ifndef PEER_H
#define PEER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Microseconds since boot.
static inline int64_t boot_microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// For calls that return a negative number when they fail.
static inline int64_t checked(int64_t result, const char *what) {
    if (result < 0) {
        perror(what);
        exit(70);
    }
    return result;
}

#endif
