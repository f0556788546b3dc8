#include "CVideo4Linux.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/ioctl.h>

enum { most_controls = 128 };

static int repeat_ioctl(int descriptor, unsigned long request, void *argument) {
    while (ioctl(descriptor, request, argument) < 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

int cv4l_menu_item(int descriptor, uint32_t id, uint32_t index, bool is_integer, struct cv4l_menu_item *item) {
    struct v4l2_querymenu answer = {.id = id, .index = index};
    int error = repeat_ioctl(descriptor, VIDIOC_QUERYMENU, &answer);
    if (error) return error;
    memset(item, 0, sizeof *item);
    // Name and value share their bytes.
    if (is_integer) {
        item->value = answer.value;
    } else {
        memcpy(item->name, answer.name, sizeof answer.name);
    }
    return 0;
}

int cv4l_set_controls(int descriptor, const struct cv4l_control_value *values, uint32_t count, uint32_t *error_index) {
    struct v4l2_ext_control controls[most_controls] = {0};
    *error_index = count;
    if (count > most_controls) return E2BIG;
    for (uint32_t place = 0; place < count; place++) {
        controls[place].id = values[place].id;
        if (values[place].type == V4L2_CTRL_TYPE_INTEGER64) {
            controls[place].value64 = values[place].value;
            continue;
        }
        // A bitmask may use all 32 bits.
        int64_t value = values[place].value;
        if (value < INT32_MIN || value > UINT32_MAX) {
            *error_index = place;
            return ERANGE;
        }
        controls[place].value = (int32_t)(uint32_t)value;
    }
    struct v4l2_ext_controls list = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = count, .controls = controls};
    int error = repeat_ioctl(descriptor, VIDIOC_S_EXT_CTRLS, &list);
    if (error) *error_index = list.error_idx;
    return error;
}

// Linux Media userspace API documentation, chapter "Controls". It leaves the unit of most controls to the driver, and
// recommends without requiring one for the currents of flash LEDs: such controls have none here.
const char *cv4l_control_unit(uint32_t id) {
    switch (id) {
    case V4L2_CID_EXPOSURE_ABSOLUTE: return "100 µs";
    case V4L2_CID_AUTO_EXPOSURE_BIAS: return "0.001 EV";
    case V4L2_CID_ISO_SENSITIVITY: return "0.001 ISO";
    case V4L2_CID_WHITE_BALANCE_TEMPERATURE: return "K";
    case V4L2_CID_PAN_ABSOLUTE:
    case V4L2_CID_TILT_ABSOLUTE: return "arc second";
    case V4L2_CID_ROTATE:
    case V4L2_CID_CAMERA_SENSOR_ROTATION: return "degree";
    case V4L2_CID_FLASH_TIMEOUT: return "µs";
    case V4L2_CID_HBLANK: return "pixel";
    case V4L2_CID_VBLANK: return "line";
    case V4L2_CID_LINK_FREQ: return "Hz";
    case V4L2_CID_PIXEL_RATE: return "pixel/s";
    default: return NULL;
    }
}
