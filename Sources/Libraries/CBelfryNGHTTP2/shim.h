#pragma once
#include <nghttp2/nghttp2.h>

/// The length of a frame's header and the flags of the frame, which are members of a union.
static inline unsigned char cnghttp2_type(const nghttp2_frame *frame) { return frame->hd.type; }
static inline unsigned char cnghttp2_flags(const nghttp2_frame *frame) { return frame->hd.flags; }
static inline int cnghttp2_stream(const nghttp2_frame *frame) { return frame->hd.stream_id; }
/// Whether `frame` begins a request: HEADERS that are neither trailers nor an answer.
static inline int cnghttp2_is_request(const nghttp2_frame *frame) {
    return frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
}
