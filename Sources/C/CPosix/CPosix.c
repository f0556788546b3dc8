#include "CPosix.h"

#include <ifaddrs.h>
#include <limits.h>
#include <linux/netlink.h>
#include <malloc.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/un.h>

bool caprig_faults_flag = false;

static _Thread_local void *current_work_queue;

void *caprig_current_work_queue(void) {
    return current_work_queue;
}

void caprig_set_current_work_queue(void *queue) {
    current_work_queue = queue;
}

int caprig_device_event_socket(void) {
    int result = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    if (result < 0) return -errno;
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 3};
    if (bind(result, (struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(result);
        return -error;
    }
    return result;
}

/// Takes the exclusive lock of a folder for a moment of work.
static int lock_folder(int folder) {
    const struct timespec pause = {.tv_nsec = 5000000};
    for (int attempt = 0; attempt < 2000; attempt++) {
        if (flock(folder, LOCK_EX | LOCK_NB) == 0) return 0;
        if (errno != EWOULDBLOCK && errno != EINTR) return -errno;
        nanosleep(&pause, NULL);
    }
    return -EWOULDBLOCK;
}

int caprig_rename_locked(int from_folder, const char *from, int to_folder, const char *to) {
    // A separate descriptor, since all uses of one descriptor share its lock.
    int folder = openat(to_folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return -errno;
    int result = lock_folder(folder);
    if (result == 0) {
        struct stat found;
        if (fstatat(to_folder, to, &found, AT_SYMLINK_NOFOLLOW) == 0) {
            result = -EEXIST;
        } else if (errno != ENOENT || renameat(from_folder, from, to_folder, to) < 0) {
            result = -errno;
        }
        // A process that is being started has a copy of every descriptor for a moment.
        flock(folder, LOCK_UN);
    }
    close(folder);
    return result;
}

ssize_t caprig_receive_device_event(int socket, void *bytes, size_t count) {
    ssize_t result;
    do {
        result = recv(socket, bytes, count, MSG_TRUNC);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

void caprig_wait_for_either(int first, int second) {
    struct pollfd entries[2] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}};
    while (poll(entries, 2, -1) < 0 && errno == EINTR) {
    }
}

long caprig_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -errno;
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = before;
    return limit.rlim_cur > LONG_MAX ? LONG_MAX : (long)limit.rlim_cur;
}

long caprig_hard_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -errno;
    return limit.rlim_max > LONG_MAX ? LONG_MAX : (long)limit.rlim_max;
}

int caprig_clock_state(bool *is_synchronized, long *max_error_microseconds) {
    struct timex state = {.modes = 0};
    if (adjtimex(&state) < 0) return -errno;
    *is_synchronized = (state.status & STA_UNSYNC) == 0;
    *max_error_microseconds = state.maxerror;
    return 0;
}

bool caprig_return_large_blocks(size_t byte_count) { return mallopt(M_MMAP_THRESHOLD, (int)byte_count) == 1; }

static int find_addresses(const char *host, int flags, struct addrinfo **found) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
    return getaddrinfo(host, NULL, &hints, found);
}

int caprig_host_addresses(const char *host, char *text, size_t size) {
    struct addrinfo *found;
    int code = find_addresses(host, 0, &found);
    if (code != 0) return code;
    size_t used = 0;
    text[0] = '\0';
    for (struct addrinfo *entry = found; entry != NULL; entry = entry->ai_next) {
        char number[NI_MAXHOST];
        if (getnameinfo(entry->ai_addr, entry->ai_addrlen, number, sizeof number, NULL, 0, NI_NUMERICHOST) != 0) continue;
        if (used + strlen(number) + 2 > size) break;
        used += sprintf(text + used, "%s\n", number);
    }
    freeaddrinfo(found);
    return 0;
}

const char *caprig_host_error_text(int code) { return gai_strerror(code); }

bool caprig_is_own_address(const char *address) {
    struct addrinfo *found;
    if (find_addresses(address, AI_NUMERICHOST, &found) != 0) return false;
    int probe = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_own = probe >= 0 && bind(probe, found->ai_addr, found->ai_addrlen) == 0;
    if (probe >= 0) close(probe);
    freeaddrinfo(found);
    return is_own;
}

bool caprig_is_interface(const char *name) { return if_nametoindex(name) != 0; }

static bool is_reachable(const struct ifaddrs *entry, int family) {
    if (entry->ifa_addr == NULL || entry->ifa_addr->sa_family != family) return false;
    if (!(entry->ifa_flags & IFF_UP) || (entry->ifa_flags & IFF_LOOPBACK)) return false;
    return family == AF_INET || !IN6_IS_ADDR_LINKLOCAL(&((struct sockaddr_in6 *)entry->ifa_addr)->sin6_addr);
}

