/// The pictures that the cameras deliver: a file of JPEG images one after another, as FFmpeg's `mjpeg` format writes.
#ifndef CAPRIG_BENCH_JPEG_FILM_H
#define CAPRIG_BENCH_JPEG_FILM_H

#include <stddef.h>
#include <stdint.h>

struct jpeg_image {
    const uint8_t *bytes;
    size_t length;
};

struct jpeg_film {
    struct jpeg_image *images;
    size_t count;
    uint32_t width, height;
    /// Bytes of the largest image.
    size_t largest;
};

/// Reads a film into memory, where it stays; ends the process with a sentence where that cannot be done.
struct jpeg_film jpeg_film_read(const char *path);

#endif
