/// The loops over every sample of a raw image, which Swift would run too slowly without optimization.
#ifndef CAPRIG_CDNG_H
#define CAPRIG_CDNG_H

#include <stddef.h>
#include <stdint.h>

// Reading what V4L2 delivers. Rows follow one another without unused bytes; a row's last group is whole, even where the
// width does not fill it. `target` has room for width * height samples.

/// One byte a sample.
void caprig_raw_read_bytes(const uint8_t *source, size_t count, uint16_t *target);

/// Two bytes a sample, the lower first; samples above `largest` become `largest`.
void caprig_raw_read_words(const uint8_t *source, size_t count, uint16_t largest, uint16_t *target);

/// MIPI CSI-2 RAW10: four samples' high 8 bits in four bytes, their low 2 bits in a fifth.
void caprig_raw_read_mipi10(const uint8_t *source, size_t width, size_t height, uint16_t *target);

/// MIPI CSI-2 RAW12: two samples' high 8 bits in two bytes, their low 4 bits in a third.
void caprig_raw_read_mipi12(const uint8_t *source, size_t width, size_t height, uint16_t *target);

/// MIPI CSI-2 RAW14: four samples' high 8 bits in four bytes, their low 6 bits in three more.
void caprig_raw_read_mipi14(const uint8_t *source, size_t width, size_t height, uint16_t *target);

// What a sensor would deliver.

/// Samples that are in proportion to the light, as 8-bit values of sRGB stand for it, from 0 to 2^bits - 1.
void caprig_raw_curve(unsigned bits, uint16_t curve[256]);

/// A picture in the planes of YCbCr (JPEG's, full range) where chroma is sampled at half the width, or at the full width
/// with `chroma_shift` 0.
typedef struct {
    const uint8_t *luma, *cb, *cr;
    size_t luma_stride, chroma_stride;
    unsigned chroma_shift;
} caprig_raw_picture;

/// Samples a picture: at each pixel the one color (0 red, 1 green, 2 blue) of its place in the two by two pixels of
/// `pattern`.
void caprig_raw_sample(const caprig_raw_picture *picture, size_t width, size_t height, const uint8_t pattern[4],
                       const uint16_t curve[256], uint16_t *target);

/// Packs samples of 10, 12 or 14 bits as `caprig_raw_read_mipi…` reads them; an incomplete group is filled with zeros.
void caprig_raw_write_mipi(const uint16_t *samples, size_t width, size_t height, unsigned bits, uint8_t *target);

/// Two bytes a sample, the lower first.
void caprig_raw_write_low_words(const uint16_t *samples, size_t count, uint8_t *target);

// Writing.

/// One byte a sample.
void caprig_raw_write_bytes(const uint16_t *samples, size_t count, uint8_t *target);

/// Two bytes a sample, the higher first.
void caprig_raw_write_words(const uint16_t *samples, size_t count, uint8_t *target);

/// Categories of difference that lossless JPEG knows (ITU-T T.81, H.1.2.2).
#define CAPRIG_LOSSLESS_CATEGORIES 17

/// Counts the categories of the differences of an image to its prediction: the sample before it of the same component,
/// or above it at a row's beginning (predictor 1).
///
/// `components` is 1 or 2, and then neighboring columns alternate between them; `width` is a multiple of it.
void caprig_lossless_count(const uint16_t *samples, size_t width, size_t height, size_t components, unsigned bits,
                           uint64_t counts[CAPRIG_LOSSLESS_CATEGORIES]);

/// Writes the entropy-coded data, stuffed and padded, without markers.
///
/// Returns its bytes; 0 where they are more than `capacity`.
size_t caprig_lossless_encode(const uint16_t *samples, size_t width, size_t height, size_t components, unsigned bits,
                              const uint16_t codes[CAPRIG_LOSSLESS_CATEGORIES],
                              const uint8_t lengths[CAPRIG_LOSSLESS_CATEGORIES], uint8_t *target, size_t capacity);

#endif