/// The first address that a text of numbers means, to free with `freeaddrinfo`. Returns 0 or a negated errno.
static int numeric_address(const char *address, uint16_t port, int flags, struct addrinfo **found) {
    char service[8];
    snprintf(service, sizeof service, "%u", port);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICHOST | AI_NUMERICSERV};
    return getaddrinfo(address, service, &hints, found) == 0 ? 0 : -EINVAL;
}

int caprig_try_listen(const char *address, uint16_t port) {
    struct addrinfo *found;
    int error = numeric_address(address, port, AI_PASSIVE, &found);
    if (error != 0) return error;
    const int on = 1;
    const int file = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // As libzmq does, so that connections that have just ended do not count.
    const bool listens = file >= 0 && setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                         bind(file, found->ai_addr, found->ai_addrlen) == 0 && listen(file, 1) == 0;
    error = listens ? 0 : -errno;
    if (file >= 0) close(file);
    freeaddrinfo(found);
    return error;
}

int caprig_send_datagram(const char *address, const void *bytes, size_t count) {
    struct sockaddr_un receiver = {.sun_family = AF_UNIX};
    const size_t length = strlen(address);
    if (length < 2 || (address[0] != '/' && address[0] != '@')) return -EINVAL;
    if (length >= sizeof receiver.sun_path) return -ENAMETOOLONG;
    memcpy(receiver.sun_path, address, length);
    // A name of the abstract namespace begins with a zero byte, and ends where the address does.
    const bool is_abstract = address[0] == '@';
    if (is_abstract) receiver.sun_path[0] = 0;
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (is_abstract ? 0 : 1));
    const int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (file < 0) return -errno;
    const ssize_t sent =
        sendto(file, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)&receiver, size);
    const int error = sent < 0 ? -errno : 0;
    close(file);
    return error;
}

/// Waits for the end of an attempt to connect. Returns 0 or a negated errno.
static int wait_until_connected(int file, int milliseconds) {
    struct pollfd waited = {.fd = file, .events = POLLOUT};
    const int count = poll(&waited, 1, milliseconds);
    if (count == 0) return -ETIMEDOUT;
    int error = count < 0 ? errno : 0;
    socklen_t size = sizeof error;
    if (error == 0 && getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    return -error;
}

static int packet_size(int file, int family) {
    int size = 0;
    socklen_t length = sizeof size;
    const bool is_known = family == AF_INET6 ? getsockopt(file, IPPROTO_IPV6, IPV6_MTU, &size, &length) == 0
                                             : getsockopt(file, IPPROTO_IP, IP_MTU, &size, &length) == 0;
    return is_known ? size : 0;
}

static void own_address(int file, char *text, size_t size) {
    struct sockaddr_storage own;
    socklen_t length = sizeof own;
    text[0] = 0;
    if (getsockname(file, (struct sockaddr *)&own, &length) != 0) return;
    if (getnameinfo((struct sockaddr *)&own, length, text, size, NULL, 0, NI_NUMERICHOST) != 0) text[0] = 0;
}

int caprig_try_connect(const char *address, uint16_t port, int milliseconds, int *mtu, char *own, size_t own_size) {
    struct addrinfo *found;
    int error = numeric_address(address, port, 0, &found);
    if (error != 0) return error;
    const int family = found->ai_family;
    const int file = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file < 0) {
        error = -errno;
    } else if (connect(file, found->ai_addr, found->ai_addrlen) != 0) {
        error = errno == EINPROGRESS ? wait_until_connected(file, milliseconds) : -errno;
    }
    freeaddrinfo(found);
    if (file >= 0 && error == 0) {
        *mtu = packet_size(file, family);
        own_address(file, own, own_size);
    }
    if (file >= 0) close(file);
    return error;
}

bool caprig_reachable_address(char *text, size_t size) {
    struct ifaddrs *all;
    if (getifaddrs(&all) != 0) return false;
    const int families[] = {AF_INET, AF_INET6};
    const socklen_t sizes[] = {sizeof(struct sockaddr_in), sizeof(struct sockaddr_in6)};
    bool is_found = false;
    for (int index = 0; index < 2 && !is_found; index++) {
        for (struct ifaddrs *entry = all; entry != NULL && !is_found; entry = entry->ifa_next) {
            is_found = is_reachable(entry, families[index]) &&
                       getnameinfo(entry->ifa_addr, sizes[index], text, size, NULL, 0, NI_NUMERICHOST) == 0;
        }
    }
    freeifaddrs(all);
    return is_found;
}
