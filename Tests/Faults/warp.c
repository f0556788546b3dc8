// A clock that moves only while every thread of a rig waits, and then leaps to the next instant somebody waits for.
//
// Preloaded into the daemons, with WARP naming a file that they share: every clock stands still while anybody works (but
// for a little at each reading, so that no two readings are equal), and timerfds, which all waiting for an instant comes
// down to in these programs, are eventfds that ring when it leaps over them. warp.py loads the same library to make it leap.
// A wait that is none for an instant (poll, sem_timedwait, libzmq's own) keeps to the machine's clock.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 8, TIMERS = 8, THREADS = 256, SECOND = 1000000000, READING = 100 };
static const int64_t NEVER = INT64_MAX;

struct timer {
    _Atomic int32_t file;  // its descriptor in the process, 0 where there is none
    _Atomic int64_t due;
};

struct process {
    _Atomic int32_t id;
    struct timer timers[TIMERS];
};

// Zeros at first.
struct world {
    _Atomic int64_t now;       // CLOCK_MONOTONIC and CLOCK_BOOTTIME
    _Atomic int64_t realtime;  // what CLOCK_REALTIME is ahead of them
    struct process processes[PROCESSES];
};

static struct world *world;
static struct process *own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static clockid_t clocks[TIMERS];
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

// Whether this timer was due and is no more; of several who ask one is told so.
static bool takes(struct timer *timer, int64_t now) {
    int64_t due = atomic_load(&timer->due);
    return due <= now && atomic_compare_exchange_strong(&timer->due, &due, NEVER);
}

static void ring(int file) {
    const uint64_t once = 1;
    if (write(file, &once, sizeof once) < 0) fail("a timer cannot be rung");
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
    const char *path = getenv("WARP");
    if (!path) return;
    struct world *shared = map(path);
    for (int index = 0; index < PROCESSES && !own; index++) {
        int32_t nobody = 0;
        if (atomic_compare_exchange_strong(&shared->processes[index].id, &nobody, getpid())) own = &shared->processes[index];
    }
    if (!own) fail("too many processes");
    world = shared;
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
    if (!world) return real_create(clock, flags);
    int file = eventfd(0, (flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0) | (flags & TFD_CLOEXEC ? EFD_CLOEXEC : 0));
    if (file < 0) return file;
    pthread_mutex_lock(&lock);
    int place = 0;
    while (place < TIMERS && own->timers[place].file && own->timers[place].file != file) place++;
    if (place == TIMERS) fail("too many timers");
    clocks[place] = clock;
    atomic_store(&own->timers[place].due, NEVER);
    atomic_store(&own->timers[place].file, file);
    pthread_mutex_unlock(&lock);
    return file;
}

int timerfd_settime(int file, int flags, const struct itimerspec *value, struct itimerspec *old) {
    if (!world) return real_settime(file, flags, value, old);
    if (old || value->it_interval.tv_sec || value->it_interval.tv_nsec) fail("a timer of a kind that is not known here");
    pthread_mutex_lock(&lock);
    int place = 0;
    while (place < TIMERS && own->timers[place].file != file) place++;
    if (place == TIMERS) fail("a timer from elsewhere");
    struct timer *timer = &own->timers[place];
    int64_t asked = (int64_t)value->it_value.tv_sec * SECOND + value->it_value.tv_nsec, due = asked;
    if (!(flags & TFD_TIMER_ABSTIME)) due += atomic_load(&world->now);
    else if (clocks[place] == CLOCK_REALTIME) due -= atomic_load(&world->realtime);
    atomic_store(&timer->due, NEVER);
    uint64_t rung;
    struct pollfd state = {.fd = file, .events = POLLIN};
    if (poll(&state, 1, 0) == 1 && read(file, &rung, sizeof rung) < 0) fail("a timer cannot be set");
    atomic_store(&timer->due, asked ? due : NEVER);
    // Time may have leapt over it since.
    if (takes(timer, atomic_load(&world->now))) ring(file);
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

static void read_again(int file, char *text, size_t size) {
    ssize_t count = pread(file, text, size - 1, 0);
    text[count > 0 ? count : 0] = 0;
}

// How often the machine's processors have gone from one thread to another.
static int64_t switches(void) {
    static int file = -1;
    static char text[1 << 16];
    if (file < 0) file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
    read_again(file, text, sizeof text);
    char *line = strstr(text, "\nctxt ");
    if (!line) fail("/proc/stat does not say how often processors have switched");
    return atoll(line + strlen("\nctxt "));
}

// The threads of a process, with their open files in /proc, since they are looked at all the time.
struct watch {
    pid_t process;
    int folder;         // descriptor of /proc/PID/task
    nlink_t links;      // it has one for each thread
    int count;
    int awake;          // the thread that was seen at work last
    int threads[THREADS];
};

static void forget(struct watch *watch) {
    for (; watch->count > 0; watch->count--) close(watch->threads[watch->count - 1]);
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
        watch->threads[watch->count++] = openat(watch->folder, name, O_RDONLY | O_CLOEXEC);
    }
    if (threads) closedir(threads);
    return true;
}

