#include "CTurboJPEG.h"

#include <string.h>

// Vector types keep the loops fast in unoptimized builds too.
typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint8_t bytes8 __attribute__((vector_size(8)));
typedef uint16_t words16 __attribute__((vector_size(32)));
typedef int16_t shorts16 __attribute__((vector_size(32)));

#define EVEN_BYTES(low, high) \
    __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD_BYTES(low, high) \
    __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)

static void split_yuyv_row(const uint8_t *source, size_t width, uint8_t *luma, uint8_t *cb, uint8_t *cr) {
    size_t x = 0;
    for (; x + 16 <= width; x += 16) {
        bytes16 low, high;
        memcpy(&low, source + 2 * x, 16);
        memcpy(&high, source + 2 * x + 16, 16);
        bytes16 y = EVEN_BYTES(low, high);
        bytes8 b = __builtin_shufflevector(low, high, 1, 5, 9, 13, 17, 21, 25, 29);
        bytes8 r = __builtin_shufflevector(low, high, 3, 7, 11, 15, 19, 23, 27, 31);
        memcpy(luma + x, &y, 16);
        memcpy(cb + x / 2, &b, 8);
        memcpy(cr + x / 2, &r, 8);
    }
    for (; x + 2 <= width; x += 2) {
        luma[x] = source[2 * x];
        cb[x / 2] = source[2 * x + 1];
        luma[x + 1] = source[2 * x + 2];
        cr[x / 2] = source[2 * x + 3];
    }
}

static void split_uyvy_row(const uint8_t *source, size_t width, uint8_t *luma, uint8_t *cb, uint8_t *cr) {
    size_t x = 0;
    for (; x + 16 <= width; x += 16) {
        bytes16 low, high;
        memcpy(&low, source + 2 * x, 16);
        memcpy(&high, source + 2 * x + 16, 16);
        bytes16 y = ODD_BYTES(low, high);
        bytes8 b = __builtin_shufflevector(low, high, 0, 4, 8, 12, 16, 20, 24, 28);
        bytes8 r = __builtin_shufflevector(low, high, 2, 6, 10, 14, 18, 22, 26, 30);
        memcpy(luma + x, &y, 16);
        memcpy(cb + x / 2, &b, 8);
        memcpy(cr + x / 2, &r, 8);
    }
    for (; x + 2 <= width; x += 2) {
        cb[x / 2] = source[2 * x];
        luma[x] = source[2 * x + 1];
        cr[x / 2] = source[2 * x + 2];
        luma[x + 1] = source[2 * x + 3];
    }
}

typedef void split_row(const uint8_t *, size_t, uint8_t *, uint8_t *, uint8_t *);

static void split_422(split_row *split, const uint8_t *source, size_t source_stride, size_t width, size_t height,
                      uint8_t *luma, uint8_t *cb, uint8_t *cr) {
    for (size_t row = 0; row < height; row++) {
        split(source, width, luma, cb, cr);
        source += source_stride;
        luma += width;
        cb += width / 2;
        cr += width / 2;
    }
}

void caprig_split_yuyv(const uint8_t *source, size_t source_stride, size_t width, size_t height,
                       uint8_t *luma, uint8_t *cb, uint8_t *cr) {
    split_422(split_yuyv_row, source, source_stride, width, height, luma, cb, cr);
}

void caprig_split_uyvy(const uint8_t *source, size_t source_stride, size_t width, size_t height,
                       uint8_t *luma, uint8_t *cb, uint8_t *cr) {
    split_422(split_uyvy_row, source, source_stride, width, height, luma, cb, cr);
}

void caprig_split_pairs(const uint8_t *source, size_t count, uint8_t *first, uint8_t *second) {
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        bytes16 low, high;
        memcpy(&low, source + 2 * i, 16);
        memcpy(&high, source + 2 * i + 16, 16);
        bytes16 even = EVEN_BYTES(low, high), odd = ODD_BYTES(low, high);
        memcpy(first + i, &even, 16);
        memcpy(second + i, &odd, 16);
    }
    for (; i < count; i++) {
        first[i] = source[2 * i];
        second[i] = source[2 * i + 1];
    }
}

void caprig_reduce_gray(const uint8_t *source, size_t count, unsigned bits, uint8_t *target) {
    unsigned shift = bits > 8 ? bits - 8 : 0;
    size_t i = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; i + 16 <= count; i += 16) {
        words16 samples;
        memcpy(&samples, source + 2 * i, 32);
        samples = __builtin_elementwise_min(samples >> (uint16_t)shift, (words16){0} + (uint16_t)255);
        bytes16 reduced = __builtin_convertvector(samples, bytes16);
        memcpy(target + i, &reduced, 16);
    }
#endif
    for (; i < count; i++) {
        unsigned sample = (source[2 * i] | (unsigned)source[2 * i + 1] << 8) >> shift;
        target[i] = sample < 255 ? sample : 255;
    }
}

// 298 / 256 is 255 / 219 to a thousandth; the largest product, 219 * 298 + 128, still fits 16 bits.
static uint8_t widened_luma(uint8_t sample) {
    unsigned limited = sample < 16 ? 0 : sample > 235 ? 219 : sample - 16u;
    return (limited * 298 + 128) >> 8;
}

void caprig_widen_luma(const uint8_t *source, size_t count, uint8_t *target) {
    const bytes16 lowest = (bytes16){0} + (uint8_t)16, highest = (bytes16){0} + (uint8_t)235;
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        bytes16 samples;
        memcpy(&samples, source + i, 16);
        samples = __builtin_elementwise_max(__builtin_elementwise_min(samples, highest), lowest) - lowest;
        words16 wide = __builtin_convertvector(samples, words16);
        wide = (wide * (uint16_t)298 + (uint16_t)128) >> 8;
        samples = __builtin_convertvector(wide, bytes16);
        memcpy(target + i, &samples, 16);
    }
    for (; i < count; i++) target[i] = widened_luma(source[i]);
}

// 291 / 256 is 255 / 224 to two thousandths, and 112 * 291 + 128 the largest that fits 16 bits with a sign.
static uint8_t widened_chroma(uint8_t sample) {
    int limited = sample < 16 ? -112 : sample > 240 ? 112 : sample - 128;
    return (uint8_t)(((limited * 291 + 128) >> 8) + 128);
}

void caprig_widen_chroma(const uint8_t *source, size_t count, uint8_t *target) {
    const bytes16 lowest = (bytes16){0} + (uint8_t)16, highest = (bytes16){0} + (uint8_t)240;
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        bytes16 samples;
        memcpy(&samples, source + i, 16);
        samples = __builtin_elementwise_max(__builtin_elementwise_min(samples, highest), lowest);
        shorts16 wide = __builtin_convertvector(samples, shorts16) - (int16_t)128;
        wide = ((wide * (int16_t)291 + (int16_t)128) >> 8) + (int16_t)128;
        samples = __builtin_convertvector(wide, bytes16);
        memcpy(target + i, &samples, 16);
    }
    for (; i < count; i++) target[i] = widened_chroma(source[i]);
}

void caprig_turn_plane(const uint8_t *source, ptrdiff_t across, ptrdiff_t down, size_t width, size_t height,
                       uint8_t *target, size_t stride, size_t rows) {
    for (size_t y = 0; y < rows; y++) {
        const uint8_t *sample = source + (ptrdiff_t)(y < height ? y : height - 1) * down;
        for (size_t x = 0; x < width; x++) target[x] = sample[(ptrdiff_t)x * across];
        memset(target + width, target[width - 1], stride - width);
        target += stride;
    }
}
