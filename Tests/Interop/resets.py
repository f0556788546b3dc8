"""Peers that leave bytes behind: messages that fill a queue, ZMTP PINGs among them, and the end of the connection. Their keys are
admitted; others get no further than the handshake.

libzmq as it comes from its project aborts the process: it processes such a PING after the connection has failed, and wants
to answer (zeromq/libzmq#4364).
"""

import contextlib
import socket as sockets
import struct
import sys

import zmq

from caprig_client import CLIENT_LIMIT, PB, PROTOCOL_VERSION, Keys, Rig, client, clock, collect, connect
from curve_peer import CurvePeer, command, frame, metadata
from hostile import WITHOUT_KEYS

join = PB["join"]
RESET = struct.pack("ii", 1, 0)  # SO_LINGER of no time: close() resets the connection
LEFT = 400  # messages of a connection: more than the queue of any port takes
AT_ONCE = 8  # connections of a round, so that the queues of some are full while others are read
UNDER_WAY = 60  # requests of a client that is killed
PING = b"\4PING\0\0"  # of no time to live


# What a peer says to each port: the type of its socket, and a message that costs the daemon little.
MESSAGES = {
    "client": (b"DEALER", b"\xff"),
    "control": (b"DEALER", b"\xff"),
    "clock": (b"DEALER", clock.ClockProbe(sequence=1, t1_local_ns=1).SerializeToString()),
    "collect": (b"DEALER", collect.CollectFromAgent(node="rogue", epoch=1, hello={}).SerializeToString()),
    "feed": (b"SUB", b"\1event"),
    "frames": (b"SUB", b"\1node1"),
    "join": (b"DEALER", join.Join(request_id=1, protocol_version=PROTOCOL_VERSION, standing={}).SerializeToString()),
}


def leave_unread(place, kind, message):
    """Connections that send messages and PINGs, and are reset while these are read."""
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(CurvePeer(place.endpoint, kind, place.keys)) for _ in range(AT_ONCE)]
        for peer, data in [(peer, unread(peer, message)) for peer in held]:
            peer.connection.sendall(data)
            peer.connection.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, RESET)


def unread(peer, message):
    """A PING follows every few messages, so that one is in what libzmq takes from a connection at a time (8 KiB)."""
    few = ([message] * 4 + [PING]) * (LEFT // 4)
    return b"".join(peer.sealed(body, is_command=body is PING) for body in few)


def leave_unread_without_keys(endpoint, kind, message):
    """The same by peers without keys, who do not wait to be let in."""
    host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
    few = frame(message) * 4 + frame(PING, flags=4)
    for _ in range(AT_ONCE):
        with sockets.create_connection((host, int(port)), timeout=5) as connection, contextlib.suppress(ConnectionError):
            connection.sendall(WITHOUT_KEYS + command(b"READY", metadata(kind)) + few * (LEFT // 4))
            connection.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, RESET)


def sealed_size(body):
    """Bytes of a message on its way."""
    return len(frame(bytes(33) + body))


def has_been_told(port, peer, count):
    """Whether so many bytes wait to be read by the process that has bound the port, from a port of this machine."""
    with open("/proc/net/tcp") as table:
        for line in list(table)[1:]:
            _, local, remote, _, queues, *_ = line.split()
            if int(local.split(":")[1], 16) == port and int(remote.split(":")[1], 16) == peer:
                return int(queues.split(":")[1], 16) >= count
    return False


def be_client(endpoint, key_file, server):
    """A client that sends ZMTP heartbeats: when it is told to, it has many requests under way, and waits for its end."""
    keys = Keys.read(key_file, server.encode())
    with Rig(endpoint, keys=keys) as rig:
        rig.socket.close()
        rig.socket = connect(
            zmq.DEALER, endpoint, CLIENT_LIMIT, keys, heartbeat_ivl=500, heartbeat_timeout=1500, heartbeat_ttl=1500)
        rig.status()
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(UNDER_WAY):
            rig.socket.send(request(number))
        print("asked", flush=True)
        sys.stdin.readline()


def request(number):
    return client.ClientRequest(
        request_id=1000 + number, protocol_version=PROTOCOL_VERSION, get_status={}).SerializeToString()


if __name__ == "__main__":
    be_client(*sys.argv[1:])
