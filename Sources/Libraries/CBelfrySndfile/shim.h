#pragma once
#include <stdint.h>

// The calls of libsndfile that read and write a sound, as sndfile.h has them. Written out, since whoever builds an extension need
// not have that header; the library is opened when there is a sound.
typedef struct sf_private_tag SNDFILE;
typedef int64_t sf_count_t;

typedef struct {
    sf_count_t frames;
    int samplerate;
    int channels;
    int format;
    int sections;
    int seekable;
} SF_INFO;

enum {
    SFM_READ = 0x10,
    SFM_WRITE = 0x20,
};

struct csndfile_calls {
    SNDFILE *(*open)(const char *path, int mode, SF_INFO *information);
    sf_count_t (*seek)(SNDFILE *file, sf_count_t frames, int whence);
    sf_count_t (*read_frames)(SNDFILE *file, float *samples, sf_count_t frames);
    sf_count_t (*write_frames)(SNDFILE *file, const float *samples, sf_count_t frames);
    int (*close)(SNDFILE *file);
    const char *(*error_text)(SNDFILE *file);
};
