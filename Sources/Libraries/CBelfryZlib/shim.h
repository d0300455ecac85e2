#pragma once

// The calls of zlib that an extension inflates and deflates with, as zlib.h has them. Written out, since whoever builds
// an extension need not have that header; the library is opened when something is first decompressed.
typedef struct {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *message;
    void *state;
    void *(*allocate)(void *opaque, unsigned int items, unsigned int size);
    void (*release)(void *opaque, void *address);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} czlib_stream;

enum {
    CZLIB_FINISH = 4,
    CZLIB_STREAM_END = 1,
    CZLIB_OK = 0,
    CZLIB_BUFFER_ERROR = -5,
    CZLIB_DEFLATED = 8,
    // Without a head of zlib's or gzip's: RFC 1951 alone.
    CZLIB_RAW_BITS = -15,
};

struct czlib_calls {
    int (*begin_inflating)(czlib_stream *stream, int bits, const char *version, int stream_size);
    int (*inflate)(czlib_stream *stream, int flush);
    int (*end_inflating)(czlib_stream *stream);
    int (*begin_deflating)(
        czlib_stream *stream, int level, int method, int bits, int memory, int strategy, const char *version,
        int stream_size);
    int (*deflate)(czlib_stream *stream, int flush);
    int (*end_deflating)(czlib_stream *stream);
};
