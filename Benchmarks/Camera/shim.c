/// Makes programs see the cameras of `cameras` as V4L2 devices: LD_PRELOAD=shim.so CAPRIG_BENCH_CAMERAS=FOLDER.
///
/// Stands in front of the C library's functions by which a program opens, asks, maps and closes a device. What a program
/// gets for a camera is the reading end of a pipe with a byte for each filled buffer, so that poll, select and epoll need
/// no stand-in, and say so when the camera's process has gone. Everything else goes to the kernel.
#define _GNU_SOURCE
#include "handle.h"
#include "ioctls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    if (handle_is_camera(path)) return handle_open(path, flags);
    return syscall(SYS_openat, folder, path, flags, mode);
}

// The mode is passed only with flags that create a file.
#define MODE(last, flags)                             \
    mode_t mode = 0;                                  \
    if (__OPEN_NEEDS_MODE(flags)) {                   \
        va_list rest;                                 \
        va_start(rest, last);                         \
        mode = va_arg(rest, mode_t);                  \
        va_end(rest);                                 \
    }

VISIBLE int open(const char *path, int flags, ...) {
    MODE(flags, flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

VISIBLE int open64(const char *path, int flags, ...) {
    MODE(flags, flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

VISIBLE int openat(int folder, const char *path, int flags, ...) {
    MODE(flags, flags)
    return open_at(folder, path, flags, mode);
}

VISIBLE int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags, flags)
    return open_at(folder, path, flags, mode);
}

// What calls without a mode become where programs are compiled with _FORTIFY_SOURCE.
VISIBLE int __open_2(const char *path, int flags) {
    return open_at(AT_FDCWD, path, flags, 0);
}

VISIBLE int __open64_2(const char *path, int flags) {
    return open_at(AT_FDCWD, path, flags, 0);
}

VISIBLE int __openat_2(int folder, const char *path, int flags) {
    return open_at(folder, path, flags, 0);
}

VISIBLE int __openat64_2(int folder, const char *path, int flags) {
    return open_at(folder, path, flags, 0);
}

VISIBLE int ioctl(int descriptor, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    struct handle *handle = handle_of(descriptor);
    if (!handle) return syscall(SYS_ioctl, descriptor, request, argument);
    int error = ioctls_answer(handle, (uint32_t)request, argument);
    if (error == 0) return 0;
    errno = error;
    return -1;
}

static void *map(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    struct handle *handle = handle_of(descriptor);
    int file = handle ? handle->state_file : descriptor;
    return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}

VISIBLE void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    return map(address, length, protection, flags, descriptor, offset);
}

VISIBLE void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off64_t offset) {
    return map(address, length, protection, flags, descriptor, offset);
}

VISIBLE int close(int descriptor) {
    struct handle *handle = handle_of(descriptor);
    if (handle) handle_close(handle);
    return syscall(SYS_close, descriptor);
}
