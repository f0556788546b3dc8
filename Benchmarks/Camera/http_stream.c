#define _GNU_SOURCE
#include "stream.h"

#include <err.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { CAPACITY = 4 << 20 };

struct http_stream {
    struct stream stream;
    int socket;
    /// What has been received and not used; `expected` bytes of picture stand at `start`, 0 before a head was read.
    uint8_t *bytes;
    size_t start, end, expected;
};

// More bytes; the return values are those of `next`.
static int receive(struct http_stream *http) {
    if (http->start > 0) {
        memmove(http->bytes, http->bytes + http->start, http->end - http->start);
        http->end -= http->start;
        http->start = 0;
    }
    if (http->end == CAPACITY) return warnx("a picture has more than %d bytes", CAPACITY), -1;
    ssize_t count = recv(http->socket, http->bytes + http->end, CAPACITY - http->end, 0);
    if (count > 0) {
        http->end += count;
        return 1;
    }
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    return warnx("the stream has ended: %s", count < 0 ? strerror(errno) : "closed by the server"), -1;
}

// Takes heads, the response's and the parts', up to one with a length.
static bool take_head(struct http_stream *http) {
    while (http->expected == 0) {
        uint8_t *head = http->bytes + http->start;
        uint8_t *end = memmem(head, http->end - http->start, "\r\n\r\n", 4);
        if (!end) return false;
        *end = 0;
        const char *length = strcasestr((char *)head, "\ncontent-length:");
        if (length) http->expected = strtoul(length + 16, NULL, 10);
        http->start = end + 4 - http->bytes;
    }
    return true;
}

static int next(struct stream *stream, const uint8_t **image, size_t *length) {
    struct http_stream *http = (struct http_stream *)stream;
    while (!take_head(http) || http->end - http->start < http->expected) {
        int received = receive(http);
        if (received != 1) return received;
    }
    *image = http->bytes + http->start;
    *length = http->expected;
    http->start += http->expected;
    http->expected = 0;
    return 1;
}

static int connect_to(const char *host, const char *port) {
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found;
    int error = getaddrinfo(host, port, &hints, &found);
    if (error) errx(1, "%s:%s: %s", host, port, gai_strerror(error));
    int connection = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, 0);
    struct timeval patience = {.tv_usec = 100000};
    if (connection < 0 || connect(connection, found->ai_addr, found->ai_addrlen) < 0 ||
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0) {
        err(1, "%s:%s", host, port);
    }
    freeaddrinfo(found);
    return connection;
}

struct stream *http_stream_open(const char *address) {
    char host[256], port[16], path[256] = "/", request[1024];
    if (sscanf(address, "%255[^:/]:%15[0-9]%255s", host, port, path) < 2) errx(64, "%s: is not HOST:PORT/PATH", address);
    struct http_stream *http = calloc(1, sizeof *http);
    if (!http || !(http->bytes = malloc(CAPACITY))) err(1, "%s", address);
    http->stream.next = next;
    http->socket = connect_to(host, port);
    int length = snprintf(request, sizeof request, "GET %s HTTP/1.0\r\nHost: %s\r\n\r\n", path, host);
    if (send(http->socket, request, length, MSG_NOSIGNAL) != length) err(1, "%s", address);
    return &http->stream;
}
