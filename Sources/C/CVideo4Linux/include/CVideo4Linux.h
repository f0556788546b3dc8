/// The part of the kernel's V4L2 interface (linux/videodev2.h) that capturing video needs, without its unions, variadic
/// calls and macros, none of which Swift can import.
///
/// Functions that take a `queue` work on that buffer type, CV4L_QUEUE_CAPTURE or CV4L_QUEUE_CAPTURE_MPLANE. A frame of
/// the former lies in one memory plane, of the latter in up to CV4L_MAX_PLANES; both are described the same way. Those
/// that concern buffers also work on CV4L_QUEUE_META_CAPTURE, whose metadata lie in one memory plane.
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

/// V4L2_BUF_TYPE_*: the queue a device captures by.
enum { CV4L_QUEUE_CAPTURE = 1, CV4L_QUEUE_CAPTURE_MPLANE = 9, CV4L_QUEUE_META_CAPTURE = 13 };

/// VIDEO_MAX_PLANES: the most memory planes of a frame.
enum { CV4L_MAX_PLANES = 8 };

/// V4L2_QUANTIZATION_*: the range of the samples. V4L2_COLORSPACE_JPEG implies the full one.
enum {
    CV4L_QUANTIZATION_DEFAULT = 0,
    CV4L_QUANTIZATION_FULL_RANGE = 1,
    CV4L_QUANTIZATION_LIM_RANGE = 2,
    CV4L_COLORSPACE_JPEG = 7,
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
    CV4L_CTRL_FLAG_GRABBED = 0x0002,
    CV4L_CTRL_FLAG_READ_ONLY = 0x0004,
    CV4L_CTRL_FLAG_INACTIVE = 0x0010,
    CV4L_CTRL_FLAG_WRITE_ONLY = 0x0040,
    CV4L_CTRL_FLAG_HAS_PAYLOAD = 0x0100,
};

/// V4L2_CID_EXPOSURE_ABSOLUTE: the exposure time in units of 100 microseconds.
enum { CV4L_CID_EXPOSURE_ABSOLUTE = 0x009a0902 };
/// V4L2_CID_GAIN, V4L2_CID_ANALOGUE_GAIN: amplification, in units of the driver.
enum { CV4L_CID_GAIN = 0x00980913, CV4L_CID_ANALOGUE_GAIN = 0x009e0903 };
/// V4L2_CID_EXPOSURE: of a sensor, the exposure time in lines.
enum { CV4L_CID_EXPOSURE = 0x00980911 };
/// V4L2_CID_VBLANK in lines, V4L2_CID_HBLANK in pixels, V4L2_CID_PIXEL_RATE in pixels per second: what a sensor's frame lasts.
enum { CV4L_CID_VBLANK = 0x009e0901, CV4L_CID_HBLANK = 0x009e0902, CV4L_CID_PIXEL_RATE = 0x009f0902 };

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

/// struct v4l2_plane_pix_format.
struct cv4l_plane_format {
    uint32_t bytes_per_line;
    uint32_t size_image;
};

