#include "CDNG.h"

#include <math.h>
#include <string.h>

void caprig_raw_read_bytes(const uint8_t *source, size_t count, uint16_t *target) {
    for (size_t index = 0; index < count; index++) target[index] = source[index];
}

void caprig_raw_read_words(const uint8_t *source, size_t count, uint16_t largest, uint16_t *target) {
    for (size_t index = 0; index < count; index++) {
        uint16_t sample = (uint16_t)(source[2 * index] | source[2 * index + 1] << 8);
        target[index] = sample < largest ? sample : largest;
    }
}

/// Reads rows of groups: `high` bytes of the high 8 bits of as many samples, then the low bits of all, the first
/// sample's lowest, in little-endian order.
static inline void read_mipi(const uint8_t *source, size_t width, size_t height, size_t high, size_t low,
                             unsigned low_bits, uint16_t *target) {
    for (size_t row = 0; row < height; row++) {
        for (size_t column = 0; column < width; column += high, source += high + low) {
            uint32_t rest = 0;
            for (size_t index = 0; index < low; index++) rest |= (uint32_t)source[high + index] << (8 * index);
            size_t samples = width - column < high ? width - column : high;
            for (size_t index = 0; index < samples; index++) {
                uint32_t bits = rest >> (low_bits * index) & ((1u << low_bits) - 1);
                *target++ = (uint16_t)((uint32_t)source[index] << low_bits | bits);
            }
        }
    }
}

void caprig_raw_read_mipi10(const uint8_t *source, size_t width, size_t height, uint16_t *target) {
    read_mipi(source, width, height, 4, 1, 2, target);
}

void caprig_raw_read_mipi12(const uint8_t *source, size_t width, size_t height, uint16_t *target) {
    read_mipi(source, width, height, 2, 1, 4, target);
}

void caprig_raw_read_mipi14(const uint8_t *source, size_t width, size_t height, uint16_t *target) {
    read_mipi(source, width, height, 4, 3, 6, target);
}

void caprig_raw_curve(unsigned bits, uint16_t curve[256]) {
    double largest = (double)((1u << bits) - 1);
    for (int value = 0; value < 256; value++) {
        double share = value / 255.0;
        // IEC 61966-2-1.
        double light = share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4);
        curve[value] = (uint16_t)lround(light * largest);
    }
}

