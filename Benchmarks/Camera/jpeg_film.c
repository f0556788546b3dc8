#define _GNU_SOURCE
#include "jpeg_film.h"

#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t *map(const char *path, size_t *length) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (file < 0 || fstat(file, &about) < 0) err(1, "%s", path);
    if (about.st_size < 4) errx(1, "%s: is not a film of JPEG images", path);
    void *bytes = mmap(NULL, about.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (bytes == MAP_FAILED) err(1, "%s", path);
    close(file);
    *length = about.st_size;
    return bytes;
}

// Whether a frame header (SOF0 to SOF2) begins here; its size is stored.
static bool frame_header(const uint8_t *at, size_t left, struct jpeg_film *film) {
    if (left < 9 || at[0] != 0xff || at[1] < 0xc0 || at[1] > 0xc2) return false;
    film->height = (uint32_t)at[5] << 8 | at[6];
    film->width = (uint32_t)at[7] << 8 | at[8];
    return true;
}

// Steps over the segments up to the scan, and through it to the end of the image: in a scan 0xff stands before 0x00 or
// a restart only.
static size_t image_length(const uint8_t *image, size_t left, struct jpeg_film *film) {
    size_t at = 2;
    while (at + 4 <= left && image[at] == 0xff && image[at + 1] != 0xda) {
        frame_header(image + at, left - at, film);
        at += 2 + ((size_t)image[at + 2] << 8 | image[at + 3]);
    }
    for (; at + 2 <= left; at++) {
        if (image[at] == 0xff && image[at + 1] == 0xd9) return at + 2;
    }
    return 0;
}

struct jpeg_film jpeg_film_read(const char *path) {
    struct jpeg_film film = {0};
    size_t length;
    const uint8_t *bytes = map(path, &length);
    for (size_t at = 0; at + 2 <= length && bytes[at] == 0xff && bytes[at + 1] == 0xd8;) {
        size_t image = image_length(bytes + at, length - at, &film);
        if (image == 0) break;
        film.images = reallocarray(film.images, film.count + 1, sizeof *film.images);
        if (!film.images) err(1, "%s", path);
        film.images[film.count++] = (struct jpeg_image){bytes + at, image};
        if (image > film.largest) film.largest = image;
        at += image;
    }
    if (film.count == 0 || film.width == 0) errx(1, "%s: is not a film of JPEG images", path);
    return film;
}