/// struct v4l2_pix_format or v4l2_pix_format_mplane.
struct cv4l_pixel_format {
    uint32_t fourcc;
    uint32_t width;
    uint32_t height;
    uint32_t field;
    uint32_t colorspace;
    uint32_t quantization;
    uint32_t plane_count;
    struct cv4l_plane_format planes[CV4L_MAX_PLANES];
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

/// struct v4l2_querymenu: a name, or of an integer menu a number.
struct cv4l_menu_item {
    char name[33];
    int64_t value;
};

/// A control and the value it is to have.
struct cv4l_control_value {
    uint32_t id;
    uint32_t type;
    int64_t value;
};

/// What a filled memory plane holds: `bytes_used` counts from its start, `data_offset` included.
struct cv4l_filled_plane {
    uint32_t bytes_used;
    uint32_t data_offset;
};

/// struct v4l2_buffer of a filled buffer.
struct cv4l_frame {
    uint32_t index;
    uint32_t plane_count;
    struct cv4l_filled_plane planes[CV4L_MAX_PLANES];
    uint32_t flags;
    uint32_t field;
    uint32_t sequence;
    int64_t seconds;
    int64_t microseconds;
};

/// Where a buffer's memory planes are mapped from (`VIDIOC_QUERYBUF`).
struct cv4l_buffer_map {
    uint32_t plane_count;
    uint32_t offsets[CV4L_MAX_PLANES];
    uint32_t lengths[CV4L_MAX_PLANES];
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
int cv4l_enumerate_format(int descriptor, uint32_t queue, uint32_t index, struct cv4l_format_description *description);
int cv4l_enumerate_frame_size(int descriptor, uint32_t index, uint32_t fourcc, struct cv4l_frame_size *size);
int cv4l_enumerate_frame_interval(int descriptor, uint32_t index, uint32_t fourcc, uint32_t width, uint32_t height,
                                  struct cv4l_frame_interval *interval);
int cv4l_get_format(int descriptor, uint32_t queue, struct cv4l_pixel_format *format);
/// Sets the format (of which fourcc, width, height and field are read) and overwrites `format` with what the driver made
/// of it.
int cv4l_set_format(int descriptor, uint32_t queue, struct cv4l_pixel_format *format);
/// Sets the format of a node's metadata, by fourcc, and overwrites it with the driver's choice. A format that is set
/// already is not set again, as some drivers refuse that.
int cv4l_set_metadata_format(int descriptor, uint32_t *fourcc);
int cv4l_get_interval(int descriptor, uint32_t queue, struct cv4l_fraction *interval);
/// Sets the time per frame and overwrites `interval` with what the driver made of it.
int cv4l_set_interval(int descriptor, uint32_t queue, struct cv4l_fraction *interval);

/// The control with the lowest id above `id`; EINVAL after the last.
int cv4l_next_control(int descriptor, uint32_t id, struct cv4l_control *control);
int cv4l_query_control(int descriptor, uint32_t id, struct cv4l_control *control);
/// The entry of number `index` of a menu control; EINVAL where the menu has no such entry.
int cv4l_menu_item(int descriptor, uint32_t id, uint32_t index, bool is_integer, struct cv4l_menu_item *item);
int cv4l_get_control(int descriptor, uint32_t id, uint32_t type, int64_t *value);
/// Sets the controls by one VIDIOC_S_EXT_CTRLS; at most 128 of them, else E2BIG. After a failure `error_index` is the
/// place of the control that was refused, or `count` where none was touched.
int cv4l_set_controls(int descriptor, const struct cv4l_control_value *values, uint32_t count, uint32_t *error_index);
/// What a step of 1 of a control is, where the V4L2 documentation defines it; NULL where it does not.
const char *cv4l_control_unit(uint32_t id);

/// Asks for `count` mappable buffers (0 frees them) and overwrites `count` with the number made.
int cv4l_request_buffers(int descriptor, uint32_t queue, uint32_t *count);
/// Where the planes of a buffer are mapped from.
int cv4l_query_buffer(int descriptor, uint32_t queue, uint32_t index, struct cv4l_buffer_map *map);
/// Maps a memory plane of a buffer for reading.
int cv4l_map_plane(int descriptor, uint32_t offset, size_t length, void **address);
void cv4l_unmap_plane(void *address, size_t length);
int cv4l_queue_buffer(int descriptor, uint32_t queue, uint32_t index);
/// EAGAIN where no buffer is filled.
int cv4l_dequeue_buffer(int descriptor, uint32_t queue, struct cv4l_frame *frame);
int cv4l_stream_on(int descriptor, uint32_t queue);
int cv4l_stream_off(int descriptor, uint32_t queue);

/// Waits until a frame is filled, the device fails or `wake_descriptor` is readable.
int cv4l_wait(int descriptor, int wake_descriptor, struct cv4l_readiness *readiness);

/// The C library's untranslated sentence for an errno; NULL for a number that is none.
const char *cv4l_error_text(int error);

#endif
