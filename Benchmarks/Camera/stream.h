/// A live stream of pictures, as a viewer receives it.
#ifndef CAPRIG_BENCH_STREAM_H
#define CAPRIG_BENCH_STREAM_H

#include <stddef.h>
#include <stdint.h>

/// Where a stream's next picture is asked for. One thread uses a stream.
struct stream {
    /// The next picture, which stays valid until the next call: 1; 0 where none came within a tenth of a second, so that
    /// the caller can look whether to go on; -1 with a sentence on standard error where the stream has ended.
    int (*next)(struct stream *stream, const uint8_t **image, size_t *length);
};

/// `HOST:PORT/PATH`: MJPEG over HTTP (multipart/x-mixed-replace with lengths).
struct stream *http_stream_open(const char *address);

/// Caprig's frames channel (docs/protocol/frames.md); `topic` is `node/device/kind`.
struct stream *bus_stream_open(const char *endpoint, const char *topic);

#endif
