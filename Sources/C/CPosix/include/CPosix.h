/// The system calls that Swift's Glibc module does not import: variadic ones, GNU extensions, and those whose name a
/// struct also bears. Each retries EINTR where that is safe and returns the call's result, or the negated errno, so
/// that errno is read next to the call that set it.
#ifndef CAPRIG_CPOSIX_H
#define CAPRIG_CPOSIX_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// The columns of a terminal (`TIOCGWINSZ`); 0 if it does not know them, negative if the descriptor is not a terminal.
static inline int caprig_terminal_columns(int terminal) {
    struct winsize size;
    return ioctl(terminal, TIOCGWINSZ, &size) < 0 ? -errno : size.ws_col;
}

/// `openat(2)`; always close-on-exec.
static inline int caprig_openat(int folder, const char *path, int flags, mode_t mode) {
    int result;
    do {
        result = openat(folder, path, flags | O_CLOEXEC, mode);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

/// `write(2)` at the file's position.
static inline ssize_t caprig_write(int file, const void *bytes, size_t count) {
    ssize_t result;
    do {
        result = write(file, bytes, count);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

/// `pread(2)`.
static inline ssize_t caprig_pread(int file, void *bytes, size_t count, off_t offset) {
    ssize_t result;
    do {
        result = pread(file, bytes, count, offset);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

/// `pwrite(2)`; on a file opened for appending Linux ignores the offset.
static inline ssize_t caprig_pwrite(int file, const void *bytes, size_t count, off_t offset) {
    ssize_t result;
    do {
        result = pwrite(file, bytes, count, offset);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

/// `fdatasync(2)`: bytes and length, not times; not retried, like `caprig_fsync`.
static inline int caprig_fdatasync(int file) {
    return fdatasync(file) < 0 ? -errno : 0;
}

/// Begins to write to the disk what was written to the file and is not there yet (`sync_file_range(2)`), and waits for nothing
/// but a place in the disk's queue. Makes nothing durable by itself.
static inline int caprig_start_write_back(int file) {
    return sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE) < 0 ? -errno : 0;
}

/// `fsync(2)`. Not retried after a failure: the kernel forgets the pages it could not write, so that a second call
/// would report a success that is none.
static inline int caprig_fsync(int file) {
    return fsync(file) < 0 ? -errno : 0;
}

/// `syncfs(2)` of the file system a file is on. Reports failed writes since Linux 5.8; earlier kernels report none.
static inline int caprig_syncfs(int file) {
    return syncfs(file) < 0 ? -errno : 0;
}

/// `renameat2(2)` without replacing an existing target: fails with EEXIST instead.
static inline int caprig_rename_exclusive(int from_folder, const char *from, int to_folder, const char *to) {
    return syscall(SYS_renameat2, from_folder, from, to_folder, to, 1u /* RENAME_NOREPLACE */) < 0 ? -errno : 0;
}

/// Renames like `caprig_rename_exclusive`, for file systems that know neither that nor links: looks for the target, then renames, while this
/// process holds the lock (`flock(2)`) of the target's folder. Atomic for everybody who renames this way, not for other programs. Waits up to
/// ten seconds for the lock, then fails with EWOULDBLOCK.
int caprig_rename_locked(int from_folder, const char *from, int to_folder, const char *to);

/// `renameat(2)`, replacing an existing target.
static inline int caprig_rename(int from_folder, const char *from, int to_folder, const char *to) {
    return renameat(from_folder, from, to_folder, to) < 0 ? -errno : 0;
}

/// `linkat(2)`: a second name for a file, which must not be a symbolic link.
static inline int caprig_link(int from_folder, const char *from, int to_folder, const char *to) {
    return linkat(from_folder, from, to_folder, to, 0) < 0 ? -errno : 0;
}

/// `unlinkat(2)`; `flags` 0 for a file, AT_REMOVEDIR for an empty folder.
static inline int caprig_unlinkat(int folder, const char *name, int flags) {
    return unlinkat(folder, name, flags) < 0 ? -errno : 0;
}

/// `mkdirat(2)`.
static inline int caprig_mkdirat(int folder, const char *name, mode_t mode) {
    return mkdirat(folder, name, mode) < 0 ? -errno : 0;
}

/// `fstatat(2)` that does not follow a symbolic link.
static inline int caprig_lstatat(int folder, const char *name, struct stat *result) {
    return fstatat(folder, name, result, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

/// `fstat(2)`.
static inline int caprig_fstat(int file, struct stat *result) {
    return fstat(file, result) < 0 ? -errno : 0;
}

/// `stat(2)`, which follows symbolic links.
static inline int caprig_stat(const char *path, struct stat *result) {
    return stat(path, result) < 0 ? -errno : 0;
}

/// `ftruncate(2)`.
static inline int caprig_ftruncate(int file, off_t length) {
    int result;
    do {
        result = ftruncate(file, length);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

/// Takes an exclusive `flock(2)` without waiting.
static inline int caprig_try_lock(int file) {
    return flock(file, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
}

/// Releases a lock of `flock(2)`, also if a process that is being started has inherited the file for a moment.
static inline void caprig_unlock(int file) {
    flock(file, LOCK_UN);
}

/// Opens a stream over the folder's entries that has a position of its own; `close` it with `closedir`.
/// Returns NULL and stores the errno in `*error` on failure.
static inline DIR *caprig_open_entries(int folder, int *error) {
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = copy < 0 ? NULL : fdopendir(copy);
    *error = entries ? 0 : errno;
    if (!entries && copy >= 0) close(copy);
    return entries;
}

/// The name of the next entry, valid until the next call; NULL at the end, or on failure with `*error` set.
static inline const char *caprig_next_entry(DIR *entries, int *error) {
    errno = 0;
    struct dirent *entry = readdir(entries);
    *error = entry ? 0 : errno;
    return entry ? entry->d_name : NULL;
}

static inline void caprig_close_entries(DIR *entries) {
    closedir(entries);
}

/// A close-on-exec, non-blocking `eventfd(2)` with count 0.
static inline int caprig_eventfd(void) {
    int result = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return result < 0 ? -errno : result;
}

/// A close-on-exec, non-blocking socket that hears of devices coming and going: group 1 is what the kernel says, group
/// 2 what udev says when it has dealt with that. In the C file, since the headers of sockets are not for Swift to read
/// beside its own of the C library.
int caprig_device_event_socket(void);

/// The next message of such a socket: its length, which may be more than `count`, or the negated errno.
ssize_t caprig_receive_device_event(int socket, void *bytes, size_t count);

/// Blocks until one of two descriptors is readable or has failed.
void caprig_wait_for_either(int first, int second);

/// Names the calling thread; the kernel keeps 15 bytes.
static inline void caprig_name_current_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

/// What `caprig_set_current_work_queue` has stored on the calling thread, or NULL.
void *caprig_current_work_queue(void);
void caprig_set_current_work_queue(void *queue);

/// The symbol of an errno, such as "ENOSPC", or NULL.
static inline const char *caprig_errno_name(int code) {
    return strerrorname_np(code);
}

/// The system's words for an errno, without the locale's translation.
static inline const char *caprig_errno_text(int code) {
    return strerrordesc_np(code);
}

/// Raises the soft limit of open descriptors to the hard one. Returns the limit that holds then, or a negated errno.
long caprig_raise_descriptor_limit(void);

/// The hard limit of open descriptors, or a negated errno.
long caprig_hard_descriptor_limit(void);

/// Asks the kernel how it keeps its wall clock (`adjtimex(2)`). Returns 0 or a negated errno.
int caprig_clock_state(bool *is_synchronized, long *max_error_microseconds);

/// Binds a TCP socket to an address given in numbers, or to all for NULL, listens on it and closes it. Returns 0 or a negated errno.
int caprig_try_listen(const char *address, uint16_t port);

/// Connects to an address given in numbers, and ends the connection at once. Waits at most so long.
/// `mtu`: the largest packet on the way there, as the kernel knows it; 0 if it does not. `own`: this end's address.
/// Returns 0, `-ETIMEDOUT`, or another negated errno.
int caprig_try_connect(const char *address, uint16_t port, int milliseconds, int *mtu, char *own, size_t own_size);

/// Sends a datagram to a local socket (`unix(7)`): a path, or `@` and a name of the abstract namespace. Does not wait:
/// fails with EAGAIN while the receiver's queue is full. Returns 0 or a negated errno.
int caprig_send_datagram(const char *address, const void *bytes, size_t count);

/// Blocks of so many bytes and more come from the system and go back to it when they are freed (`mallopt(3)`).
bool caprig_return_large_blocks(size_t byte_count);

/// The addresses of a host name, or of an address however it is written, as text in numbers, each with a line feed behind it; those
/// that do not fit are left out. Asks name servers and waits for them. Returns 0 or an `EAI_` code.
int caprig_host_addresses(const char *host, char *text, size_t size);

/// The system's words for a code of `caprig_host_addresses`.
const char *caprig_host_error_text(int code);

/// Whether a socket can be bound to an address given in numbers.
bool caprig_is_own_address(const char *address);

/// Whether this is the name of a network interface of this machine.
bool caprig_is_interface(const char *name);

/// The first address at which other machines may reach this one, of an interface that is up: IPv4 before IPv6, none of loopback
/// and none that means a link only. Whether there is one.
bool caprig_reachable_address(char *text, size_t size);

/// A date and time of day in UTC; month and day count from 1.
struct caprig_date {
    int year, month, day, hour, minute, second;
};

/// The date of `seconds` since 1970-01-01T00:00:00Z (`gmtime_r(3)`).
static inline struct caprig_date caprig_utc_date(int64_t seconds) {
    time_t time = seconds;
    struct tm fields = {0};
    gmtime_r(&time, &fields);
    return (struct caprig_date){fields.tm_year + 1900, fields.tm_mon + 1, fields.tm_mday,
                                fields.tm_hour, fields.tm_min, fields.tm_sec};
}

/// Seconds from 1970-01-01T00:00:00Z to the beginning of a day (`timegm(3)`); a day that does not exist is another one.
static inline int64_t caprig_utc_seconds(int year, int month, int day) {
    struct tm fields = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day};
    return timegm(&fields);
}

/// Whether faults are asked for; read by `caprig_faults_are_armed` alone.
extern bool caprig_faults_flag;

/// Whether a test has asked this process for faults: a relaxed load.
static inline bool caprig_faults_are_armed(void) {
    return __atomic_load_n(&caprig_faults_flag, __ATOMIC_RELAXED);
}

/// Sets what `caprig_faults_are_armed` tells.
static inline void caprig_arm_faults(bool armed) {
    __atomic_store_n(&caprig_faults_flag, armed, __ATOMIC_RELAXED);
}

#endif
