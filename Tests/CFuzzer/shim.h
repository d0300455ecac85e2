#pragma once
#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own loop, from its library without a main().
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*feed)(const uint8_t *bytes, size_t count));

static inline int cfuzzer_run(int argc, char **argv, int (*feed)(const uint8_t *bytes, size_t count)) {
    return LLVMFuzzerRunDriver(&argc, &argv, feed);
}
