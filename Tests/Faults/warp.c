// A clock that moves only while every thread of a rig waits, and then leaps to the next instant somebody waits for.
//
// Preloaded into the daemons, with WARP naming a file that they share: every clock stands still while anybody works (but
// for a little at each reading, so that no two readings are equal), and timerfds, which all waiting for an instant comes
// down to in these programs, ring when it leaps over them. warp.py loads the same library to make it leap.
// A wait that is none for an instant (poll, sem_timedwait, libzmq's own) keeps to the machine's clock.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 8, TIMERS = 64, THREADS = 256, SECOND = 1000000000, READING = 100 };

struct process {
    _Atomic int32_t id;
    _Atomic uint32_t seen;  // the leap up to which its timers have rung
    _Atomic int64_t next;   // the earliest instant that it waits for
};

// Zeros at first.
struct world {
    _Atomic int64_t now;       // CLOCK_MONOTONIC and CLOCK_BOOTTIME
    _Atomic int64_t realtime;  // what CLOCK_REALTIME is ahead of them
    _Atomic uint32_t leaps;
    struct process processes[PROCESSES];
};

static struct world *world;
static struct process *own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int file; clockid_t clock; int64_t due; } timers[TIMERS];
static int (*real_gettime)(clockid_t, struct timespec *);
static int (*real_create)(int, int);
static int (*real_settime)(int, int, const struct itimerspec *, struct itimerspec *);

static void fail(const char *what) {
    fprintf(stderr, "warp: %s\n", what);
    abort();
}

static int64_t machine(clockid_t clock) {
    struct timespec time;
    real_gettime(clock, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

static int64_t read_clock(clockid_t clock) {
    int64_t now = atomic_fetch_add(&world->now, READING);
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? now + atomic_load(&world->realtime) : now;
}

static void ring(int file) {
    struct itimerspec soon = {.it_value = {.tv_nsec = 1}};
    real_settime(file, 0, &soon, NULL);
    // Until it shows, nobody would be awake who has work.
    struct pollfd rung = {.fd = file, .events = POLLIN};
    poll(&rung, 1, 2);
}

// Rings what is due and publishes what comes next; the lock is held.
static void look(void) {
    int64_t now = atomic_load(&world->now), next = INT64_MAX;
    for (int index = 0; index < TIMERS; index++) {
        if (timers[index].due == INT64_MAX) continue;
        if (timers[index].due <= now) {
            timers[index].due = INT64_MAX;
            ring(timers[index].file);
        } else if (timers[index].due < next) {
            next = timers[index].due;
        }
    }
    atomic_store(&own->next, next);
}

static void *follow(void *unused) {
    uint32_t seen = 0;
    for (;;) {
        syscall(SYS_futex, &world->leaps, FUTEX_WAIT, seen, NULL, NULL, 0);
        uint32_t leaps = atomic_load(&world->leaps);
        if (leaps == seen) continue;
        seen = leaps;
        pthread_mutex_lock(&lock);
        look();
        pthread_mutex_unlock(&lock);
        atomic_store(&own->seen, seen);
    }
    return unused;
}

static struct world *map(const char *path) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *page = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(struct world), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) fail("the shared file cannot be mapped");
    close(file);
    return page;
}

__attribute__((constructor)) static void begin(void) {
    real_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    real_create = (int (*)(int, int))dlsym(RTLD_NEXT, "timerfd_create");
    real_settime = (int (*)(int, int, const struct itimerspec *, struct itimerspec *))dlsym(RTLD_NEXT, "timerfd_settime");
    for (int index = 0; index < TIMERS; index++) timers[index].due = INT64_MAX, timers[index].file = -1;
    const char *path = getenv("WARP");
    if (!path) return;
    struct world *shared = map(path);
    for (int index = 0; index < PROCESSES && !own; index++) {
        int32_t nobody = 0;
        if (atomic_compare_exchange_strong(&shared->processes[index].id, &nobody, getpid())) own = &shared->processes[index];
    }
    if (!own) fail("too many processes");
    atomic_store(&own->next, INT64_MAX);
    atomic_store(&own->seen, UINT32_MAX);
    world = shared;
    pthread_t thread;
    if (pthread_create(&thread, NULL, follow, NULL)) fail("no thread");
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!world || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID) {
        if (!real_gettime) return (int)syscall(SYS_clock_gettime, clock, time);
        return real_gettime(clock, time);
    }
    int64_t now = read_clock(clock);
    *time = (struct timespec){.tv_sec = now / SECOND, .tv_nsec = now % SECOND};
    return 0;
}