enum state { ASLEEP, AWAKE, ENDED };

// Asleep is who neither runs, nor wants to, nor waits for a disk.
static enum state look_at(int stat) {
    char text[512];
    read_again(stat, text, sizeof text);
    char *end = strrchr(text, ')');
    if (!end || end[1] != ' ') return ENDED;
    return strchr("SZX", end[2]) ? ASLEEP : AWAKE;
}

// Whether each thread of a process was asleep when it was looked at. One that is awake is asked first the next time.
static bool all_sleep(struct watch *watch, pid_t process, pid_t except) {
    struct stat status;
    if (watch->process != process || fstat(watch->folder, &status) || status.st_nlink != watch->links) {
        forget(watch);
        if (!find(watch, process, except)) return true;
    }
    for (int index = 0; index < watch->count; index++) {
        enum state state = look_at(watch->threads[index]);
        if (state == ASLEEP) continue;
        watch->awake = index;
        // Another may have begun in its place.
        if (state == ENDED) forget(watch);
        return false;
    }
    return true;
}

// Without a switch from one look at the processors to the next, who runs at the first runs all the time. So nobody was
// awake at one instant where each was seen asleep between two such looks.
static bool everybody_sleeps(pid_t caller) {
    static struct watch watches[PROCESSES + 1];
    for (int index = 0; index <= PROCESSES; index++) {
        struct watch *watch = &watches[index];
        if (watch->awake < watch->count && look_at(watch->threads[watch->awake]) == AWAKE) return false;
    }
    int64_t before = switches();
    for (int index = 0; index < PROCESSES; index++) {
        pid_t process = atomic_load(&world->processes[index].id);
        if (process && !all_sleep(&watches[index], process, 0)) return false;
    }
    return all_sleep(&watches[PROCESSES], getpid(), caller) && switches() == before;
}

// This process's own descriptor for a timer of another.
static int bell(int index, int place) {
    static struct { pid_t process; int timer, file; } bells[PROCESSES][TIMERS];
    struct process *process = &world->processes[index];
    pid_t id = atomic_load(&process->id);
    int timer = atomic_load(&process->timers[place].file);
    if (bells[index][place].process == id && bells[index][place].timer == timer) return bells[index][place].file;
    int pidfd = (int)syscall(SYS_pidfd_open, id, 0);
    int file = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, timer, 0);
    if (pidfd >= 0) close(pidfd);
    if (file < 0 && errno == EPERM) fail("the descriptors of a process of the rig cannot be had");
    bells[index][place].process = id, bells[index][place].timer = timer, bells[index][place].file = file;
    return file;
}

static int64_t next_due(void) {
    int64_t next = NEVER;
    for (int index = 0; index < PROCESSES; index++) {
        for (int place = 0; place < TIMERS; place++) {
            struct timer *timer = &world->processes[index].timers[place];
            int64_t due = atomic_load(&timer->file) ? atomic_load(&timer->due) : NEVER;
            if (due < next) next = due;
        }
    }
    return next;
}

static void ring_what_is_due(int64_t now) {
    for (int index = 0; index < PROCESSES; index++) {
        for (int place = 0; place < TIMERS; place++) {
            struct timer *timer = &world->processes[index].timers[place];
            if (!atomic_load(&timer->file) || !takes(timer, now)) continue;
            int file = bell(index, place);
            if (file >= 0) ring(file);
        }
    }
}

// Waits until everybody waits, then leaps to the next instant somebody waits for, or to `limit` where that comes first.
// What is due within `slack` of it comes at once too. At most `patience` looks; 0 where somebody was at work all along.
int64_t warp_step(int64_t limit, int64_t slack, int patience) {
    pid_t caller = (pid_t)syscall(SYS_gettid);
    struct sched_param none = {0};
    sched_setscheduler(0, SCHED_IDLE, &none);
    while (!everybody_sleeps(caller)) {
        if (patience-- <= 0) return 0;
        sched_yield();  // who wants the processor goes first
    }
    int64_t next = next_due(), now = atomic_load(&world->now), to = next > limit - slack ? limit : next + slack;
    if (to > now) atomic_fetch_add(&world->now, to - now);
    now = atomic_load(&world->now);
    ring_what_is_due(now);
    return now;
}
