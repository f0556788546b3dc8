/// libjpeg-turbo's TurboJPEG API plus the pixel loops that Swift would run too slowly without optimization.
#ifndef CAPRIG_CTURBOJPEG_H
#define CAPRIG_CTURBOJPEG_H

#include <stddef.h>
#include <stdint.h>
#include <turbojpeg.h>

/// Splits packed 4:2:2 (Y0 Cb Y1 Cr) into three planes.
///
/// `width` is in pixels and must be even. A source row occupies at least `2 * width` bytes and rows start
/// `source_stride` bytes apart; the planes are tightly packed (`width`, `width / 2` and `width / 2` bytes a row).
void caprig_split_yuyv(const uint8_t *source, size_t source_stride, size_t width, size_t height,
                       uint8_t *luma, uint8_t *cb, uint8_t *cr);

/// The same of Cb Y0 Cr Y1.
void caprig_split_uyvy(const uint8_t *source, size_t source_stride, size_t width, size_t height,
                       uint8_t *luma, uint8_t *cb, uint8_t *cr);

/// Splits `count` pairs of bytes into their first and their second ones.
void caprig_split_pairs(const uint8_t *source, size_t count, uint8_t *first, uint8_t *second);

/// Reduces `count` samples of `bits` significant bits (8 to 16), two little-endian bytes each, to 8 bits; samples with
/// higher bits set become white.
void caprig_reduce_gray(const uint8_t *source, size_t count, unsigned bits, uint8_t *target);

/// Widens luma from 16...235 to 0...255; samples outside become black or white. `target` may be `source`.
void caprig_widen_luma(const uint8_t *source, size_t count, uint8_t *target);

/// Widens chroma from 16...240 to 0...255 around 128. `target` may be `source`.
void caprig_widen_chroma(const uint8_t *source, size_t count, uint8_t *target);

/// Copies a plane in another order of rows and columns: the target's sample (x, y) is `source[x * across + y * down]`.
///
/// `source` is the sample for (0, 0), which may be any corner of its plane. The target's rows of `stride` bytes have `width` samples, at
/// least 1 and at most `stride`, and are `rows` many, of which `height`, at least 1, have samples in the source. The last column and row
/// are repeated beyond.
void caprig_turn_plane(const uint8_t *source, ptrdiff_t across, ptrdiff_t down, size_t width, size_t height,
                       uint8_t *target, size_t stride, size_t rows);

#endif
