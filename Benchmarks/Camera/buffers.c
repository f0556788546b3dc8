#define _GNU_SOURCE
#include "ioctls.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

// Only while no frame can be filled: what is taken here is left over from a stream that has ended.
static void drain(struct handle *handle) {
    struct pollfd entry = {.fd = handle->frames, .events = POLLIN};
    char one;
    while (poll(&entry, 1, 0) > 0 && read(handle->frames, &one, 1) == 1) continue;
}

static void take_all_back(struct handle *handle) {
    for (uint32_t index = 0; index < CAMERA_MAXIMUM_BUFFERS; index++) handle->places[index] = WITH_PROGRAM;
    drain(handle);
}

int buffers_request(struct handle *handle, void *argument) {
    struct v4l2_requestbuffers *request = argument;
    if (request->type != V4L2_BUF_TYPE_VIDEO_CAPTURE || request->memory != V4L2_MEMORY_MMAP) return EINVAL;
    pthread_mutex_lock(&handle->lock);
    int error = handle_ask(handle, CAMERA_MAKE_BUFFERS, &request->count);
    if (!error) {
        handle->buffer_count = request->count;
        request->capabilities = V4L2_BUF_CAP_SUPPORTS_MMAP | V4L2_BUF_CAP_SUPPORTS_ORPHANED_BUFS;
        take_all_back(handle);
    }
    pthread_mutex_unlock(&handle->lock);
    return error;
}

static bool is_own(const struct handle *handle, const struct v4l2_buffer *buffer) {
    return buffer->type == V4L2_BUF_TYPE_VIDEO_CAPTURE && buffer->index < handle->buffer_count;
}

static void describe(const struct handle *handle, struct v4l2_buffer *buffer) {
    const struct camera_state *state = handle->state;
    buffer->memory = V4L2_MEMORY_MMAP;
    buffer->length = state->buffer_size;
    buffer->m.offset = (uint32_t)(state->first_buffer + (uint64_t)buffer->index * state->buffer_size);
    buffer->field = V4L2_FIELD_NONE;
    buffer->flags = V4L2_BUF_FLAG_MAPPED | V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_SOE;
    if (handle->places[buffer->index] == QUEUED) buffer->flags |= V4L2_BUF_FLAG_QUEUED;
}

int buffers_query(struct handle *handle, void *argument) {
    struct v4l2_buffer *buffer = argument;
    if (!is_own(handle, buffer)) return EINVAL;
    pthread_mutex_lock(&handle->lock);
    describe(handle, buffer);
    pthread_mutex_unlock(&handle->lock);
    return 0;
}

int buffers_queue(struct handle *handle, void *argument) {
    struct v4l2_buffer *buffer = argument;
    struct camera_state *state = handle->state;
    if (!is_own(handle, buffer) || buffer->memory != V4L2_MEMORY_MMAP) return EINVAL;
    pthread_mutex_lock(&handle->lock);
    int error = handle->places[buffer->index] == QUEUED ? EINVAL : 0;
    if (!error) {
        uint32_t tail = atomic_load_explicit(&state->queued_ring.tail, memory_order_relaxed);
        state->queued[tail % CAMERA_MAXIMUM_BUFFERS] = buffer->index;
        atomic_store_explicit(&state->queued_ring.tail, tail + 1, memory_order_release);
        handle->places[buffer->index] = QUEUED;
        describe(handle, buffer);
    }
    pthread_mutex_unlock(&handle->lock);
    return error;
}

// The oldest filled buffer; false where a stop has taken it in the meantime.
static bool take(struct handle *handle, struct camera_filled *filled) {
    struct camera_state *state = handle->state;
    uint32_t head = atomic_load_explicit(&state->filled_ring.head, memory_order_relaxed);
    if (head == atomic_load_explicit(&state->filled_ring.tail, memory_order_acquire)) return false;
    *filled = state->filled[head % CAMERA_MAXIMUM_BUFFERS];
    atomic_store_explicit(&state->filled_ring.head, head + 1, memory_order_release);
    handle->places[filled->index] = WITH_PROGRAM;
    return true;
}

static void write_down(struct camera_state *state, uint64_t frame) {
    struct camera_log_entry *entry = &state->log[frame % CAMERA_LOG_LENGTH];
    if (atomic_load(&entry->frame) == frame) atomic_store(&entry->dequeued, now());
}

int buffers_dequeue(struct handle *handle, void *argument) {
    struct v4l2_buffer *buffer = argument;
    struct camera_filled filled;
    char one;
    if (buffer->type != V4L2_BUF_TYPE_VIDEO_CAPTURE || buffer->memory != V4L2_MEMORY_MMAP) return EINVAL;
    if (handle->buffer_count == 0 || !handle->state->streaming) return EINVAL;
    // Waits here for a frame, unless the program has opened the camera without blocking. Not under the lock: others
    // queue buffers during that time.
    ssize_t count = read(handle->frames, &one, 1);
    if (count != 1) return count < 0 ? errno : ENODEV;
    pthread_mutex_lock(&handle->lock);
    bool is_taken = take(handle, &filled);
    if (is_taken) {
        buffer->index = filled.index;
        describe(handle, buffer);
    }
    pthread_mutex_unlock(&handle->lock);
    if (!is_taken) return EINVAL;
    buffer->bytesused = filled.bytes_used;
    buffer->sequence = filled.sequence;
    buffer->timestamp.tv_sec = filled.stamp / 1000000000;
    buffer->timestamp.tv_usec = filled.stamp % 1000000000 / 1000;
    write_down(handle->state, filled.frame);
    return 0;
}

int buffers_start(struct handle *handle, void *argument) {
    uint32_t none = 0;
    if (*(int *)argument != V4L2_BUF_TYPE_VIDEO_CAPTURE) return EINVAL;
    return handle_ask(handle, CAMERA_START, &none);
}

int buffers_stop(struct handle *handle, void *argument) {
    uint32_t none = 0;
    if (*(int *)argument != V4L2_BUF_TYPE_VIDEO_CAPTURE) return EINVAL;
    pthread_mutex_lock(&handle->lock);
    int error = handle_ask(handle, CAMERA_STOP, &none);
    if (!error) take_all_back(handle);
    pthread_mutex_unlock(&handle->lock);
    return error;
}
