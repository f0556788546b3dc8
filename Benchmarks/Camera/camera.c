#define _GNU_SOURCE
#include "camera.h"

#include "jpeg_mark.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static struct timespec timespec(int64_t nanoseconds) {
    return (struct timespec){.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
}

static void make_state(struct camera *camera, const char *path, uint32_t buffer_size) {
    size_t size = sizeof(struct camera_state) + (size_t)CAMERA_MAXIMUM_BUFFERS * buffer_size;
    camera->state_file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (camera->state_file < 0 || ftruncate(camera->state_file, size) < 0) err(1, "%s", path);
    camera->state = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, camera->state_file, 0);
    if (camera->state == MAP_FAILED) err(1, "%s", path);
}

static void start_timer(struct camera *camera, int64_t phase) {
    camera->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    camera->stamp = now() + phase - camera->interval;
    struct itimerspec times = {
        .it_value = timespec(camera->stamp + camera->interval), .it_interval = timespec(camera->interval)};
    if (camera->timer < 0 || timerfd_settime(camera->timer, TFD_TIMER_ABSTIME, &times, NULL) < 0) err(1, "timerfd");
}

void camera_begin(struct camera *camera, uint32_t number, const char *path, const struct jpeg_film *film,
                  uint32_t frames_per_second, int64_t interval, int64_t phase) {
    // As uvcvideo does for MJPEG: the size that the picture would have in YUYV, in whole pages.
    uint32_t buffer_size = (film->width * film->height * 2 + 4095) / 4096 * 4096;
    if (film->largest + JPEG_MARK_LENGTH > buffer_size) errx(1, "an image is larger than a buffer");
    *camera = (struct camera){.owner = -1, .interval = interval, .film = film};
    make_state(camera, path, buffer_size);
    camera->state->number = number;
    camera->state->width = film->width;
    camera->state->height = film->height;
    camera->state->frames_per_second = frames_per_second;
    camera->state->buffer_size = buffer_size;
    camera->state->buffer_count_limit = CAMERA_MAXIMUM_BUFFERS;
    camera->state->first_buffer = sizeof(struct camera_state);
    start_timer(camera, phase);
}

// The next buffer to be filled; false where none is queued.
static bool take_buffer(struct camera *camera, uint32_t *index) {
    struct camera_state *state = camera->state;
    uint32_t head = atomic_load_explicit(&state->queued_ring.head, memory_order_relaxed);
    if (head == atomic_load_explicit(&state->queued_ring.tail, memory_order_acquire)) return false;
    *index = state->queued[head % CAMERA_MAXIMUM_BUFFERS];
    atomic_store_explicit(&state->queued_ring.head, head + 1, memory_order_release);
    return *index < camera->buffer_count;
}

static uint32_t fill(struct camera *camera, uint32_t index) {
    struct camera_state *state = camera->state;
    struct jpeg_image image = camera->film->images[camera->next_frame % camera->film->count];
    uint8_t *buffer = (uint8_t *)state + state->first_buffer + (size_t)index * state->buffer_size;
    jpeg_mark_insert(buffer, image.bytes, image.length, state->number, camera->next_frame);
    return image.length + JPEG_MARK_LENGTH;
}

static void hand_over(struct camera *camera, struct camera_filled filled) {
    struct camera_state *state = camera->state;
    uint32_t tail = atomic_load_explicit(&state->filled_ring.tail, memory_order_relaxed);
    state->filled[tail % CAMERA_MAXIMUM_BUFFERS] = filled;
    atomic_store_explicit(&state->filled_ring.tail, tail + 1, memory_order_release);
    // Cannot fill the pipe: it holds far more bytes than there are buffers.
    if (write(camera->owner, "", 1) < 0 && errno != EPIPE) err(1, "write");
}

static void deliver(struct camera *camera) {
    struct camera_state *state = camera->state;
    struct camera_log_entry *entry = &state->log[camera->next_frame % CAMERA_LOG_LENGTH];
    uint32_t index;
    bool has_buffer = take_buffer(camera, &index);
    uint32_t bytes_used = has_buffer ? fill(camera, index) : 0;
    atomic_store(&entry->dequeued, 0);
    entry->stamp = camera->stamp;
    entry->delivered = has_buffer ? now() : 0;
    atomic_store(&entry->frame, camera->next_frame);
    atomic_fetch_add(has_buffer ? &state->delivered : &state->dropped, 1);
    if (has_buffer) {
        hand_over(camera, (struct camera_filled){.index = index, .bytes_used = bytes_used, .stamp = camera->stamp,
                                                 .sequence = camera->next_sequence, .frame = camera->next_frame});
    }
    camera->next_frame++;
    camera->next_sequence++;
}

void camera_tick(struct camera *camera) {
    uint64_t due;
    if (read(camera->timer, &due, sizeof due) != sizeof due) return;
    while (due-- > 0) {
        camera->stamp += camera->interval;
        if (camera->state->streaming) deliver(camera);
    }
}

static void clear(struct camera_ring *ring) {
    ring->head = ring->tail = 0;
}

static void reset(struct camera *camera) {
    camera->state->streaming = 0;
    clear(&camera->state->queued_ring);
    clear(&camera->state->filled_ring);
}

int camera_make_buffers(struct camera *camera, int program, uint32_t *count) {
    if (camera->owner >= 0 && camera->owner != program) return EBUSY;
    if (camera->state->streaming) return EBUSY;
    reset(camera);
    if (*count > CAMERA_MAXIMUM_BUFFERS) *count = CAMERA_MAXIMUM_BUFFERS;
    if (*count == 1) *count = 2;
    camera->buffer_count = *count;
    camera->owner = *count > 0 ? program : -1;
    return 0;
}

int camera_start(struct camera *camera, int program) {
    if (camera->owner != program) return camera->owner < 0 ? EINVAL : EBUSY;
    if (!camera->state->streaming) camera->next_sequence = 0;
    camera->state->streaming = 1;
    return 0;
}

int camera_stop(struct camera *camera, int program) {
    if (camera->owner != program) return camera->owner < 0 ? 0 : EBUSY;
    reset(camera);
    return 0;
}

void camera_forget(struct camera *camera, int program) {
    if (camera->owner != program) return;
    reset(camera);
    camera->buffer_count = 0;
    camera->owner = -1;
}
