// A ROUTER that is none of this project's: what libzmq by itself does when its peers leave bytes behind.
//
// Started with the secret key of its socket, it admits every key. It says its version and endpoint, and for each line of input reads what waits, and says how many messages that was.
#include <stdio.h>
#include <zmq.h>

static long read_all(void *router) {
    zmq_pollitem_t item = {router, 0, ZMQ_POLLIN, 0};
    char part[256];
    long count = 0;
    while (zmq_poll(&item, 1, 100) > 0)
        while (zmq_recv(router, part, sizeof part, ZMQ_DONTWAIT) >= 0) count++;
    return count;
}

int main(int count, char **arguments) {
    if (count != 2) return 64;
    void *context = zmq_ctx_new();
    void *router = zmq_socket(context, ZMQ_ROUTER);
    int waiting = 16;
    zmq_setsockopt(router, ZMQ_RCVHWM, &waiting, sizeof waiting);
    int is_server = 1;
    zmq_setsockopt(router, ZMQ_CURVE_SERVER, &is_server, sizeof is_server);
    if (zmq_setsockopt(router, ZMQ_CURVE_SECRETKEY, arguments[1], 40) != 0) {
        perror("secret key");
        return 1;
    }
    char endpoint[64];
    size_t size = sizeof endpoint;
    if (zmq_bind(router, "tcp://127.0.0.1:*") != 0 || zmq_getsockopt(router, ZMQ_LAST_ENDPOINT, endpoint, &size) != 0) {
        perror("bind");
        return 1;
    }
    int major, minor, patch;
    zmq_version(&major, &minor, &patch);
    printf("%d.%d.%d %s\n", major, minor, patch, endpoint);
    fflush(stdout);
    char line[16];
    while (fgets(line, sizeof line, stdin) != NULL) {
        printf("%ld\n", read_all(router));
        fflush(stdout);
    }
    zmq_close(router);
    zmq_ctx_term(context);
    return 0;
}
