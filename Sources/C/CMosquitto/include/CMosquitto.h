/// libmosquitto, and the two steps of a connection that Swift cannot take by itself: connecting without blocking with properties of
/// MQTT 5, and waiting for the socket together with another descriptor.
#ifndef CAPRIG_CMOSQUITTO_H
#define CAPRIG_CMOSQUITTO_H

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What `cmosquitto_step` returns for a failed socket: this number plus the errno.
enum { CMOSQUITTO_ERRNO = 1000 };

/// Begins to connect a client that speaks MQTT 5; only looking the host's name up blocks. The broker sends no packet of more than
/// `maximum_packet_size` bytes. Returns a `MOSQ_ERR_` code; with `MOSQ_ERR_ERRNO`, `errno` says more.
int cmosquitto_connect(struct mosquitto *client, const char *host, int port, int keepalive_seconds,
                       uint32_t maximum_packet_size);

/// Waits until the client's socket can be used, `wake_descriptor` is readable or the time has passed, and then lets the client read, write
/// and send signs of life; it calls the client's callbacks. Returns a `MOSQ_ERR_` code, or `CMOSQUITTO_ERRNO` plus an errno.
/// `is_connected`: whether the broker has accepted the connection.
int cmosquitto_step(struct mosquitto *client, bool is_connected, int wake_descriptor, int timeout_milliseconds);

#endif
