// Makes a program leak at each fsync and syncfs: LD_PRELOAD it, with LEAK=memory, descriptors or threads. endurance.py --plant.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void *rest(void *unused) {
    for (;;) pause();
    return unused;
}

static void leak(void) {
    static unsigned calls;
    const char *kind = getenv("LEAK");
    if (!kind) return;
    unsigned call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (!strcmp(kind, "memory")) {
        char *bytes = malloc(4096);
        if (bytes) memset(bytes, 1, 4096);
    } else if (call % 200 == 0) {
        pthread_t thread;
        if (!strcmp(kind, "descriptors")) (void)!eventfd(0, EFD_CLOEXEC);
        if (!strcmp(kind, "threads")) pthread_create(&thread, NULL, rest, NULL);
    }
}

int fsync(int file) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    leak();
    return real(file);
}

int syncfs(int file) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "syncfs");
    leak();
    return real(file);
}
