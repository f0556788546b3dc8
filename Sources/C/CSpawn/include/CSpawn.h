/// Programs that this process starts: what Swift's Glibc module does not import of it. Each call returns 0 or a count, or the negated errno.
#ifndef CAPRIG_CSPAWN_H
#define CAPRIG_CSPAWN_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <sys/types.h>

/// A program that runs.
struct caprig_program {
    pid_t id;
    /// Becomes readable when the program has ended (`pidfd_open(2)`).
    int end;
};

/// Starts a program without a shell, in a new process group. Only its standard input and the pipes are open.
/// Its signals have their default actions, and none is blocked.
/// - Parameters:
///   - words: The program, which is looked for in PATH if it has no slash, and its arguments; ends with NULL.
///   - files: The descriptors that the program writes to, each at least 1 and less than 10.
///   - pipes: Gets the end to read of the pipe of each, which does not block.
///   - input: Gets the end to write of a pipe that is the program's standard input, which does not block; NULL for `/dev/null`.
int caprig_program_start(
    char *const words[], const int files[], int pipes[], int count, int *input, struct caprig_program *program);

/// Sends a signal to every process of the program's group. Safe until `caprig_program_reap` has succeeded.
int caprig_program_signal(pid_t id, int signal);

/// Returns 1 and what `waitpid(2)` says if the program has ended, 0 while it runs.
int caprig_program_reap(pid_t id, int *status);

/// Waits until one of the descriptors is readable or closed at its other end. Returns how many are; 0 after so many milliseconds, of which
/// a negative number is for ever.
/// - Parameter ready: Gets 1 for each that is.
int caprig_wait_readable(const int files[], int ready[], int count, int milliseconds);

/// `read(2)` that does not block. Returns 0 at the end, and `-EAGAIN` if there is nothing yet.
ssize_t caprig_read_available(int file, void *bytes, size_t count);

/// `write(2)` that does not block. Returns how many bytes were written, `-EAGAIN` if the pipe is full, `-EPIPE` if its reader has closed it; the signal
/// SIGPIPE must be blocked or ignored.
ssize_t caprig_write_available(int file, const void *bytes, size_t count);

#endif
