#include "CVideo4LinuxConvert.h"

#include <errno.h>
#include <limits.h>
#include <linux/videodev2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <libv4l-plugin.h>
#include <libv4lconvert.h>

struct cv4l_converter {
    struct v4lconvert_data *library;
    struct v4l2_format source;
    struct v4l2_format target;
};

// The library wants a device to ask, and adds software controls, kept in shared memory, to one that offers nothing but
// formats of its own. This device offers one format that the library does not know, and nothing else.
static int answer(void *state, int descriptor, unsigned long request, void *argument) {
    (void)state;
    (void)descriptor;
    if (request == VIDIOC_ENUM_FMT && ((struct v4l2_fmtdesc *)argument)->index == 0) {
        ((struct v4l2_fmtdesc *)argument)->pixelformat = 0;
        return 0;
    }
    if (request == VIDIOC_QUERYCAP) {
        memset(argument, 0, sizeof(struct v4l2_capability));
        return 0;
    }
    errno = request == VIDIOC_ENUM_FMT ? EINVAL : ENOTTY;
    return -1;
}

static void *open_nothing(int descriptor) {
    (void)descriptor;
    return NULL;
}

static void close_nothing(void *state) {
    (void)state;
}

static ssize_t read_nothing(void *state, int descriptor, void *buffer, size_t size) {
    (void)state, (void)descriptor, (void)buffer, (void)size;
    errno = EINVAL;
    return -1;
}

static ssize_t write_nothing(void *state, int descriptor, const void *buffer, size_t size) {
    (void)state, (void)descriptor, (void)buffer, (void)size;
    errno = EINVAL;
    return -1;
}

static const struct libv4l_dev_ops no_device = {
    .init = open_nothing, .close = close_nothing, .ioctl = answer, .read = read_nothing, .write = write_nothing};

static struct v4l2_format format(uint32_t fourcc, uint32_t bytes_per_line, uint32_t width, uint32_t height) {
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    format.fmt.pix.pixelformat = fourcc;
    format.fmt.pix.width = width;
    format.fmt.pix.height = height;
    format.fmt.pix.field = V4L2_FIELD_NONE;
    format.fmt.pix.bytesperline = bytes_per_line;
    return format;
}

struct cv4l_converter *cv4l_converter_create(uint32_t source_fourcc, uint32_t bytes_per_line, uint32_t target_fourcc,
                                             uint32_t width, uint32_t height) {
    struct cv4l_converter *converter = calloc(1, sizeof *converter);
    if (!converter) return NULL;
    converter->library = v4lconvert_create_with_dev_ops(-1, NULL, &no_device);
    if (!converter->library) {
        free(converter);
        return NULL;
    }
    converter->source = format(source_fourcc, bytes_per_line, width, height);
    converter->target = format(target_fourcc, 0, width, height);
    v4lconvert_fixup_fmt(&converter->target);
    return converter;
}

void cv4l_converter_destroy(struct cv4l_converter *converter) {
    v4lconvert_destroy(converter->library);
    free(converter);
}

int cv4l_convert(struct cv4l_converter *converter, uint8_t *source, size_t source_size, uint8_t *target,
                 size_t target_size) {
    if (source_size > INT_MAX || target_size > INT_MAX) return EINVAL;
    converter->source.fmt.pix.sizeimage = (uint32_t)source_size;
    errno = 0;
    int count = v4lconvert_convert(converter->library, &converter->source, &converter->target, source,
                                   (int)source_size, target, (int)target_size);
    if (count >= 0) return (size_t)count == target_size ? 0 : EIO;
    return errno ? errno : EIO;
}
