/// An open camera in the program that uses it, by the number of its descriptor.
#ifndef CAPRIG_BENCH_HANDLE_H
#define CAPRIG_BENCH_HANDLE_H

#include "camera_state.h"

#include <pthread.h>
#include <stdbool.h>

/// What the program believes its buffers to be.
enum buffer_place { WITH_PROGRAM, QUEUED };

struct handle {
    /// Guards the rings' ends that are the program's, and the places.
    pthread_mutex_t lock;
    struct camera_state *state;
    /// The descriptor that the program has: the reading end of a pipe, so that it can be polled as any other.
    int frames;
    int connection, state_file;
    uint32_t buffer_count;
    enum buffer_place places[CAMERA_MAXIMUM_BUFFERS];
};

/// Whether a path names a camera: $CAPRIG_BENCH_CAMERAS/video and a number.
bool handle_is_camera(const char *path);

/// Opens a camera and returns the program's descriptor; -1 with errno set. Blocks until the camera's process answers.
int handle_open(const char *path, int flags);

/// The open camera with this descriptor; NULL for any other descriptor.
struct handle *handle_of(int descriptor);

/// Forgets an open camera and closes what belongs to it but the program's own descriptor.
void handle_close(struct handle *handle);

/// Asks the camera's process; 0 or an errno. `count` becomes the number in the answer.
int handle_ask(struct handle *handle, uint32_t kind, uint32_t *count);

#endif