int gettimeofday(struct timeval *time, void *zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

int timerfd_create(int clock, int flags) {
    int file = real_create(clock, flags);
    if (!world || file < 0) return file;
    pthread_mutex_lock(&lock);
    int place = -1;
    for (int index = 0; index < TIMERS; index++) {
        if (timers[index].file == file || (place < 0 && timers[index].file < 0)) place = index;
    }
    if (place < 0) fail("too many timers");
    timers[place].file = file, timers[place].clock = clock, timers[place].due = INT64_MAX;
    pthread_mutex_unlock(&lock);
    return file;
}

int timerfd_settime(int file, int flags, const struct itimerspec *value, struct itimerspec *old) {
    if (!world) return real_settime(file, flags, value, old);
    if (old || value->it_interval.tv_sec || value->it_interval.tv_nsec) fail("a timer of a kind that is not known here");
    struct itimerspec never = {0};
    pthread_mutex_lock(&lock);
    int place = 0;
    while (place < TIMERS && timers[place].file != file) place++;
    if (place == TIMERS) fail("a timer from elsewhere");
    int64_t asked = (int64_t)value->it_value.tv_sec * SECOND + value->it_value.tv_nsec, due = asked;
    if (!(flags & TFD_TIMER_ABSTIME)) due += atomic_load(&world->now);
    else if (timers[place].clock == CLOCK_REALTIME) due -= atomic_load(&world->realtime);
    real_settime(file, 0, &never, NULL);
    timers[place].due = asked ? due : INT64_MAX;
    look();
    pthread_mutex_unlock(&lock);
    return 0;
}

// What follows is called by warp.py.

// Begins a world at the machine's present.
int warp_begin(const char *path) {
    world = map(path);
    atomic_store(&world->now, machine(CLOCK_MONOTONIC));
    atomic_store(&world->realtime, machine(CLOCK_REALTIME) - machine(CLOCK_MONOTONIC));
    return 0;
}

int64_t warp_now(void) { return atomic_load(&world->now); }

// The threads of a process, with their open files in /proc, since they are looked at all the time.
struct watch {
    pid_t process;
    int folder;         // descriptor of /proc/PID/task
    nlink_t links;      // it has one for each thread
    int count;
    int awake;          // the thread that was seen at work last
    struct { int stat, schedstat; } threads[THREADS];
};

static void forget(struct watch *watch) {
    for (; watch->count > 0; watch->count--) {
        close(watch->threads[watch->count - 1].stat);
        close(watch->threads[watch->count - 1].schedstat);
    }
    if (watch->process) close(watch->folder);
    watch->process = 0;
}

// Opens what there is of a process; false where it has ended.
static bool find(struct watch *watch, pid_t process, pid_t except) {
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/task", process);
    watch->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (watch->folder < 0) return false;
    watch->process = process;
    watch->links = fstat(watch->folder, &status) ? 0 : status.st_nlink;
    DIR *threads = opendir(path);
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        if (entry->d_name[0] == '.' || atoi(entry->d_name) == except) continue;
        if (watch->count == THREADS) fail("too many threads");
        char name[300];
        snprintf(name, sizeof name, "%s/stat", entry->d_name);
        watch->threads[watch->count].stat = openat(watch->folder, name, O_RDONLY | O_CLOEXEC);
        snprintf(name, sizeof name, "%s/schedstat", entry->d_name);
        watch->threads[watch->count++].schedstat = openat(watch->folder, name, O_RDONLY | O_CLOEXEC);
    }
    if (threads) closedir(threads);
    return true;
}

enum { AT_WORK = -1, ENDED = -2 };

static void read_again(int file, char *text, size_t size) {
    ssize_t count = pread(file, text, size - 1, 0);
    text[count > 0 ? count : 0] = 0;
}

