#include "jpeg_mark.h"

#include <stdio.h>
#include <string.h>

// SOI, then COM with a length that counts itself and the text, but not its marker.
enum { HEADER = 4, TEXT = JPEG_MARK_LENGTH - HEADER };
static const char *const format = "CAPRIG-BENCH camera %05u frame %012llu";

void jpeg_mark_insert(uint8_t *output, const uint8_t *image, size_t length, uint32_t camera, uint64_t frame) {
    char text[TEXT + 1] = {0};
    snprintf(text, sizeof text, format, camera % 100000, (unsigned long long)(frame % 1000000000000ull));
    const uint8_t header[] = {0xff, 0xd8, 0xff, 0xfe, 0, TEXT + 2};
    memcpy(output, header, sizeof header);
    memcpy(output + sizeof header, text, TEXT);
    memcpy(output + sizeof header + TEXT, image + 2, length - 2);
}

static bool parse(const uint8_t *text, size_t length, uint32_t *camera, uint64_t *frame) {
    char copy[TEXT + 1] = {0};
    unsigned long long number;
    memcpy(copy, text, length < TEXT ? length : TEXT);
    if (sscanf(copy, "CAPRIG-BENCH camera %u frame %llu", camera, &number) != 2) return false;
    *frame = number;
    return true;
}

bool jpeg_mark_read(const uint8_t *image, size_t length, uint32_t *camera, uint64_t *frame) {
    if (length < 4 || image[0] != 0xff || image[1] != 0xd8) return false;
    for (size_t at = 2; at + 4 <= length && image[at] == 0xff && image[at + 1] != 0xda;) {
        size_t segment = (size_t)image[at + 2] << 8 | image[at + 3];
        if (segment < 2 || at + 2 + segment > length) return false;
        if (image[at + 1] == 0xfe && parse(image + at + 4, segment - 2, camera, frame)) return true;
        at += 2 + segment;
    }
    return false;
}
