/// The few calls of LibRaw that are needed, without its header, which is C++ for the most part.
#ifndef CAPRIG_CLIBRAW_H
#define CAPRIG_CLIBRAW_H

#include <stddef.h>
#include <stdint.h>

/// A developed picture: rows from the top, without padding, three bytes R, G, B a pixel.
typedef struct {
    const uint8_t *pixels;
    size_t byte_count;
    uint32_t width;
    uint32_t height;
    /// What `caprig_libraw_free` frees.
    void *image;
} caprig_libraw_picture;

/// How a picture is made of a mosaic.
typedef enum {
    /// One pixel of four samples: half of the width and height.
    CAPRIG_LIBRAW_HALF,
    /// Every pixel, by patterned pixel grouping.
    CAPRIG_LIBRAW_FULL,
} caprig_libraw_scale;

/// Develops a raw file in memory to sRGB as the file describes its colors, not turned.
///
/// Uses the calling thread only. Returns 0, or one of LibRaw's error codes; then there is no picture.
int caprig_libraw_develop(const uint8_t *file, size_t byte_count, caprig_libraw_scale scale,
                          caprig_libraw_picture *picture);

/// Frees a picture; harmless where there is none.
void caprig_libraw_free(caprig_libraw_picture *picture);

/// The package with LibRaw if this machine does not have it; else NULL. Loads it.
const char *caprig_libraw_missing_package(void);

/// An error code in LibRaw's words.
const char *caprig_libraw_message(int code);

#endif
