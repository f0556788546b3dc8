#define _GNU_SOURCE
#include "stream.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

struct bus_stream {
    struct stream stream;
    void *socket;
    zmq_msg_t message;
};

// Topic and NUL, the header's length as 32 bits in network byte order, the header, the picture.
static int find_image(zmq_msg_t *message, const uint8_t **image, size_t *length) {
    const uint8_t *bytes = zmq_msg_data(message);
    size_t size = zmq_msg_size(message);
    const uint8_t *nul = memchr(bytes, 0, size);
    size_t at = nul ? (size_t)(nul - bytes) + 1 : size;
    if (at + 4 > size) return warnx("a message has no header"), -1;
    size_t header = (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 | (size_t)bytes[at + 2] << 8 | bytes[at + 3];
    if (header > size - at - 4) return warnx("a message's header is cut off"), -1;
    *image = bytes + at + 4 + header;
    *length = size - at - 4 - header;
    return 1;
}

static int next(struct stream *stream, const uint8_t **image, size_t *length) {
    struct bus_stream *bus = (struct bus_stream *)stream;
    if (zmq_msg_recv(&bus->message, bus->socket, 0) < 0) {
        if (zmq_errno() == EAGAIN || zmq_errno() == EINTR) return 0;
        return warnx("%s", zmq_strerror(zmq_errno())), -1;
    }
    return find_image(&bus->message, image, length);
}

static void set(void *socket, int option, int value) {
    if (zmq_setsockopt(socket, option, &value, sizeof value) < 0) errx(1, "%s", zmq_strerror(zmq_errno()));
}

/// A key in Z85 from the environment; without the variables, a stream of an agent without keys.
static void set_key(void *socket, int option, const char *variable) {
    const char *key = getenv(variable);
    if (key && zmq_setsockopt(socket, option, key, strlen(key)) < 0) errx(1, "%s: %s", variable, zmq_strerror(zmq_errno()));
}

struct stream *bus_stream_open(const char *endpoint, const char *topic) {
    static void *context;
    if (!context && !(context = zmq_ctx_new())) errx(1, "%s", zmq_strerror(zmq_errno()));
    struct bus_stream *bus = calloc(1, sizeof *bus);
    if (!bus || !(bus->socket = zmq_socket(context, ZMQ_SUB))) err(1, "%s", endpoint);
    bus->stream.next = next;
    zmq_msg_init(&bus->message);
    set(bus->socket, ZMQ_RCVTIMEO, 100);
    set(bus->socket, ZMQ_LINGER, 0);
    set(bus->socket, ZMQ_CONFLATE, 1);
    set_key(bus->socket, ZMQ_CURVE_PUBLICKEY, "CAPRIG_BENCH_PUBLIC_KEY");
    set_key(bus->socket, ZMQ_CURVE_SECRETKEY, "CAPRIG_BENCH_SECRET_KEY");
    set_key(bus->socket, ZMQ_CURVE_SERVERKEY, "CAPRIG_BENCH_SERVER_KEY");
    // The topic with its NUL, so that no other topic begins with it.
    if (zmq_setsockopt(bus->socket, ZMQ_SUBSCRIBE, topic, strlen(topic) + 1) < 0 ||
        zmq_connect(bus->socket, endpoint) < 0) {
        errx(1, "%s: %s", endpoint, zmq_strerror(zmq_errno()));
    }
    return &bus->stream;
}
