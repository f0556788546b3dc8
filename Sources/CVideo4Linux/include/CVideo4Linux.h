/// The part of the kernel's V4L2 interface (linux/videodev2.h) that capturing single-planar video needs, without its
/// unions, variadic calls and macros, none of which Swift can import.
///
/// Every function that returns `int` returns 0 or a positive errno; a call interrupted by a signal is repeated.
#ifndef CAPRIG_CVIDEO4LINUX_H
#define CAPRIG_CVIDEO4LINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// V4L2_CAP_*: what a device node can do.
enum {
    CV4L_CAP_VIDEO_CAPTURE = 0x00000001,
    CV4L_CAP_VIDEO_CAPTURE_MPLANE = 0x00001000,
    CV4L_CAP_META_CAPTURE = 0x00800000,
    CV4L_CAP_STREAMING = 0x04000000,
};

/// V4L2_BUF_FLAG_*: what is true of a buffer.
enum {
    CV4L_BUF_FLAG_ERROR = 0x00000040,
    CV4L_BUF_FLAG_TIMESTAMP_MASK = 0x0000e000,
    CV4L_BUF_FLAG_TIMESTAMP_MONOTONIC = 0x00002000,
    CV4L_BUF_FLAG_TSTAMP_SRC_MASK = 0x00070000,
    CV4L_BUF_FLAG_TSTAMP_SRC_SOE = 0x00010000,
};

/// V4L2_CTRL_FLAG_*: what is true of a control.
enum {
    CV4L_CTRL_FLAG_DISABLED = 0x0001,
    CV4L_CTRL_FLAG_READ_ONLY = 0x0004,
    CV4L_CTRL_FLAG_INACTIVE = 0x0010,
    CV4L_CTRL_FLAG_WRITE_ONLY = 0x0040,
    CV4L_CTRL_FLAG_HAS_PAYLOAD = 0x0100,
};

/// V4L2_CID_EXPOSURE_ABSOLUTE: the exposure time in units of 100 microseconds.
enum { CV4L_CID_EXPOSURE_ABSOLUTE = 0x009a0902 };

/// V4L2_FIELD_*: how the lines of a picture are stored.
enum { CV4L_FIELD_ANY = 0, CV4L_FIELD_NONE = 1, CV4L_FIELD_INTERLACED = 4 };

/// struct v4l2_capability; texts end with a zero.
struct cv4l_capability {
    char driver[17];
    char card[33];
    char bus_info[33];
    uint32_t version;
    /// The node's own capabilities (`device_caps` where the driver tells them).
    uint32_t capabilities;
};

/// struct v4l2_fmtdesc.
struct cv4l_format_description {
    uint32_t fourcc;
    uint32_t flags;
    char description[33];
};

/// struct v4l2_pix_format.
struct cv4l_pixel_format {
    uint32_t fourcc;
    uint32_t width;
    uint32_t height;
    uint32_t field;
    uint32_t bytes_per_line;
    uint32_t size_image;
};

/// struct v4l2_frmsizeenum; of a discrete size the minimum equals the maximum.
struct cv4l_frame_size {
    bool is_discrete;
    uint32_t minimum_width, maximum_width, step_width;
    uint32_t minimum_height, maximum_height, step_height;
};

struct cv4l_fraction {
    uint32_t numerator, denominator;
};

/// struct v4l2_frmivalenum; of a discrete interval the minimum equals the maximum.
struct cv4l_frame_interval {
    bool is_discrete;
    struct cv4l_fraction minimum, maximum, step;
};

/// struct v4l2_query_ext_ctrl.
struct cv4l_control {
    uint32_t id;
    uint32_t type;
    char name[33];
    int64_t minimum, maximum, default_value;
    uint64_t step;
    uint32_t flags;
};

/// struct v4l2_buffer of a filled buffer.
struct cv4l_frame {
    uint32_t index;
    uint32_t bytes_used;
    uint32_t flags;
    uint32_t field;
    uint32_t sequence;
    int64_t seconds;
    int64_t microseconds;
};

/// Which of the things waited for have happened.
struct cv4l_readiness {
    bool frame;
    bool error;
    bool hangup;
    bool wake;
};

/// Opens a device node for reading and writing, without blocking and closed on exec.
int cv4l_open(const char *path, int *descriptor);
void cv4l_close(int descriptor);
int cv4l_query_capability(int descriptor, struct cv4l_capability *capability);

/// The format of number `index`; EINVAL after the last.
int cv4l_enumerate_format(int descriptor, uint32_t index, struct cv4l_format_description *description);
int cv4l_enumerate_frame_size(int descriptor, uint32_t index, uint32_t fourcc, struct cv4l_frame_size *size);
int cv4l_enumerate_frame_interval(int descriptor, uint32_t index, uint32_t fourcc, uint32_t width, uint32_t height,
                                  struct cv4l_frame_interval *interval);
int cv4l_get_format(int descriptor, struct cv4l_pixel_format *format);
/// Sets the format and overwrites `format` with what the driver made of it.
int cv4l_set_format(int descriptor, struct cv4l_pixel_format *format);
int cv4l_get_interval(int descriptor, struct cv4l_fraction *interval);
/// Sets the time per frame and overwrites `interval` with what the driver made of it.
int cv4l_set_interval(int descriptor, struct cv4l_fraction *interval);

/// The control with the lowest id above `id`; EINVAL after the last.
int cv4l_next_control(int descriptor, uint32_t id, struct cv4l_control *control);
int cv4l_query_control(int descriptor, uint32_t id, struct cv4l_control *control);
/// The name of entry `index` of a menu control, in at least 33 bytes; EINVAL where the menu has no such entry.
int cv4l_menu_name(int descriptor, uint32_t id, uint32_t index, char *name);
int cv4l_get_control(int descriptor, uint32_t id, uint32_t type, int64_t *value);
int cv4l_set_control(int descriptor, uint32_t id, uint32_t type, int64_t value);

/// Asks for `count` mappable buffers (0 frees them) and overwrites `count` with the number made.
int cv4l_request_buffers(int descriptor, uint32_t *count);
/// Maps a buffer for reading.
int cv4l_map_buffer(int descriptor, uint32_t index, void **address, size_t *length);
void cv4l_unmap_buffer(void *address, size_t length);
int cv4l_queue_buffer(int descriptor, uint32_t index);
/// EAGAIN where no buffer is filled.
int cv4l_dequeue_buffer(int descriptor, struct cv4l_frame *frame);
int cv4l_stream_on(int descriptor);
int cv4l_stream_off(int descriptor);

/// Waits until a frame is filled, the device fails or `wake_descriptor` is readable.
int cv4l_wait(int descriptor, int wake_descriptor, struct cv4l_readiness *readiness);

/// The C library's untranslated sentence for an errno; NULL for a number that is none.
const char *cv4l_error_text(int error);

#endif
