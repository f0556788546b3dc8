#define _GNU_SOURCE
#include "CVideo4Linux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

_Static_assert(CV4L_CAP_VIDEO_CAPTURE == V4L2_CAP_VIDEO_CAPTURE, "");
_Static_assert(CV4L_CAP_VIDEO_CAPTURE_MPLANE == V4L2_CAP_VIDEO_CAPTURE_MPLANE, "");
_Static_assert(CV4L_CAP_META_CAPTURE == V4L2_CAP_META_CAPTURE, "");
_Static_assert(CV4L_CAP_STREAMING == V4L2_CAP_STREAMING, "");
_Static_assert(CV4L_BUF_FLAG_ERROR == V4L2_BUF_FLAG_ERROR, "");
_Static_assert(CV4L_BUF_FLAG_TIMESTAMP_MASK == V4L2_BUF_FLAG_TIMESTAMP_MASK, "");
_Static_assert(CV4L_BUF_FLAG_TIMESTAMP_MONOTONIC == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, "");
_Static_assert(CV4L_BUF_FLAG_TSTAMP_SRC_MASK == V4L2_BUF_FLAG_TSTAMP_SRC_MASK, "");
_Static_assert(CV4L_BUF_FLAG_TSTAMP_SRC_SOE == V4L2_BUF_FLAG_TSTAMP_SRC_SOE, "");
_Static_assert(CV4L_CTRL_FLAG_DISABLED == V4L2_CTRL_FLAG_DISABLED, "");
_Static_assert(CV4L_CTRL_FLAG_READ_ONLY == V4L2_CTRL_FLAG_READ_ONLY, "");
_Static_assert(CV4L_CTRL_FLAG_INACTIVE == V4L2_CTRL_FLAG_INACTIVE, "");
_Static_assert(CV4L_CTRL_FLAG_WRITE_ONLY == V4L2_CTRL_FLAG_WRITE_ONLY, "");
_Static_assert(CV4L_CTRL_FLAG_HAS_PAYLOAD == V4L2_CTRL_FLAG_HAS_PAYLOAD, "");
_Static_assert(CV4L_CID_EXPOSURE_ABSOLUTE == V4L2_CID_EXPOSURE_ABSOLUTE, "");
_Static_assert(CV4L_FIELD_NONE == V4L2_FIELD_NONE && CV4L_FIELD_INTERLACED == V4L2_FIELD_INTERLACED, "");

static const uint32_t capture = V4L2_BUF_TYPE_VIDEO_CAPTURE;

