#include "CMosquitto.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

// How long a step waits while the connection is being made, when the library does not tell what it waits for.
enum { CONNECTING_MILLISECONDS = 20 };

int cmosquitto_connect(struct mosquitto *client, const char *host, int port, int keepalive_seconds,
                       uint32_t maximum_packet_size) {
    mosquitto_property *properties = NULL;
    int result = mosquitto_property_add_int32(&properties, MQTT_PROP_MAXIMUM_PACKET_SIZE, maximum_packet_size);
    if (result) return result;
    // The library takes properties in the call that blocks, keeps them, and uses them in the call that does not. Nothing listens on port
    // 0, so the first call fails at once, without looking a name up.
    mosquitto_connect_bind_v5(client, "127.0.0.1", 0, keepalive_seconds, NULL, properties);
    mosquitto_property_free_all(&properties);
    result = mosquitto_connect_async(client, host, port, keepalive_seconds);
    return result == MOSQ_ERR_CONN_PENDING ? MOSQ_ERR_SUCCESS : result;
}

static int socket_error(int descriptor) {
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

// Whether a socket that has hung up was never connected. In a TLS handshake the library overlooks that, and has taken the socket's error.
static bool was_never_connected(int descriptor) {
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    return getpeername(descriptor, (struct sockaddr *)&peer, &size) != 0 && errno == ENOTCONN;
}

int cmosquitto_step(struct mosquitto *client, bool is_connected, int wake_descriptor, int timeout_milliseconds) {
    struct pollfd requests[2] = {
        {.fd = mosquitto_socket(client), .events = POLLIN},
        {.fd = wake_descriptor, .events = POLLIN},
    };
    if (requests[0].fd < 0) return MOSQ_ERR_NO_CONN;
    // While the connection is made, the library may want to write for a whole handshake; asking for that would wait for nothing.
    if (!is_connected) {
        timeout_milliseconds = CONNECTING_MILLISECONDS;
    } else if (mosquitto_want_write(client)) {
        requests[0].events |= POLLOUT;
    }
    if (poll(requests, 2, timeout_milliseconds) < 0) return errno == EINTR ? MOSQ_ERR_SUCCESS : CMOSQUITTO_ERRNO + errno;
    if (requests[0].revents & (POLLERR | POLLNVAL)) {
        int error = socket_error(requests[0].fd);
        return CMOSQUITTO_ERRNO + (error ? error : ECONNRESET);
    }
    if (!is_connected && requests[0].revents & POLLHUP && was_never_connected(requests[0].fd)) {
        return CMOSQUITTO_ERRNO + ECONNREFUSED;
    }
    int result = MOSQ_ERR_SUCCESS;
    if (requests[0].revents & (POLLIN | POLLHUP)) result = mosquitto_loop_read(client, 1);
    if (result == MOSQ_ERR_SUCCESS && mosquitto_socket(client) >= 0 && (!is_connected || mosquitto_want_write(client))) {
        result = mosquitto_loop_write(client, 1);
    }
    if (result == MOSQ_ERR_SUCCESS && mosquitto_socket(client) >= 0) result = mosquitto_loop_misc(client);
    return result;
}