// Neither runs, nor wants to, nor waits for a disk.
static bool sleeps(int stat) {
    char text[512];
    read_again(stat, text, sizeof text);
    char *end = strrchr(text, ')');
    return end && end[1] == ' ' && end[2] == 'S';
}

// How long a thread has run and how often it was given a processor, added up: known when it has stopped running.
static int64_t past(int schedstat) {
    char text[128];
    read_again(schedstat, text, sizeof text);
    char *end = strrchr(text, ' ');
    return end ? atoll(text) + atoll(end) : ENDED;
}

// A figure that differs if a thread of the process has begun to run meanwhile, or has stopped. AT_WORK where threads have
// to sleep and one does not: that one is `awake` then, and is asked first the next time.
static int64_t stillness(struct watch *watch, pid_t process, pid_t except, bool has_to_sleep) {
    struct stat status;
    if (watch->process != process || fstat(watch->folder, &status) || status.st_nlink != watch->links) {
        forget(watch);
        if (!find(watch, process, except)) return 0;
    }
    int64_t sum = 0;
    for (int index = 0; index < watch->count; index++) {
        if (has_to_sleep && !sleeps(watch->threads[index].stat)) {
            watch->awake = index;
            return AT_WORK;
        }
        int64_t one = past(watch->threads[index].schedstat);
        if (one == ENDED) {
            forget(watch);
            return AT_WORK;
        }
        sum += one + 1;
    }
    return sum;
}

static bool has_ended(pid_t process) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    text[count > 0 ? count : 0] = 0;
    char *end = strrchr(text, ')');
    return !end || end[2] == 'Z' || end[2] == 'X';
}

static int64_t look_at_all(struct watch *watches, pid_t caller, bool have_to_sleep) {
    int64_t sum = stillness(&watches[PROCESSES], getpid(), caller, have_to_sleep);
    for (int index = 0; sum >= 0 && index < PROCESSES; index++) {
        pid_t process = atomic_load(&world->processes[index].id);
        int64_t one = process ? stillness(&watches[index], process, 0, have_to_sleep) : 0;
        sum = one < 0 ? AT_WORK : sum + one;
    }
    return sum;
}

// Two looks: who sleeps at the second and has not run since the first slept all the time between, and so nobody was
// awake at one instant.
static bool everybody_sleeps(pid_t caller) {
    static struct watch watches[PROCESSES + 1];
    for (int index = 0; index <= PROCESSES; index++) {
        struct watch *watch = &watches[index];
        if (watch->awake < watch->count && !sleeps(watch->threads[watch->awake].stat)) return false;
    }
    int64_t before = look_at_all(watches, caller, false);
    return before >= 0 && before == look_at_all(watches, caller, true);
}

// Waits until everybody waits, then leaps to the next instant somebody waits for, or to `limit` where that comes first.
// What is due within `slack` of it comes at once too. At most `patience` looks; 0 where somebody was at work all along.
int64_t warp_step(int64_t limit, int64_t slack, int patience) {
    pid_t caller = (pid_t)syscall(SYS_gettid);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    while (!everybody_sleeps(caller)) {
        if (patience-- <= 0) return 0;
        usleep(20);
    }
    int64_t next = INT64_MAX;
    for (int index = 0; index < PROCESSES; index++) {
        struct process *process = &world->processes[index];
        int64_t due = atomic_load(&process->id) ? atomic_load(&process->next) : INT64_MAX;
        if (due < next) next = due;
    }
    int64_t now = atomic_load(&world->now), to = next > limit - slack ? limit : next + slack;
    if (to > now) atomic_fetch_add(&world->now, to - now);
    uint32_t leap = atomic_fetch_add(&world->leaps, 1) + 1;
    syscall(SYS_futex, &world->leaps, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    for (int index = 0; index < PROCESSES; index++) {
        struct process *process = &world->processes[index];
        while (atomic_load(&process->id) && atomic_load(&process->seen) != leap) {
            if (has_ended(atomic_load(&process->id))) atomic_store(&process->id, 0);
            usleep(20);
        }
    }
    return atomic_load(&world->now);
}
