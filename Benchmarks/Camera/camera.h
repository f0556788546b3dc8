/// One camera of the process: its frames, its buffers, and who owns them.
#ifndef CAPRIG_BENCH_CAMERA_H
#define CAPRIG_BENCH_CAMERA_H

#include "camera_state.h"
#include "jpeg_film.h"

struct camera {
    struct camera_state *state;
    /// The state's file, and the writing end of the owner's pipe (-1 without an owner).
    int state_file, owner;
    /// A timerfd with the camera's rate.
    int timer;
    /// When the frame before the next one was due.
    int64_t stamp;
    int64_t interval;
    uint64_t next_frame;
    uint32_t next_sequence;
    uint32_t buffer_count;
    const struct jpeg_film *film;
};

/// Makes the state's file and starts the timer, whose first frame is due after `phase` nanoseconds; ends the process
/// where that cannot be done. A frame is due each `interval` nanoseconds, whatever rate the camera states.
void camera_begin(struct camera *camera, uint32_t number, const char *path, const struct jpeg_film *film,
                  uint32_t frames_per_second, int64_t interval, int64_t phase);

/// The timer is readable: delivers the frames that have become due.
void camera_tick(struct camera *camera);

/// VIDIOC_REQBUFS, VIDIOC_STREAMON and VIDIOC_STREAMOFF of a program, which is known by its pipe; 0 or an errno.
int camera_make_buffers(struct camera *camera, int program, uint32_t *count);
int camera_start(struct camera *camera, int program);
int camera_stop(struct camera *camera, int program);

/// The program with this pipe has closed the camera.
void camera_forget(struct camera *camera, int program);

#endif