static int repeat_ioctl(int descriptor, unsigned long request, void *argument) {
    while (ioctl(descriptor, request, argument) < 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

// The kernel's texts fill their arrays to the last byte in the worst case; the copy has one byte more for the zero.
static void copy_text(char *target, const void *source, size_t length) {
    memcpy(target, source, length);
    target[length] = 0;
}

int cv4l_open(const char *path, int *descriptor) {
    do {
        *descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    } while (*descriptor < 0 && errno == EINTR);
    return *descriptor < 0 ? errno : 0;
}

// Not repeated after EINTR: Linux has freed the number by then, and another thread may own it.
void cv4l_close(int descriptor) {
    close(descriptor);
}

int cv4l_query_capability(int descriptor, struct cv4l_capability *capability) {
    struct v4l2_capability answer = {0};
    int error = repeat_ioctl(descriptor, VIDIOC_QUERYCAP, &answer);
    if (error) return error;
    copy_text(capability->driver, answer.driver, sizeof answer.driver);
    copy_text(capability->card, answer.card, sizeof answer.card);
    copy_text(capability->bus_info, answer.bus_info, sizeof answer.bus_info);
    capability->version = answer.version;
    capability->capabilities =
        answer.capabilities & V4L2_CAP_DEVICE_CAPS ? answer.device_caps : answer.capabilities;
    return 0;
}

int cv4l_enumerate_format(int descriptor, uint32_t index, struct cv4l_format_description *description) {
    struct v4l2_fmtdesc answer = {.index = index, .type = capture};
    int error = repeat_ioctl(descriptor, VIDIOC_ENUM_FMT, &answer);
    if (error) return error;
    description->fourcc = answer.pixelformat;
    description->flags = answer.flags;
    copy_text(description->description, answer.description, sizeof answer.description);
    return 0;
}

int cv4l_enumerate_frame_size(int descriptor, uint32_t index, uint32_t fourcc, struct cv4l_frame_size *size) {
    struct v4l2_frmsizeenum answer = {.index = index, .pixel_format = fourcc};
    int error = repeat_ioctl(descriptor, VIDIOC_ENUM_FRAMESIZES, &answer);
    if (error) return error;
    size->is_discrete = answer.type == V4L2_FRMSIZE_TYPE_DISCRETE;
    if (size->is_discrete) {
        size->minimum_width = size->maximum_width = answer.discrete.width;
        size->minimum_height = size->maximum_height = answer.discrete.height;
        size->step_width = size->step_height = 1;
    } else {
        size->minimum_width = answer.stepwise.min_width;
        size->maximum_width = answer.stepwise.max_width;
        size->step_width = answer.stepwise.step_width;
        size->minimum_height = answer.stepwise.min_height;
        size->maximum_height = answer.stepwise.max_height;
        size->step_height = answer.stepwise.step_height;
    }
    return 0;
}

static struct cv4l_fraction fraction(struct v4l2_fract source) {
    return (struct cv4l_fraction){.numerator = source.numerator, .denominator = source.denominator};
}

int cv4l_enumerate_frame_interval(int descriptor, uint32_t index, uint32_t fourcc, uint32_t width, uint32_t height,
                                  struct cv4l_frame_interval *interval) {
    struct v4l2_frmivalenum answer = {.index = index, .pixel_format = fourcc, .width = width, .height = height};
    int error = repeat_ioctl(descriptor, VIDIOC_ENUM_FRAMEINTERVALS, &answer);
    if (error) return error;
    interval->is_discrete = answer.type == V4L2_FRMIVAL_TYPE_DISCRETE;
    if (interval->is_discrete) {
        interval->minimum = interval->maximum = fraction(answer.discrete);
        interval->step = (struct cv4l_fraction){0, 1};
    } else {
        interval->minimum = fraction(answer.stepwise.min);
        interval->maximum = fraction(answer.stepwise.max);
        interval->step = fraction(answer.stepwise.step);
    }
    return 0;
}

static void take_format(struct cv4l_pixel_format *format, const struct v4l2_pix_format *source) {
    format->fourcc = source->pixelformat;
    format->width = source->width;
    format->height = source->height;
    format->field = source->field;
    format->bytes_per_line = source->bytesperline;
    format->size_image = source->sizeimage;
}

int cv4l_get_format(int descriptor, struct cv4l_pixel_format *format) {
    struct v4l2_format answer = {.type = capture};
    int error = repeat_ioctl(descriptor, VIDIOC_G_FMT, &answer);
    if (!error) take_format(format, &answer.fmt.pix);
    return error;
}

int cv4l_set_format(int descriptor, struct cv4l_pixel_format *format) {
    struct v4l2_format answer = {.type = capture};
    answer.fmt.pix.pixelformat = format->fourcc;
    answer.fmt.pix.width = format->width;
    answer.fmt.pix.height = format->height;
    answer.fmt.pix.field = format->field;
    answer.fmt.pix.bytesperline = format->bytes_per_line;
    int error = repeat_ioctl(descriptor, VIDIOC_S_FMT, &answer);
    if (!error) take_format(format, &answer.fmt.pix);
    return error;
}

int cv4l_get_interval(int descriptor, struct cv4l_fraction *interval) {
    struct v4l2_streamparm answer = {.type = capture};
    int error = repeat_ioctl(descriptor, VIDIOC_G_PARM, &answer);
    if (!error) *interval = fraction(answer.parm.capture.timeperframe);
    return error;
}

int cv4l_set_interval(int descriptor, struct cv4l_fraction *interval) {
    struct v4l2_streamparm answer = {.type = capture};
    answer.parm.capture.timeperframe.numerator = interval->numerator;
    answer.parm.capture.timeperframe.denominator = interval->denominator;
    int error = repeat_ioctl(descriptor, VIDIOC_S_PARM, &answer);
    if (!error) *interval = fraction(answer.parm.capture.timeperframe);
    return error;
}

static int query_control(int descriptor, uint32_t id, struct cv4l_control *control) {
    struct v4l2_query_ext_ctrl answer = {.id = id};
    int error = repeat_ioctl(descriptor, VIDIOC_QUERY_EXT_CTRL, &answer);
    if (error) return error;
    control->id = answer.id;
    control->type = answer.type;
    copy_text(control->name, answer.name, sizeof answer.name);
    control->minimum = answer.minimum;
    control->maximum = answer.maximum;
    control->default_value = answer.default_value;
    control->step = answer.step;
    control->flags = answer.flags;
    return 0;
}

int cv4l_next_control(int descriptor, uint32_t id, struct cv4l_control *control) {
    return query_control(descriptor, id | V4L2_CTRL_FLAG_NEXT_CTRL, control);
}

int cv4l_query_control(int descriptor, uint32_t id, struct cv4l_control *control) {
    return query_control(descriptor, id, control);
}

int cv4l_menu_name(int descriptor, uint32_t id, uint32_t index, char *name) {
    struct v4l2_querymenu answer = {.id = id, .index = index};
    int error = repeat_ioctl(descriptor, VIDIOC_QUERYMENU, &answer);
    if (!error) copy_text(name, answer.name, sizeof answer.name);
    return error;
}

static int transfer_control(int descriptor, unsigned long request, struct v4l2_ext_control *control) {
    struct v4l2_ext_controls list = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = control};
    return repeat_ioctl(descriptor, request, &list);
}

int cv4l_get_control(int descriptor, uint32_t id, uint32_t type, int64_t *value) {
    struct v4l2_ext_control control = {.id = id};
    int error = transfer_control(descriptor, VIDIOC_G_EXT_CTRLS, &control);
    if (!error) *value = type == V4L2_CTRL_TYPE_INTEGER64 ? control.value64 : control.value;
    return error;
}

int cv4l_set_control(int descriptor, uint32_t id, uint32_t type, int64_t value) {
    struct v4l2_ext_control control = {.id = id};
    if (type == V4L2_CTRL_TYPE_INTEGER64) {
        control.value64 = value;
    } else {
        if (value != (int32_t)value) return ERANGE;
        control.value = (int32_t)value;
    }
    return transfer_control(descriptor, VIDIOC_S_EXT_CTRLS, &control);
}

int cv4l_request_buffers(int descriptor, uint32_t *count) {
    struct v4l2_requestbuffers request = {.count = *count, .type = capture, .memory = V4L2_MEMORY_MMAP};
    int error = repeat_ioctl(descriptor, VIDIOC_REQBUFS, &request);
    if (!error) *count = request.count;
    return error;
}

int cv4l_map_buffer(int descriptor, uint32_t index, void **address, size_t *length) {
    struct v4l2_buffer buffer = {.index = index, .type = capture, .memory = V4L2_MEMORY_MMAP};
    int error = repeat_ioctl(descriptor, VIDIOC_QUERYBUF, &buffer);
    if (error) return error;
    void *mapped = mmap(NULL, buffer.length, PROT_READ, MAP_SHARED, descriptor, buffer.m.offset);
    if (mapped == MAP_FAILED) return errno;
    *address = mapped;
    *length = buffer.length;
    return 0;
}

void cv4l_unmap_buffer(void *address, size_t length) {
    munmap(address, length);
}

int cv4l_queue_buffer(int descriptor, uint32_t index) {
    struct v4l2_buffer buffer = {.index = index, .type = capture, .memory = V4L2_MEMORY_MMAP};
    return repeat_ioctl(descriptor, VIDIOC_QBUF, &buffer);
}

int cv4l_dequeue_buffer(int descriptor, struct cv4l_frame *frame) {
    struct v4l2_buffer buffer = {.type = capture, .memory = V4L2_MEMORY_MMAP};
    int error = repeat_ioctl(descriptor, VIDIOC_DQBUF, &buffer);
    if (error) return error;
    frame->index = buffer.index;
    frame->bytes_used = buffer.bytesused;
    frame->flags = buffer.flags;
    frame->field = buffer.field;
    frame->sequence = buffer.sequence;
    frame->seconds = buffer.timestamp.tv_sec;
    frame->microseconds = buffer.timestamp.tv_usec;
    return 0;
}

int cv4l_stream_on(int descriptor) {
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    return repeat_ioctl(descriptor, VIDIOC_STREAMON, &type);
}

int cv4l_stream_off(int descriptor) {
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    return repeat_ioctl(descriptor, VIDIOC_STREAMOFF, &type);
}

int cv4l_wait(int descriptor, int wake_descriptor, struct cv4l_readiness *readiness) {
    struct pollfd entries[2] = {{.fd = descriptor, .events = POLLIN}, {.fd = wake_descriptor, .events = POLLIN}};
    while (poll(entries, 2, -1) < 0) {
        if (errno != EINTR) return errno;
    }
    readiness->frame = entries[0].revents & POLLIN;
    readiness->error = entries[0].revents & (POLLERR | POLLNVAL);
    readiness->hangup = entries[0].revents & POLLHUP;
    readiness->wake = entries[1].revents & POLLIN;
    return 0;
}

const char *cv4l_error_text(int error) {
    return strerrordesc_np(error);
}
