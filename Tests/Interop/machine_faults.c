// What a kernel may answer that this machine's does not: preloaded into a program, with MACHINE_FAULTS naming the answers, each
// between commas.
//
//   synchronized, unsynchronized  the wall clock (adjtimex)
//   ahead                         the wall clock is 37 s ahead
//   steered                       clocks that are set stay as they are (clock_adjtime)
//   publishing                    a file system that knows no way to name a file without replacing another
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static bool is_asked(const char *fault) {
    const char *all = getenv("MACHINE_FAULTS");
    return all && strstr(all, fault);
}

int adjtimex(struct timex *state) {
    const int result = (int)syscall(SYS_adjtimex, state);
    if (is_asked(",synchronized,")) state->status &= ~STA_UNSYNC;
    if (is_asked(",unsynchronized,")) state->status |= STA_UNSYNC;
    return result;
}

int clock_adjtime(clockid_t clock, struct timex *state) {
    if (state->modes != 0 && is_asked(",steered,")) return 0;
    return (int)syscall(SYS_clock_adjtime, clock, state);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*original)(clockid_t, struct timespec *);
    if (!original) original = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const int result = original(clock, time);
    if (clock == CLOCK_REALTIME && is_asked(",ahead,")) time->tv_sec += 37;
    return result;
}

static int failure(int code) {
    errno = code;
    return -1;
}

long syscall(long number, ...) {
    static long (*original)(long, ...);
    if (!original) original = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    if (number == SYS_renameat2 && is_asked(",publishing,")) return failure(EINVAL);
    va_list list;
    va_start(list, number);
    long words[6];
    for (int index = 0; index < 6; index++) words[index] = va_arg(list, long);
    va_end(list);
    return original(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    if (is_asked(",publishing,")) return failure(EPERM);
    return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

int flock(int file, int operation) {
    if (is_asked(",publishing,")) return failure(ENOLCK);
    return (int)syscall(SYS_flock, file, operation);
}
