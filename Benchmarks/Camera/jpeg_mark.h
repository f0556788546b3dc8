/// The mark in a picture: a JPEG comment right behind the start of the image, with the camera's and the frame's number
/// in decimal digits. A program that hands the camera's bytes on hands the mark on.
#ifndef CAPRIG_BENCH_JPEG_MARK_H
#define CAPRIG_BENCH_JPEG_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes that a mark adds to an image.
#define JPEG_MARK_LENGTH 48u

/// Copies an image of `length` bytes (from its start of image on) with a mark in front into `output`, which has room for
/// `JPEG_MARK_LENGTH` bytes more.
void jpeg_mark_insert(uint8_t *output, const uint8_t *image, size_t length, uint32_t camera, uint64_t frame);

/// Reads a mark among the first segments of an image; false where there is none.
bool jpeg_mark_read(const uint8_t *image, size_t length, uint32_t *camera, uint64_t *frame);

#endif
