#define _GNU_SOURCE
#include "channel.h"

#include <err.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

union descriptors {
    char bytes[CMSG_SPACE(2 * sizeof(int))];
    struct cmsghdr alignment;
};

static int address(struct sockaddr_un *address, const char *path) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path) return errno = ENAMETOOLONG, -1;
    strcpy(address->sun_path, path);
    return 0;
}

int channel_listen(const char *path) {
    struct sockaddr_un name;
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0 || address(&name, path) < 0 || bind(listener, (struct sockaddr *)&name, sizeof name) < 0 ||
        listen(listener, 16) < 0) {
        err(1, "%s", path);
    }
    return listener;
}

int channel_welcome(int connection, int state_file, int frames) {
    struct camera_reply reply = {0};
    struct iovec part = {.iov_base = &reply, .iov_len = sizeof reply};
    union descriptors control = {0};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(header), (int[]){state_file, frames}, 2 * sizeof(int));
    return sendmsg(connection, &message, MSG_NOSIGNAL) < 0 ? errno : 0;
}

static int receive_welcome(int connection, int *state_file, int *frames) {
    struct camera_reply reply;
    struct iovec part = {.iov_base = &reply, .iov_len = sizeof reply};
    union descriptors control = {0};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC) != sizeof reply) return errno = ENODEV, -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_len != CMSG_LEN(2 * sizeof(int))) return errno = ENODEV, -1;
    int numbers[2];
    memcpy(numbers, CMSG_DATA(header), sizeof numbers);
    *state_file = numbers[0];
    *frames = numbers[1];
    return 0;
}

int channel_connect(const char *path, int *state_file, int *frames) {
    struct sockaddr_un name;
    if (address(&name, path) < 0) return -1;
    int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (connection < 0) return -1;
    if (connect(connection, (struct sockaddr *)&name, sizeof name) < 0 ||
        receive_welcome(connection, state_file, frames) < 0) {
        int error = errno == ECONNREFUSED ? ENODEV : errno;
        close(connection);
        errno = error;
        return -1;
    }
    return connection;
}
