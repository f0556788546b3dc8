#define _GNU_SOURCE
#include "CZeroMQ.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static bool has_port(const struct sockaddr_storage *address, uint16_t port) {
    if (address->ss_family == AF_INET) return ntohs(((struct sockaddr_in *)address)->sin_port) == port;
    return address->ss_family == AF_INET6 && ntohs(((struct sockaddr_in6 *)address)->sin6_port) == port;
}

bool czmq_end_connection(int descriptor, uint16_t port) {
    // The descriptor is another thread's, which may close it at any time; the copy stays the connection that is looked at.
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return false;
    struct sockaddr_storage own;
    socklen_t size = sizeof own;
    bool is_meant = getsockname(copy, (struct sockaddr *)&own, &size) == 0 && has_port(&own, port);
    bool ended = is_meant && shutdown(copy, SHUT_RDWR) == 0;
    close(copy);
    return ended;
}

bool czmq_local_address(int descriptor, uint16_t port, char *text, size_t size) {
    struct sockaddr_storage own, peer;
    socklen_t own_size = sizeof own, peer_size = sizeof peer;
    // As above, the descriptor may be another connection's by now.
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return false;
    bool is_meant = getpeername(copy, (struct sockaddr *)&peer, &peer_size) == 0 && has_port(&peer, port) &&
                    getsockname(copy, (struct sockaddr *)&own, &own_size) == 0;
    close(copy);
    if (!is_meant) return false;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&own;
    if (own.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) {
        return inet_ntop(AF_INET, six->sin6_addr.s6_addr + 12, text, size) != NULL;
    }
    return getnameinfo((struct sockaddr *)&own, own_size, text, size, NULL, 0, NI_NUMERICHOST) == 0;
}

// Weak: a library that tools/libzmq has not built does not have it.
extern const char caprig_libzmq_mended[] __attribute__((weak));

const char *czmq_library_mended(void) { return caprig_libzmq_mended; }

int64_t czmq_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

const char *czmq_error_name(int code) {
    switch (code) {
    case EFSM: return "EFSM";
    case ENOCOMPATPROTO: return "ENOCOMPATPROTO";
    case ETERM: return "ETERM";
    case EMTHREAD: return "EMTHREAD";
    default: break;
    }
    const char *name = strerrorname_np(code);
    return name == NULL ? "EUNKNOWN" : name;
}
