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
_Static_assert(CV4L_CTRL_FLAG_GRABBED == V4L2_CTRL_FLAG_GRABBED, "");
_Static_assert(CV4L_CTRL_FLAG_READ_ONLY == V4L2_CTRL_FLAG_READ_ONLY, "");
_Static_assert(CV4L_CTRL_FLAG_INACTIVE == V4L2_CTRL_FLAG_INACTIVE, "");
_Static_assert(CV4L_CTRL_FLAG_WRITE_ONLY == V4L2_CTRL_FLAG_WRITE_ONLY, "");
_Static_assert(CV4L_CTRL_FLAG_HAS_PAYLOAD == V4L2_CTRL_FLAG_HAS_PAYLOAD, "");
_Static_assert(CV4L_CID_EXPOSURE_ABSOLUTE == V4L2_CID_EXPOSURE_ABSOLUTE, "");
_Static_assert(CV4L_CID_GAIN == V4L2_CID_GAIN, "");
_Static_assert(CV4L_CID_EXPOSURE == V4L2_CID_EXPOSURE, "");
_Static_assert(CV4L_CID_VBLANK == V4L2_CID_VBLANK, "");
_Static_assert(CV4L_CID_HBLANK == V4L2_CID_HBLANK, "");
_Static_assert(CV4L_CID_PIXEL_RATE == V4L2_CID_PIXEL_RATE, "");
_Static_assert(CV4L_CID_ANALOGUE_GAIN == V4L2_CID_ANALOGUE_GAIN, "");
_Static_assert(CV4L_QUEUE_CAPTURE == V4L2_BUF_TYPE_VIDEO_CAPTURE, "");
_Static_assert(CV4L_QUEUE_CAPTURE_MPLANE == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE, "");
_Static_assert(CV4L_QUEUE_META_CAPTURE == V4L2_BUF_TYPE_META_CAPTURE, "");
_Static_assert(CV4L_MAX_PLANES == VIDEO_MAX_PLANES, "");
_Static_assert(CV4L_QUANTIZATION_DEFAULT == V4L2_QUANTIZATION_DEFAULT, "");
_Static_assert(CV4L_QUANTIZATION_FULL_RANGE == V4L2_QUANTIZATION_FULL_RANGE, "");
_Static_assert(CV4L_QUANTIZATION_LIM_RANGE == V4L2_QUANTIZATION_LIM_RANGE, "");
_Static_assert(CV4L_COLORSPACE_JPEG == V4L2_COLORSPACE_JPEG, "");
_Static_assert(CV4L_FIELD_NONE == V4L2_FIELD_NONE && CV4L_FIELD_INTERLACED == V4L2_FIELD_INTERLACED, "");

static bool is_multiplanar(uint32_t queue) {
    return queue == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE;
}

// A driver's number, so never more than the arrays hold.
static uint32_t plane_count(uint32_t told) {
    return told < CV4L_MAX_PLANES ? told : CV4L_MAX_PLANES;
}

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

int cv4l_enumerate_format(int descriptor, uint32_t queue, uint32_t index, struct cv4l_format_description *description) {
    struct v4l2_fmtdesc answer = {.index = index, .type = queue};
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

static void take_planar_format(struct cv4l_pixel_format *format, const struct v4l2_pix_format_mplane *source) {
    format->fourcc = source->pixelformat;
    format->width = source->width;
    format->height = source->height;
    format->field = source->field;
    format->colorspace = source->colorspace;
    format->quantization = source->quantization;
    format->plane_count = plane_count(source->num_planes);
    for (uint32_t plane = 0; plane < format->plane_count; plane++) {
        format->planes[plane].bytes_per_line = source->plane_fmt[plane].bytesperline;
        format->planes[plane].size_image = source->plane_fmt[plane].sizeimage;
    }
}

static void take_format(struct cv4l_pixel_format *format, const struct v4l2_format *answer) {
    if (is_multiplanar(answer->type)) {
        take_planar_format(format, &answer->fmt.pix_mp);
        return;
    }
    const struct v4l2_pix_format *source = &answer->fmt.pix;
    format->fourcc = source->pixelformat;
    format->width = source->width;
    format->height = source->height;
    format->field = source->field;
    format->colorspace = source->colorspace;
    // Where the driver does not set `priv`, the fields behind it are not there.
    format->quantization = source->priv == V4L2_PIX_FMT_PRIV_MAGIC ? source->quantization : V4L2_QUANTIZATION_DEFAULT;
    format->plane_count = 1;
    format->planes[0].bytes_per_line = source->bytesperline;
    format->planes[0].size_image = source->sizeimage;
}

int cv4l_get_format(int descriptor, uint32_t queue, struct cv4l_pixel_format *format) {
    struct v4l2_format answer = {.type = queue};
    if (!is_multiplanar(queue)) answer.fmt.pix.priv = V4L2_PIX_FMT_PRIV_MAGIC;
    int error = repeat_ioctl(descriptor, VIDIOC_G_FMT, &answer);
    if (!error) take_format(format, &answer);
    return error;
}

int cv4l_set_format(int descriptor, uint32_t queue, struct cv4l_pixel_format *format) {
    struct v4l2_format answer = {.type = queue};
    if (is_multiplanar(queue)) {
        answer.fmt.pix_mp.pixelformat = format->fourcc;
        answer.fmt.pix_mp.width = format->width;
        answer.fmt.pix_mp.height = format->height;
        answer.fmt.pix_mp.field = format->field;
    } else {
        answer.fmt.pix.pixelformat = format->fourcc;
        answer.fmt.pix.width = format->width;
        answer.fmt.pix.height = format->height;
        answer.fmt.pix.field = format->field;
        answer.fmt.pix.priv = V4L2_PIX_FMT_PRIV_MAGIC;
    }
    int error = repeat_ioctl(descriptor, VIDIOC_S_FMT, &answer);
    if (!error) take_format(format, &answer);
    return error;
}

int cv4l_set_metadata_format(int descriptor, uint32_t *fourcc) {
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_META_CAPTURE};
    int error = repeat_ioctl(descriptor, VIDIOC_G_FMT, &format);
    if (!error && format.fmt.meta.dataformat != *fourcc) {
        format.fmt.meta.dataformat = *fourcc;
        error = repeat_ioctl(descriptor, VIDIOC_S_FMT, &format);
    }
    if (!error) *fourcc = format.fmt.meta.dataformat;
    return error;
}

