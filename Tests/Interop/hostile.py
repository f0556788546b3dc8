"""Messages and connections that no well-behaved peer makes."""

import contextlib
import random
import socket as sockets

import zmq

from caprig_client import connect
from curve_peer import GREETING, command

WITHOUT_KEYS = GREETING.replace(b"CURVE", b"NULL\0")


def bad_messages(valid):
    """Messages as lists of parts; `valid` is a message of the channel that they are made from."""
    noise = random.Random(1)
    yield [b""]
    yield [b"", b""]
    for _ in range(50):
        yield [noise.randbytes(noise.randint(1, 300))]
    for length in range(1, len(valid)):
        yield [valid[:length]]
    for _ in range(50):
        damaged = bytearray(valid)
        damaged[noise.randrange(len(valid))] ^= 1 << noise.randrange(8)
        yield [bytes(damaged)]
    yield [valid, valid]
    yield [valid] * 200
    yield [b"\x52\xff\xff\xff\xff\x0f"]  # a field that claims 4 GiB
    yield [b"\x0b" * 200]  # groups nested in groups
    yield [b"\xfa\xff\xff\xff\x0f\x01x"]  # a field nobody knows


def send_all(place, messages):
    """Sends from one connection; answers are read and thrown away, so that nothing waits."""
    socket = connect(zmq.DEALER, place.endpoint, -1, place.keys)
    try:
        count = 0
        for parts in messages:
            socket.send_multipart(parts)
            count += 1
            while socket.poll(0):
                socket.recv_multipart()
        drain(socket)
        return count
    finally:
        socket.close(linger=2000)


def drain(socket, milliseconds=200):
    while socket.poll(milliseconds):
        socket.recv_multipart()


def is_disconnected_after(place, data):
    """Whether the other side ends the connection over which it receives `data`."""
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.linger = 0
    socket.curve_publickey, socket.curve_secretkey, socket.curve_serverkey = place.keys
    monitor = socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED)
    try:
        socket.connect(place.endpoint)
        if not monitor.poll(5000):
            raise TimeoutError(f"no connection to {place.endpoint}")
        monitor.recv_multipart()
        socket.send(data)
        return bool(monitor.poll(5000))
    finally:
        socket.disable_monitor()
        monitor.close()
        socket.close()


def ask_for_another_mechanism(endpoint):
    """Greets with a mechanism that the other side does not speak, and stays until that has ended the connection.

    By hand, since libzmq's own socket leaves on the other's greeting, often before it has sent the whole of its own.
    """
    host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
    with sockets.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall(GREETING.replace(b"CURVE", b"PLAIN"))
        with contextlib.suppress(ConnectionResetError):
            while connection.recv(256):
                pass


def raw_connections(endpoint):
    """TCP connections that do not speak ZeroMQ, or begin to and stop."""
    host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
    noise = random.Random(2).randbytes(4096)
    for greeting in (GREETING, WITHOUT_KEYS):
        endless = greeting + b"\x06\x7f" + b"\xff" * 7  # a command of 2^63 bytes
        cut = greeting + b"\x04\x05\x05READ"  # a command that is shorter than it says
        false = greeting + command(b"HELLO", noise[:194])  # of the right length, with a box that nobody can open
        for data in (b"", noise, greeting[:11], greeting, endless, cut, false):
            with sockets.create_connection((host, int(port)), timeout=5) as connection:
                connection.sendall(data)
