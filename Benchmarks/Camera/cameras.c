/// The cameras' process: stands for the hardware and the kernel's driver of some cameras.
///
///     cameras FOLDER FILM COUNT FRAMES_PER_SECOND [ACTUAL]
///
/// With ACTUAL, they deliver so many frames per second and state the others, as cameras do in dim light.
///
/// Makes FOLDER/video0 and so on, which programs open through shim.so, and FOLDER/video0.state beside each. Says
/// `ready` and ends with its standard input.
#define _GNU_SOURCE
#include "camera.h"
#include "channel.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_CAMERAS = 16, MOST_WATCHED = 256 };

/// What a watched descriptor is.
enum kind { STANDARD_INPUT, TIMER, LISTENER, CONNECTION };

/// Parallel to the entries of `poll`.
struct watched {
    enum kind kind;
    struct camera *camera;
    /// The writing end of a connection's pipe.
    int program;
};

static struct camera cameras[MOST_CAMERAS];
static struct pollfd entries[MOST_WATCHED];
static struct watched watched[MOST_WATCHED];
static size_t watched_count;

static void watch(int descriptor, struct watched what) {
    entries[watched_count] = (struct pollfd){.fd = descriptor, .events = POLLIN};
    watched[watched_count++] = what;
}

static void unwatch(size_t at) {
    watched_count--;
    entries[at] = entries[watched_count];
    watched[at] = watched[watched_count];
}

static void welcome(int listener, struct camera *camera) {
    int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0) return;
    int ends[2];
    if (watched_count == MOST_WATCHED || pipe2(ends, O_CLOEXEC) < 0) {
        close(connection);
        return;
    }
    // A program that has gone already is found out by its connection.
    channel_welcome(connection, camera->state_file, ends[0]);
    close(ends[0]);
    watch(connection, (struct watched){CONNECTION, camera, ends[1]});
}

static struct camera_reply answer(struct camera *camera, int program, struct camera_request request) {
    struct camera_reply reply = {.count = request.count};
    switch (request.kind) {
    case CAMERA_MAKE_BUFFERS: reply.error = camera_make_buffers(camera, program, &reply.count); break;
    case CAMERA_START: reply.error = camera_start(camera, program); break;
    case CAMERA_STOP: reply.error = camera_stop(camera, program); break;
    default: reply.error = EINVAL;
    }
    return reply;
}

// Whether the connection goes on.
static bool serve(int connection, struct watched client) {
    struct camera_request request;
    if (recv(connection, &request, sizeof request, 0) != sizeof request) {
        camera_forget(client.camera, client.program);
        close(client.program);
        close(connection);
        return false;
    }
    struct camera_reply reply = answer(client.camera, client.program, request);
    send(connection, &reply, sizeof reply, MSG_NOSIGNAL);
    return true;
}

// Whether the process goes on. From the last entry to the first, so that one can be removed.
static bool step(void) {
    if (poll(entries, watched_count, -1) < 0) return errno == EINTR;
    for (size_t at = watched_count; at-- > 0;) {
        if (!entries[at].revents) continue;
        char byte;
        switch (watched[at].kind) {
        case STANDARD_INPUT:
            if (read(STDIN_FILENO, &byte, 1) <= 0) return false;
            break;
        case TIMER: camera_tick(watched[at].camera); break;
        case LISTENER: welcome(entries[at].fd, watched[at].camera); break;
        case CONNECTION:
            if (!serve(entries[at].fd, watched[at])) unwatch(at);
            break;
        }
    }
    return true;
}

static void begin(const char *folder, int number, int count, const struct jpeg_film *film, int rate, int64_t interval) {
    char node[4096], state[4096];
    struct camera *camera = &cameras[number];
    snprintf(node, sizeof node, "%s/video%d", folder, number);
    snprintf(state, sizeof state, "%s/video%d.state", folder, number);
    // Phases spread over the interval, as of cameras that nobody has aligned.
    camera_begin(camera, number, state, film, rate, interval, interval * (number + 1) / count);
    watch(camera->timer, (struct watched){.kind = TIMER, .camera = camera});
    watch(channel_listen(node), (struct watched){.kind = LISTENER, .camera = camera});
}

int main(int count, char **arguments) {
    if (count < 5 || count > 6) errx(64, "usage: cameras FOLDER FILM COUNT FRAMES_PER_SECOND [ACTUAL]");
    int cameras_wanted = atoi(arguments[3]), rate = atoi(arguments[4]);
    if (cameras_wanted < 1 || cameras_wanted > MOST_CAMERAS) errx(64, "1 to %d cameras", MOST_CAMERAS);
    double actual = count == 6 ? atof(arguments[5]) : rate;
    if (rate < 1 || rate > 1000 || !(actual >= 0.1 && actual <= 1000)) errx(64, "1 to 1000 frames per second");
    struct jpeg_film film = jpeg_film_read(arguments[2]);
    signal(SIGPIPE, SIG_IGN);
    watch(STDIN_FILENO, (struct watched){.kind = STANDARD_INPUT});
    for (int number = 0; number < cameras_wanted; number++) {
        begin(arguments[1], number, cameras_wanted, &film, rate, (int64_t)(1e9 / actual));
    }
    puts("ready");
    fflush(stdout);
    while (step()) continue;
    return 0;
}