int cv4l_get_interval(int descriptor, uint32_t queue, struct cv4l_fraction *interval) {
    struct v4l2_streamparm answer = {.type = queue};
    int error = repeat_ioctl(descriptor, VIDIOC_G_PARM, &answer);
    if (!error) *interval = fraction(answer.parm.capture.timeperframe);
    return error;
}

int cv4l_set_interval(int descriptor, uint32_t queue, struct cv4l_fraction *interval) {
    struct v4l2_streamparm answer = {.type = queue};
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

int cv4l_request_buffers(int descriptor, uint32_t queue, uint32_t *count) {
    struct v4l2_requestbuffers request = {.count = *count, .type = queue, .memory = V4L2_MEMORY_MMAP};
    int error = repeat_ioctl(descriptor, VIDIOC_REQBUFS, &request);
    if (!error) *count = request.count;
    return error;
}

// A buffer argument; of a multi-planar queue `planes`, of CV4L_MAX_PLANES entries, goes with it.
static struct v4l2_buffer buffer_argument(uint32_t queue, uint32_t index, struct v4l2_plane *planes) {
    struct v4l2_buffer buffer = {.index = index, .type = queue, .memory = V4L2_MEMORY_MMAP};
    if (is_multiplanar(queue)) {
        buffer.m.planes = planes;
        buffer.length = CV4L_MAX_PLANES;
    }
    return buffer;
}

int cv4l_query_buffer(int descriptor, uint32_t queue, uint32_t index, struct cv4l_buffer_map *map) {
    struct v4l2_plane planes[CV4L_MAX_PLANES] = {0};
    struct v4l2_buffer buffer = buffer_argument(queue, index, planes);
    int error = repeat_ioctl(descriptor, VIDIOC_QUERYBUF, &buffer);
    if (error) return error;
    if (!is_multiplanar(queue)) {
        map->plane_count = 1;
        map->offsets[0] = buffer.m.offset;
        map->lengths[0] = buffer.length;
        return 0;
    }
    map->plane_count = plane_count(buffer.length);
    for (uint32_t plane = 0; plane < map->plane_count; plane++) {
        map->offsets[plane] = planes[plane].m.mem_offset;
        map->lengths[plane] = planes[plane].length;
    }
    return 0;
}

int cv4l_map_plane(int descriptor, uint32_t offset, size_t length, void **address) {
    void *mapped = mmap(NULL, length, PROT_READ, MAP_SHARED, descriptor, offset);
    if (mapped == MAP_FAILED) return errno;
    *address = mapped;
    return 0;
}

void cv4l_unmap_plane(void *address, size_t length) {
    munmap(address, length);
}

int cv4l_queue_buffer(int descriptor, uint32_t queue, uint32_t index) {
    struct v4l2_plane planes[CV4L_MAX_PLANES] = {0};
    struct v4l2_buffer buffer = buffer_argument(queue, index, planes);
    return repeat_ioctl(descriptor, VIDIOC_QBUF, &buffer);
}

int cv4l_dequeue_buffer(int descriptor, uint32_t queue, struct cv4l_frame *frame) {
    struct v4l2_plane planes[CV4L_MAX_PLANES] = {0};
    struct v4l2_buffer buffer = buffer_argument(queue, 0, planes);
    int error = repeat_ioctl(descriptor, VIDIOC_DQBUF, &buffer);
    if (error) return error;
    frame->index = buffer.index;
    frame->flags = buffer.flags;
    frame->field = buffer.field;
    frame->sequence = buffer.sequence;
    frame->seconds = buffer.timestamp.tv_sec;
    frame->microseconds = buffer.timestamp.tv_usec;
    frame->plane_count = is_multiplanar(queue) ? plane_count(buffer.length) : 1;
    frame->planes[0].bytes_used = buffer.bytesused;
    frame->planes[0].data_offset = 0;
    for (uint32_t plane = 0; is_multiplanar(queue) && plane < frame->plane_count; plane++) {
        frame->planes[plane].bytes_used = planes[plane].bytesused;
        frame->planes[plane].data_offset = planes[plane].data_offset;
    }
    return 0;
}

int cv4l_stream_on(int descriptor, uint32_t queue) {
    int type = (int)queue;
    return repeat_ioctl(descriptor, VIDIOC_STREAMON, &type);
}

int cv4l_stream_off(int descriptor, uint32_t queue) {
    int type = (int)queue;
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
