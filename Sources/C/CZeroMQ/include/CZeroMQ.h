#ifndef CZEROMQ_H
#define CZEROMQ_H

#include <stdbool.h>
#include <stdint.h>
#include <zmq.h>

// libzmq itself, and the few system calls its Swift wrapper needs that Swift's Glibc module does not offer.

/// Ends the TCP connection with this descriptor where its own port is `port`; its owner closes it. Whether it did so.
bool czmq_end_connection(int descriptor, uint16_t port);

/// This end's address, in numbers, of the TCP connection with this descriptor where the other end's port is `port`. Whether it is.
bool czmq_local_address(int descriptor, uint16_t port, char *text, size_t size);

/// What tools/libzmq has mended in the libzmq that this process is linked with, as the library itself tells: names that
/// commas separate, or NULL where another build made it.
const char *czmq_library_mended(void);

/// The option by which a server's socket refuses everybody while no handler of ZAP is bound. zmq.h has it among its drafts only, and
/// libraries without drafts have it too.
static const int czmq_zap_enforce_domain = 93;

/// CLOCK_MONOTONIC in nanoseconds.
int64_t czmq_monotonic_nanoseconds(void);

/// The name of an errno value or of one of libzmq's own, such as "EADDRINUSE" or "ETERM".
const char *czmq_error_name(int code);

#endif
