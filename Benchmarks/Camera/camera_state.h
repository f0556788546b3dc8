/// What a camera's process and the programs that use the camera share: one file a camera, mapped by both.
///
/// | part of the file | written by |
/// |---|---|
/// | header: numbers that never change, counters | the camera's process |
/// | `queued`: buffers to be filled, in order | the owner of the buffers at the tail, the camera's process at the head |
/// | `filled`: buffers with a frame, in order | the camera's process at the tail, the owner at the head |
/// | `log`: the instants of the last frames | the camera's process; `dequeued` by the owner |
/// | buffers, from `first_buffer` on | the camera's process |
///
/// All instants are nanoseconds of CLOCK_MONOTONIC. Everything but the rings and `dequeued` may be read by anybody at
/// any time; caprig_bench/camera.py reads header and log by the offsets asserted below.
#ifndef CAPRIG_BENCH_CAMERA_STATE_H
#define CAPRIG_BENCH_CAMERA_STATE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/// VIDEO_MAX_FRAME: V4L2 knows no more buffers; a power of two.
#define CAMERA_MAXIMUM_BUFFERS 32u
/// Frames whose instants are kept: four and a half minutes at 30 frames per second.
#define CAMERA_LOG_LENGTH 8192u

/// A buffer with a frame in it.
struct camera_filled {
    uint32_t index;
    uint32_t bytes_used;
    /// Counts the frames since the stream was started, those without a buffer included, as drivers do.
    uint32_t sequence;
    /// Counts the frames since the camera's process was started; also stands in the picture (jpeg_mark.h).
    uint64_t frame;
    int64_t stamp;
};

/// The instants of one frame; `frame` tells whose, since entries are used again.
struct camera_log_entry {
    _Atomic uint64_t frame;
    /// When it was due, which is also the stamp that the driver gives it.
    int64_t stamp;
    /// When its buffer was filled; 0 for a frame that found none.
    int64_t delivered;
    /// When the owner's VIDIOC_DQBUF returned with it; 0 before.
    _Atomic int64_t dequeued;
};

/// Positions in a ring; they only grow, and name the entry by their remainder.
struct camera_ring {
    _Atomic uint32_t head, tail;
};

struct camera_state {
    /// Frames that found a buffer, and frames that found none and were lost, since the process was started.
    _Atomic uint64_t delivered, dropped;
    uint32_t number, width, height, frames_per_second;
    uint32_t buffer_size, buffer_count_limit;
    /// Where in the file the first buffer begins; the others follow at intervals of `buffer_size`.
    uint64_t first_buffer;
    _Atomic uint32_t streaming;
    struct camera_ring queued_ring, filled_ring;
    uint32_t queued[CAMERA_MAXIMUM_BUFFERS];
    struct camera_filled filled[CAMERA_MAXIMUM_BUFFERS];
    _Alignas(4096) struct camera_log_entry log[CAMERA_LOG_LENGTH];
};

_Static_assert(offsetof(struct camera_state, delivered) == 0, "camera.py");
_Static_assert(offsetof(struct camera_state, dropped) == 8, "camera.py");
_Static_assert(offsetof(struct camera_state, log) == 4096, "camera.py");
_Static_assert(sizeof(struct camera_log_entry) == 32, "camera.py");

/// What a program asks of the camera's process, over the socket that stands for the device node.
enum camera_request_kind { CAMERA_MAKE_BUFFERS = 1, CAMERA_START = 2, CAMERA_STOP = 3 };

/// One request; `count` is a number of buffers. Answered by one reply before the next is sent.
struct camera_request {
    uint32_t kind, count;
};

/// 0 or an errno, and the number of buffers made. The first message on a connection is an unasked reply that carries
/// two descriptors: the state's file, and the reading end of a pipe with one byte for each filled buffer.
struct camera_reply {
    int32_t error;
    uint32_t count;
};

#endif
