/* The clocks of a program gain or lose: preloaded, with CAPRIG_BENCH_CLOCK="PPB FILE".
 *
 * CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW and CLOCK_BOOTTIME pass faster by PPB parts in a billion from the program's start on, as they do on a
 * machine with another crystal; waits until an instant of theirs end at that instant. Durations of waits stay: their error is millionths. The
 * file gets the kernel's CLOCK_MONOTONIC, nanoseconds, from which on they differ, so that others know the truth:
 *
 *   shown = kernel + (kernel - start) * PPB / 10^9
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int64_t ppb, starts[16];

static int64_t nanoseconds(const struct timespec *time)
{
	return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static struct timespec timespec_of(int64_t time)
{
	return (struct timespec){ .tv_sec = time / 1000000000, .tv_nsec = time % 1000000000 };
}

static int is_shown(clockid_t clock)
{
	return ppb && (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME);
}

static int (*kernel_gettime)(clockid_t, struct timespec *);

static int64_t kernel(clockid_t clock)
{
	struct timespec time;
	/* The C library's own, which does not enter the kernel. */
	if (!kernel_gettime)
		kernel_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	kernel_gettime(clock, &time);
	return nanoseconds(&time);
}

/* When the kernel's clock shows what the program wants to wait for. */
static struct timespec kernel_instant(clockid_t clock, const struct timespec *shown)
{
	const __int128 start = starts[clock], wanted = nanoseconds(shown);
	const int64_t instant = (int64_t)((wanted * 1000000000 + start * ppb) / (1000000000 + ppb));
	return timespec_of(instant > 0 ? instant : 0);
}

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("CAPRIG_BENCH_CLOCK");
	char *path = NULL;
	if (!text)
		return;
	const int64_t wanted = strtoll(text, &path, 10);
	const clockid_t clocks[] = { CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME };
	for (size_t number = 0; number < sizeof clocks / sizeof *clocks; number += 1)
		starts[clocks[number]] = kernel(clocks[number]);
	/* Only this program: not what it starts. */
	unsetenv("CAPRIG_BENCH_CLOCK");
	FILE *file = *path == ' ' ? fopen(path + 1, "w") : NULL;
	if (!file || fprintf(file, "%lld\n", (long long)starts[CLOCK_MONOTONIC]) < 0 || fclose(file)) {
		fprintf(stderr, "CAPRIG_BENCH_CLOCK=%s: %s\n", text, strerror(errno));
		_exit(1);
	}
	ppb = wanted;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time)
{
	if (!kernel_gettime)
		kernel_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	const int result = kernel_gettime(clock, time);
	if (result == 0 && is_shown(clock)) {
		const int64_t passed = nanoseconds(time);
		*time = timespec_of(passed + (int64_t)((__int128)(passed - starts[clock]) * ppb / 1000000000));
	}
	return result;
}

__attribute__((visibility("default"))) int clock_nanosleep(
	clockid_t clock, int flags, const struct timespec *time, struct timespec *rest)
{
	static int (*next)(clockid_t, int, const struct timespec *, struct timespec *);
	if (!next)
		next = (int (*)(clockid_t, int, const struct timespec *, struct timespec *))dlsym(RTLD_NEXT, "clock_nanosleep");
	if (!is_shown(clock) || !(flags & TIMER_ABSTIME))
		return next(clock, flags, time, rest);
	const struct timespec instant = kernel_instant(clock, time);
	return next(clock, flags, &instant, rest);
}

/* Timers of CLOCK_MONOTONIC and CLOCK_BOOTTIME do not say later which they are of, so that both are taken for the first: their starts differ
 * by what the machine has slept. */
__attribute__((visibility("default"))) int timerfd_settime(
	int file, int flags, const struct itimerspec *time, struct itimerspec *before)
{
	static int (*next)(int, int, const struct itimerspec *, struct itimerspec *);
	if (!next)
		next = (int (*)(int, int, const struct itimerspec *, struct itimerspec *))dlsym(RTLD_NEXT, "timerfd_settime");
	const int64_t wanted = nanoseconds(&time->it_value);
	/* An instant of another clock is far from this one: CLOCK_REALTIME. */
	if (!ppb || !(flags & TFD_TIMER_ABSTIME) || wanted == 0 || wanted > kernel(CLOCK_MONOTONIC) + 100000000000000)
		return next(file, flags, time, before);
	struct itimerspec shown = *time;
	shown.it_value = kernel_instant(CLOCK_MONOTONIC, &time->it_value);
	return next(file, flags, &shown, before);
}
