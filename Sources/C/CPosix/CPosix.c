#include "CPosix.h"

#include <ifaddrs.h>
#include <limits.h>
#include <linux/netlink.h>
#include <malloc.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

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
