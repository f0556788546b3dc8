#define _GNU_SOURCE
#include "ioctls.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <string.h>

static int query_capabilities(struct handle *handle, void *argument) {
    struct v4l2_capability *answer = argument;
    memset(answer, 0, sizeof *answer);
    strcpy((char *)answer->driver, "caprig-bench");
    snprintf((char *)answer->card, sizeof answer->card, "Benchmark camera %u", handle->state->number);
    snprintf((char *)answer->bus_info, sizeof answer->bus_info, "platform:bench-%u", handle->state->number);
    answer->version = 0x060100;
    answer->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING | V4L2_CAP_EXT_PIX_FORMAT;
    answer->capabilities = answer->device_caps | V4L2_CAP_DEVICE_CAPS;
    return 0;
}

static int enumerate_formats(struct handle *handle, void *argument) {
    (void)handle;
    struct v4l2_fmtdesc *answer = argument;
    if (answer->index > 0 || answer->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return EINVAL;
    *answer = (struct v4l2_fmtdesc){.type = answer->type, .flags = V4L2_FMT_FLAG_COMPRESSED,
                                    .description = "Motion-JPEG", .pixelformat = V4L2_PIX_FMT_MJPEG};
    return 0;
}

static int enumerate_sizes(struct handle *handle, void *argument) {
    struct v4l2_frmsizeenum *answer = argument;
    if (answer->index > 0 || answer->pixel_format != V4L2_PIX_FMT_MJPEG) return EINVAL;
    answer->type = V4L2_FRMSIZE_TYPE_DISCRETE;
    answer->discrete = (struct v4l2_frmsize_discrete){handle->state->width, handle->state->height};
    return 0;
}

static int enumerate_intervals(struct handle *handle, void *argument) {
    struct v4l2_frmivalenum *answer = argument;
    const struct camera_state *state = handle->state;
    if (answer->index > 0 || answer->pixel_format != V4L2_PIX_FMT_MJPEG || answer->width != state->width ||
        answer->height != state->height) {
        return EINVAL;
    }
    answer->type = V4L2_FRMIVAL_TYPE_DISCRETE;
    answer->discrete = (struct v4l2_fract){1, state->frames_per_second};
    return 0;
}

// Whatever was asked for, the camera has this format alone.
static int format(struct handle *handle, void *argument) {
    struct v4l2_format *answer = argument;
    const struct camera_state *state = handle->state;
    if (answer->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return EINVAL;
    memset(&answer->fmt, 0, sizeof answer->fmt);
    answer->fmt.pix = (struct v4l2_pix_format){
        .width = state->width, .height = state->height, .pixelformat = V4L2_PIX_FMT_MJPEG, .field = V4L2_FIELD_NONE,
        .sizeimage = state->buffer_size, .colorspace = V4L2_COLORSPACE_SRGB, .priv = V4L2_PIX_FMT_PRIV_MAGIC};
    return 0;
}

static int set_format(struct handle *handle, void *argument) {
    return handle->buffer_count > 0 ? EBUSY : format(handle, argument);
}

static int rate(struct handle *handle, void *argument) {
    struct v4l2_streamparm *answer = argument;
    if (answer->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return EINVAL;
    memset(&answer->parm, 0, sizeof answer->parm);
    answer->parm.capture = (struct v4l2_captureparm){
        .capability = V4L2_CAP_TIMEPERFRAME, .timeperframe = {1, handle->state->frames_per_second}, .readbuffers = 2};
    return 0;
}

static int enumerate_inputs(struct handle *handle, void *argument) {
    (void)handle;
    struct v4l2_input *answer = argument;
    if (answer->index > 0) return EINVAL;
    *answer = (struct v4l2_input){.name = "Camera", .type = V4L2_INPUT_TYPE_CAMERA};
    return 0;
}

static int get_input(struct handle *handle, void *argument) {
    (void)handle;
    *(int *)argument = 0;
    return 0;
}

static int set_input(struct handle *handle, void *argument) {
    (void)handle;
    return *(int *)argument == 0 ? 0 : EINVAL;
}

int ioctls_answer(struct handle *handle, uint32_t request, void *argument) {
    switch (request) {
    case VIDIOC_QUERYCAP: return query_capabilities(handle, argument);
    case VIDIOC_ENUM_FMT: return enumerate_formats(handle, argument);
    case VIDIOC_ENUM_FRAMESIZES: return enumerate_sizes(handle, argument);
    case VIDIOC_ENUM_FRAMEINTERVALS: return enumerate_intervals(handle, argument);
    case VIDIOC_G_FMT: case VIDIOC_TRY_FMT: return format(handle, argument);
    case VIDIOC_S_FMT: return set_format(handle, argument);
    case VIDIOC_G_PARM: case VIDIOC_S_PARM: return rate(handle, argument);
    case VIDIOC_ENUMINPUT: return enumerate_inputs(handle, argument);
    case VIDIOC_G_INPUT: return get_input(handle, argument);
    case VIDIOC_S_INPUT: return set_input(handle, argument);
    case VIDIOC_REQBUFS: return buffers_request(handle, argument);
    case VIDIOC_QUERYBUF: return buffers_query(handle, argument);
    case VIDIOC_QBUF: return buffers_queue(handle, argument);
    case VIDIOC_DQBUF: return buffers_dequeue(handle, argument);
    case VIDIOC_STREAMON: return buffers_start(handle, argument);
    case VIDIOC_STREAMOFF: return buffers_stop(handle, argument);
    case VIDIOC_QUERYCTRL: case VIDIOC_QUERY_EXT_CTRL: case VIDIOC_QUERYMENU: case VIDIOC_G_CTRL: case VIDIOC_S_CTRL:
    case VIDIOC_G_EXT_CTRLS: case VIDIOC_S_EXT_CTRLS: case VIDIOC_TRY_EXT_CTRLS: return EINVAL;
    default: return ENOTTY;
    }
}
