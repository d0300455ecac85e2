#pragma once
#include <sndfile.h>

// libsndfile's calls as its own header types them, for whoever opens the library himself. Nothing here refers to a
// symbol of the library, so nothing is linked.
struct csndfile_calls {
    __typeof__(&sf_open) open;
    __typeof__(&sf_readf_float) read_frames;
    __typeof__(&sf_close) close;
    __typeof__(&sf_strerror) error_text;
};
