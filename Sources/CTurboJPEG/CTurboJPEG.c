#include "CTurboJPEG.h"

#include <string.h>

// Vector types keep the loop fast in unoptimised builds too: 32 packed bytes cost three shuffles either way.
typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint8_t bytes8 __attribute__((vector_size(8)));

static void split_row(const uint8_t *source, size_t width, uint8_t *luma, uint8_t *cb, uint8_t *cr) {
    size_t x = 0;
    for (; x + 16 <= width; x += 16) {
        bytes16 low, high;
        memcpy(&low, source + 2 * x, 16);
        memcpy(&high, source + 2 * x + 16, 16);
        bytes16 y = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
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

void caprig_split_yuyv(const uint8_t *source, size_t source_stride, size_t width, size_t height,
                       uint8_t *luma, uint8_t *cb, uint8_t *cr) {
    for (size_t row = 0; row < height; row++) {
        split_row(source, width, luma, cb, cr);
        source += source_stride;
        luma += width;
        cb += width / 2;
        cr += width / 2;
    }
}
