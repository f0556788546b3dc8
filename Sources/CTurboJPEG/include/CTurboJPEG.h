/// libjpeg-turbo's TurboJPEG API plus the one pixel loop that Swift would run too slowly without optimisation.
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

#endif