static inline uint8_t clamped(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

/// Red, green or blue of a pixel, by the factors of JFIF in 16 fractional bits.
static inline uint8_t color(uint8_t which, int luma, int cb, int cr) {
    int round = 1 << 15;
    switch (which) {
    case 0: return clamped(luma + ((91881 * cr + round) >> 16));
    case 1: return clamped(luma + ((-22554 * cb - 46802 * cr + round) >> 16));
    default: return clamped(luma + ((116130 * cb + round) >> 16));
    }
}

void caprig_raw_sample(const caprig_raw_picture *picture, size_t width, size_t height, const uint8_t pattern[4],
                       const uint16_t curve[256], uint16_t *target) {
    for (size_t row = 0; row < height; row++) {
        const uint8_t *luma = picture->luma + row * picture->luma_stride;
        const uint8_t *cb = picture->cb + row * picture->chroma_stride;
        const uint8_t *cr = picture->cr + row * picture->chroma_stride;
        const uint8_t *colors = pattern + row % 2 * 2;
        for (size_t column = 0; column < width; column++) {
            size_t place = column >> picture->chroma_shift;
            *target++ = curve[color(colors[column % 2], luma[column], cb[place] - 128, cr[place] - 128)];
        }
    }
}

void caprig_raw_write_mipi(const uint16_t *samples, size_t width, size_t height, unsigned bits, uint8_t *target) {
    unsigned low_bits = bits - 8;
    size_t high = bits == 12 ? 2 : 4;
    size_t low = high * low_bits / 8;
    for (size_t row = 0; row < height; row++) {
        for (size_t column = 0; column < width; column += high, target += high + low) {
            uint32_t rest = 0;
            for (size_t index = 0; index < high; index++) {
                uint32_t sample = column + index < width ? *samples++ : 0;
                target[index] = (uint8_t)(sample >> low_bits);
                rest |= (sample & ((1u << low_bits) - 1)) << (low_bits * index);
            }
            for (size_t index = 0; index < low; index++) target[high + index] = (uint8_t)(rest >> (8 * index));
        }
    }
}

void caprig_raw_write_low_words(const uint16_t *samples, size_t count, uint8_t *target) {
    for (size_t index = 0; index < count; index++) {
        target[2 * index] = (uint8_t)samples[index];
        target[2 * index + 1] = (uint8_t)(samples[index] >> 8);
    }
}

void caprig_raw_write_bytes(const uint16_t *samples, size_t count, uint8_t *target) {
    for (size_t index = 0; index < count; index++) target[index] = (uint8_t)samples[index];
}

void caprig_raw_write_words(const uint16_t *samples, size_t count, uint8_t *target) {
    for (size_t index = 0; index < count; index++) {
        target[2 * index] = (uint8_t)(samples[index] >> 8);
        target[2 * index + 1] = (uint8_t)samples[index];
    }
}

/// The difference of a sample to its prediction, modulo 2^16.
static inline int difference(const uint16_t *row, size_t column, size_t width, size_t components, int is_first_row,
                             unsigned bits) {
    unsigned prediction;
    if (column >= components) {
        prediction = row[column - components];
    } else if (is_first_row) {
        prediction = 1u << (bits - 1);
    } else {
        prediction = *(row + column - width);
    }
    return (int16_t)(uint16_t)(row[column] - prediction);
}

static inline unsigned category(int difference) {
    unsigned magnitude = (unsigned)(difference < 0 ? -difference : difference);
    return magnitude == 0 ? 0 : 32 - (unsigned)__builtin_clz(magnitude);
}

void caprig_lossless_count(const uint16_t *samples, size_t width, size_t height, size_t components, unsigned bits,
                           uint64_t counts[CAPRIG_LOSSLESS_CATEGORIES]) {
    memset(counts, 0, CAPRIG_LOSSLESS_CATEGORIES * sizeof counts[0]);
    for (size_t row = 0; row < height; row++, samples += width) {
        for (size_t column = 0; column < width; column++) {
            counts[category(difference(samples, column, width, components, row == 0, bits))]++;
        }
    }
}

/// Bits that wait for their byte, and where it goes.
struct writer {
    uint64_t bits;
    unsigned count;
    uint8_t *next;
    uint8_t *end;
};

/// Writes whole bytes, each 0xFF followed by a zero; 0 where there is no room.
static inline int flush(struct writer *writer) {
    if (writer->end - writer->next < 16) return 0;
    while (writer->count >= 8) {
        writer->count -= 8;
        uint8_t byte = (uint8_t)(writer->bits >> writer->count);
        *writer->next++ = byte;
        if (byte == 0xFF) *writer->next++ = 0;
    }
    return 1;
}

size_t caprig_lossless_encode(const uint16_t *samples, size_t width, size_t height, size_t components, unsigned bits,
                              const uint16_t codes[CAPRIG_LOSSLESS_CATEGORIES],
                              const uint8_t lengths[CAPRIG_LOSSLESS_CATEGORIES], uint8_t *target, size_t capacity) {
    struct writer writer = {.next = target, .end = target + capacity};
    for (size_t row = 0; row < height; row++, samples += width) {
        for (size_t column = 0; column < width; column++) {
            int value = difference(samples, column, width, components, row == 0, bits);
            unsigned size = category(value);
            // The largest difference has a code and no further bits.
            unsigned extra = size == 16 ? 0 : size;
            uint32_t low = (uint32_t)(value < 0 ? value - 1 : value) & ((1u << extra) - 1);
            writer.bits = writer.bits << lengths[size] | codes[size];
            writer.bits = writer.bits << extra | low;
            writer.count += lengths[size] + extra;
            // At most 31 bits a sample come on top of less than 32.
            if (writer.count >= 32 && !flush(&writer)) return 0;
        }
    }
    // The last byte is filled with ones.
    unsigned padding = (8 - writer.count % 8) % 8;
    writer.bits = writer.bits << padding | ((1u << padding) - 1);
    writer.count += padding;
    if (!flush(&writer)) return 0;
    return (size_t)(writer.next - target);
}
