#define _GNU_SOURCE
#include "handle.h"

#include "channel.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 4096 };
static struct handle *_Atomic open_cameras[MOST_DESCRIPTORS];

bool handle_is_camera(const char *path) {
    const char *folder = getenv("CAPRIG_BENCH_CAMERAS");
    size_t length = folder ? strlen(folder) : 0;
    if (length == 0 || !path || strncmp(path, folder, length) || strncmp(path + length, "/video", 6)) return false;
    const char *number = path + length + 6;
    if (!*number) return false;
    while (isdigit((unsigned char)*number)) number++;
    return !*number;
}

static struct camera_state *map_state(int file) {
    struct stat about;
    if (fstat(file, &about) < 0) return NULL;
    // Header, rings and log; buffers are mapped by the program itself.
    void *state = mmap(NULL, sizeof(struct camera_state), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return state == MAP_FAILED ? NULL : state;
}

static int give_up(struct handle *handle, int error) {
    if (handle->connection >= 0) {
        close(handle->connection);
        close(handle->state_file);
        close(handle->frames);
    }
    free(handle);
    errno = error;
    return -1;
}

static int set_flags(int descriptor, int flags) {
    if (!(flags & O_CLOEXEC) && fcntl(descriptor, F_SETFD, 0) < 0) return -1;
    return flags & O_NONBLOCK ? fcntl(descriptor, F_SETFL, O_NONBLOCK) : 0;
}

int handle_open(const char *path, int flags) {
    struct handle *handle = calloc(1, sizeof *handle);
    if (!handle) return errno = ENOMEM, -1;
    pthread_mutex_init(&handle->lock, NULL);
    handle->connection = channel_connect(path, &handle->state_file, &handle->frames);
    if (handle->connection < 0) return give_up(handle, errno);
    if (handle->frames >= MOST_DESCRIPTORS) return give_up(handle, EMFILE);
    handle->state = map_state(handle->state_file);
    if (!handle->state) return give_up(handle, ENOMEM);
    if (set_flags(handle->frames, flags) < 0) return give_up(handle, errno);
    open_cameras[handle->frames] = handle;
    return handle->frames;
}

struct handle *handle_of(int descriptor) {
    return descriptor >= 0 && descriptor < MOST_DESCRIPTORS ? open_cameras[descriptor] : NULL;
}

void handle_close(struct handle *handle) {
    open_cameras[handle->frames] = NULL;
    munmap(handle->state, sizeof(struct camera_state));
    close(handle->connection);
    close(handle->state_file);
    free(handle);
}

int handle_ask(struct handle *handle, uint32_t kind, uint32_t *count) {
    struct camera_request request = {.kind = kind, .count = *count};
    struct camera_reply reply;
    if (send(handle->connection, &request, sizeof request, MSG_NOSIGNAL) != sizeof request ||
        recv(handle->connection, &reply, sizeof reply, 0) != sizeof reply) {
        return ENODEV;
    }
    *count = reply.count;
    return reply.error;
}
