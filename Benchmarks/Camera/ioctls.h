/// The V4L2 ioctls of a camera, answered in the program as uvcvideo would.
#ifndef CAPRIG_BENCH_IOCTLS_H
#define CAPRIG_BENCH_IOCTLS_H

#include "handle.h"

/// 0 or an errno; ENOTTY for what the camera does not know, EINVAL for every control.
int ioctls_answer(struct handle *handle, uint32_t request, void *argument);

/// The ioctls on buffers (buffers.c).
int buffers_request(struct handle *handle, void *argument);
int buffers_query(struct handle *handle, void *argument);
int buffers_queue(struct handle *handle, void *argument);
int buffers_dequeue(struct handle *handle, void *argument);
int buffers_start(struct handle *handle, void *argument);
int buffers_stop(struct handle *handle, void *argument);

#endif
