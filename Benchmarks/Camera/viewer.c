/// Watches streams of marked pictures, each on a thread of its own, until the end of standard input and, for a tenth of a
/// second more, while there are some. Then prints a line for every picture: camera, frame, and the instant of CLOCK_MONOTONIC, in nanoseconds, at which its last byte was here.
///
///     viewer http HOST:PORT/PATH...
///     viewer bus ENDPOINT NODE/DEVICE/KIND...
///
/// The viewer of a bus connects with the keys in CAPRIG_BENCH_PUBLIC_KEY, CAPRIG_BENCH_SECRET_KEY and CAPRIG_BENCH_SERVER_KEY (Z85).
///
/// A picture without a mark, as one that was encoded again, counts as camera and frame `-`.
#define _GNU_SOURCE
#include "jpeg_mark.h"
#include "stream.h"

#include <err.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct sight {
    bool is_marked;
    uint32_t camera;
    uint64_t frame;
    int64_t received;
};

/// What one thread watches and has seen.
struct watch {
    pthread_t thread;
    struct stream *stream;
    struct sight *sights;
    size_t count, capacity;
};

/// When to stop at the latest; 0 while standard input is open.
static _Atomic int64_t end;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void note(struct watch *watch, const uint8_t *image, size_t length, int64_t received) {
    if (watch->count == watch->capacity) {
        watch->capacity = watch->capacity ? watch->capacity * 2 : 4096;
        watch->sights = reallocarray(watch->sights, watch->capacity, sizeof *watch->sights);
        if (!watch->sights) err(1, "memory");
    }
    struct sight *sight = &watch->sights[watch->count++];
    sight->received = received;
    sight->is_marked = jpeg_mark_read(image, length, &sight->camera, &sight->frame);
}

static void *run(void *argument) {
    struct watch *watch = argument;
    while (!end || now() < end) {
        const uint8_t *image;
        size_t length;
        int got = watch->stream->next(watch->stream, &image, &length);
        if (got < 0) exit(1);
        if (got > 0) note(watch, image, length, now());
        if (got == 0 && end) break;
    }
    return NULL;
}

static void print(const struct watch *watch) {
    for (size_t number = 0; number < watch->count; number++) {
        const struct sight *sight = &watch->sights[number];
        if (sight->is_marked) {
            printf("%u %llu %lld\n", sight->camera, (unsigned long long)sight->frame, (long long)sight->received);
        } else {
            printf("- - %lld\n", (long long)sight->received);
        }
    }
}

int main(int count, char **arguments) {
    bool is_http = count > 2 && !strcmp(arguments[1], "http"), is_bus = count > 3 && !strcmp(arguments[1], "bus");
    if (!is_http && !is_bus) errx(64, "usage: viewer http HOST:PORT/PATH... | viewer bus ENDPOINT NODE/DEVICE/KIND...");
    char **sources = arguments + (is_http ? 2 : 3), byte;
    size_t watch_count = arguments + count - sources;
    struct watch *watches = calloc(watch_count, sizeof *watches);
    if (!watches) err(1, "memory");
    for (size_t number = 0; number < watch_count; number++) {
        struct watch *watch = &watches[number];
        watch->stream = is_http ? http_stream_open(sources[number]) : bus_stream_open(arguments[2], sources[number]);
        if (pthread_create(&watch->thread, NULL, run, watch)) errx(1, "no thread");
    }
    while (read(STDIN_FILENO, &byte, 1) > 0) continue;
    end = now() + 100000000;
    for (size_t number = 0; number < watch_count; number++) pthread_join(watches[number].thread, NULL);
    for (size_t number = 0; number < watch_count; number++) print(&watches[number]);
    return 0;
}
