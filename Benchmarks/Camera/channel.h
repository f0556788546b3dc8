/// The socket that stands for a camera's device node: messages, the first of them with descriptors.
#ifndef CAPRIG_BENCH_CHANNEL_H
#define CAPRIG_BENCH_CHANNEL_H

#include "camera_state.h"

/// Listens at a path and returns the descriptor; ends the process where that cannot be done.
int channel_listen(const char *path);

/// Sends the first message of a connection; 0 or an errno.
int channel_welcome(int connection, int state_file, int frames);

/// Connects and takes the descriptors; returns the connection, or -1 with errno set.
int channel_connect(const char *path, int *state_file, int *frames);

#endif
