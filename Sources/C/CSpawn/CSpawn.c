#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
    /// Above what a program may be given, so that no pipe is where another is to be.
    lowest_pipe = 10,
    /// Bytes of a pipe: a picture of most cameras, so that the program seldom waits. The most that the kernel gives everybody.
    pipe_bytes = 1 << 20,
};

/// Makes a pipe whose ends are closed in other programs, and whose end to read does not block.
static int make_pipe(int ends[2]) {
    int low[2];
    if (pipe2(low, O_CLOEXEC) < 0) return -errno;
    int error = 0;
    for (int end = 0; end < 2; end += 1) {
        ends[end] = fcntl(low[end], F_DUPFD_CLOEXEC, lowest_pipe);
        if (ends[end] < 0) error = -errno;
        close(low[end]);
    }
    if (error == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0) error = -errno;
    if (error == 0) {
        // Refused if the user has too many large pipes. Then the program waits more often.
        (void)fcntl(ends[0], F_SETPIPE_SZ, pipe_bytes);
        return 0;
    }
    for (int end = 0; end < 2; end += 1) {
        if (ends[end] >= 0) close(ends[end]);
    }
    return error;
}

static void close_all(const int files[], int count) {
    for (int index = 0; index < count; index += 1) close(files[index]);
}

/// Returns 0 or an errno.
static int prepare(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (error == 0) error = posix_spawnattr_setpgroup(attributes, 0);
    if (error == 0) error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
    return error;
}

/// Returns 0 or an errno.
static int connect_files(
    posix_spawn_file_actions_t *actions, int input, const int files[], const int writes[], int count) {
    int highest = 2;
    int error = input < 0 ? posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0)
                          : posix_spawn_file_actions_adddup2(actions, input, 0);
    for (int index = 0; index < count && error == 0; index += 1) {
        error = posix_spawn_file_actions_adddup2(actions, writes[index], files[index]);
        if (files[index] > highest) highest = files[index];
    }
    return error != 0 ? error : posix_spawn_file_actions_addclosefrom_np(actions, highest + 1);
}

/// Returns 0 or an errno.
static int spawn(
    char *const words[], int input, const int files[], const int writes[], int count, pid_t *id) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int error = posix_spawnattr_init(&attributes);
    if (error != 0) return error;
    error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = prepare(&attributes);
        if (error == 0) error = connect_files(&actions, input, files, writes, count);
        if (error == 0) error = posix_spawnp(id, words[0], &actions, &attributes, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    return error;
}

/// Makes the pipe of a program's standard input, whose end to write does not block.
static int make_input(int ends[2]) {
    const int error = make_pipe(ends);
    if (error != 0) return error;
    if (fcntl(ends[0], F_SETFL, 0) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0) return 0;
    const int failure = -errno;
    close_all(ends, 2);
    return failure;
}

int caprig_program_start(
    char *const words[], const int files[], int pipes[], int count, int *input, struct caprig_program *program) {
    int writes[lowest_pipe];
    int inputs[2] = {-1, -1};
    if (count < 0 || count >= lowest_pipe) return -EINVAL;
    if (input != NULL) {
        const int error = make_input(inputs);
        if (error != 0) return error;
        *input = inputs[1];
    }
    for (int index = 0; index < count; index += 1) {
        int ends[2];
        const int error = make_pipe(ends);
        if (error != 0) {
            close_all(pipes, index);
            close_all(writes, index);
            if (input != NULL) close_all(inputs, 2);
            return error;
        }
        pipes[index] = ends[0];
        writes[index] = ends[1];
    }
    int error = spawn(words, inputs[0], files, writes, count, &program->id);
    close_all(writes, count);
    if (input != NULL) close(inputs[0]);
    if (error == 0) {
        program->end = (int)syscall(SYS_pidfd_open, program->id, 0);
        if (program->end >= 0) return 0;
        error = errno;
        kill(-program->id, SIGKILL);
        while (waitpid(program->id, NULL, 0) < 0 && errno == EINTR) {}
    }
    close_all(pipes, count);
    if (input != NULL) close(inputs[1]);
    return -error;
}

ssize_t caprig_write_available(int file, const void *bytes, size_t count) {
    ssize_t result;
    do {
        result = write(file, bytes, count);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

int caprig_program_signal(pid_t id, int signal) {
    return kill(-id, signal) < 0 ? -errno : 0;
}

int caprig_program_reap(pid_t id, int *status) {
    pid_t result;
    do {
        result = waitpid(id, status, WNOHANG);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result == id;
}

int caprig_wait_readable(const int files[], int ready[], int count, int milliseconds) {
    struct pollfd waits[lowest_pipe];
    if (count < 0 || count > lowest_pipe) return -EINVAL;
    for (int index = 0; index < count; index += 1) waits[index] = (struct pollfd){.fd = files[index], .events = POLLIN};
    const int result = poll(waits, (nfds_t)count, milliseconds);
    if (result < 0 && errno != EINTR) return -errno;
    for (int index = 0; index < count; index += 1) ready[index] = result > 0 && waits[index].revents != 0;
    return result < 0 ? 0 : result;
}

ssize_t caprig_read_available(int file, void *bytes, size_t count) {
    ssize_t result;
    do {
        result = read(file, bytes, count);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}
