"""Peers that leave bytes behind: messages that fill a queue, ZMTP PINGs among them, and the end of the connection.

libzmq as it comes from its project aborts the process: it processes such a PING after the connection has failed, and wants
to answer (zeromq/libzmq#4364).
"""

import contextlib
import socket as sockets
import struct
import sys

import zmq

from caprig_client import CLIENT_LIMIT, PROTOCOL_VERSION, Rig, client, clock, collect, connect
from hostile import GREETING

RESET = struct.pack("ii", 1, 0)  # SO_LINGER of no time: close() resets the connection
LEFT = 400  # messages of a connection: more than the queue of any port takes
AT_ONCE = 8  # connections of a round, so that the queues of some are full while others are read
UNDER_WAY = 60  # requests of a client that is killed


def frame(body, flags=0):
    return bytes((flags, len(body))) + body


def command(name, body=b""):
    return frame(bytes((len(name),)) + name + body, flags=4)


def greeting(kind):
    """All that a peer says before its first message; `kind` is its socket's type, such as b"DEALER"."""
    properties = {b"Socket-Type": kind, b"Identity": b""}
    body = b"".join(bytes((len(k),)) + k + struct.pack(">I", len(v)) + v for k, v in properties.items())
    return GREETING + command(b"READY", body)


PING = command(b"PING", b"\0\0")


def unread(message):
    """What libzmq takes from a connection at a time (8 KiB) at most, in which a PING follows every few messages."""
    return (frame(message) * 4 + PING) * (LEFT // 4)


# What a peer says to each port: the type of its socket, and a message that costs the daemon little.
MESSAGES = {
    "client": (b"DEALER", b"\xff"),
    "control": (b"DEALER", b"\xff"),
    "clock": (b"DEALER", clock.ClockProbe(sequence=1, t1_local_ns=1).SerializeToString()),
    "collect": (b"DEALER", collect.CollectFromAgent(node="rogue", epoch=1, hello={}).SerializeToString()),
    "feed": (b"SUB", b"\1event"),
    "frames": (b"SUB", b"\1node1"),
}


def leave_unread(endpoint, kind, message):
    """Connections that send messages and PINGs, and are reset while these are read."""
    host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
    with contextlib.ExitStack() as stack:
        held = []
        for _ in range(AT_ONCE):
            held.append(stack.enter_context(sockets.create_connection((host, int(port)), timeout=5)))
            held[-1].sendall(greeting(kind))
        for connection in held:
            hear(connection, b"READY")
            connection.sendall(unread(message))
            connection.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, RESET)


def hear(connection, word):
    """Reads until the other side has said it."""
    heard = b""
    while word not in heard:
        data = connection.recv(512)
        if not data:
            raise ConnectionResetError("the connection has ended")
        heard += data


def has_been_told(port, peer, count):
    """Whether so many bytes wait to be read by the process that has bound the port, from a port of this machine."""
    with open("/proc/net/tcp") as table:
        for line in list(table)[1:]:
            _, local, remote, _, queues, *_ = line.split()
            if int(local.split(":")[1], 16) == port and int(remote.split(":")[1], 16) == peer:
                return int(queues.split(":")[1], 16) >= count
    return False


def be_client(endpoint):
    """A client that sends ZMTP heartbeats: when it is told to, it has many requests under way, and waits for its end."""
    with Rig(endpoint) as rig:
        rig.socket.close()
        rig.socket = connect(
            zmq.DEALER, endpoint, CLIENT_LIMIT, heartbeat_ivl=500, heartbeat_timeout=1500, heartbeat_ttl=1500)
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
    be_client(sys.argv[1])
