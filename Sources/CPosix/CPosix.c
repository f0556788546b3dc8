#include "CPosix.h"

#include <limits.h>
#include <linux/netlink.h>
#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

bool caprig_faults_flag = false;

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
