// Preloaded into a program of libcamera: the virtual USB controller is one that the firmware describes. libcamera names a camera by such a
// path, and takes none without it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *described(const char *path) {
    return strstr(path, "/vhci_hcd.0/firmware_node/path") != NULL ? "/proc/sys/kernel/hostname" : path;
}

int stat64(const char *path, struct stat64 *result) {
    static int (*real)(const char *, struct stat64 *);
    if (real == NULL) real = (int (*)(const char *, struct stat64 *))dlsym(RTLD_NEXT, "stat64");
    return real(described(path), result);
}

FILE *fopen64(const char *path, const char *mode) {
    static FILE *(*real)(const char *, const char *);
    if (real == NULL) real = (FILE * (*)(const char *, const char *))dlsym(RTLD_NEXT, "fopen64");
    return real(described(path), mode);
}
