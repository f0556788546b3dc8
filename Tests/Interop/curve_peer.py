"""A peer of ZMTP with keys, byte by byte, for what no library's socket does (RFC 23 and 26)."""

import contextlib
import ctypes
import os
import socket as sockets
import struct

from zmq.utils import z85

# Each call takes microseconds, less than it takes to give others their turn meanwhile.
SODIUM = ctypes.PyDLL("libsodium.so.23")
MAC = 16  # bytes that a box adds
GREETING = b"\xff" + b"\0" * 8 + b"\x7f\x03\x01CURVE" + b"\0" * 47


def frame(body, flags=0):
    if len(body) > 255:
        return bytes((flags | 2,)) + struct.pack(">Q", len(body)) + body
    return bytes((flags, len(body))) + body


def command(name, body=b""):
    return frame(bytes((len(name),)) + name + body, flags=4)


def metadata(kind):
    properties = {b"Socket-Type": kind, b"Identity": b""}
    return b"".join(bytes((len(k),)) + k + struct.pack(">I", len(v)) + v for k, v in properties.items())


def raw(key):
    """A key of 32 bytes or of Z85, as bytes."""
    return key if len(key) == 32 else z85.decode(key)


def pair():
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
    SODIUM.crypto_box_keypair(public, secret)
    return public.raw, secret.raw


class Box:
    """What two key pairs have in common."""

    def __init__(self, public, secret):
        self.key = ctypes.create_string_buffer(32)
        if SODIUM.crypto_box_beforenm(self.key, public, secret) != 0:
            raise ValueError("no such key")

    def close(self, text, nonce):
        sealed = ctypes.create_string_buffer(len(text) + MAC)
        SODIUM.crypto_box_easy_afternm(sealed, text, ctypes.c_ulonglong(len(text)), nonce, self.key)
        return sealed.raw

    def open(self, sealed, nonce):
        text = ctypes.create_string_buffer(len(sealed) - MAC)
        if SODIUM.crypto_box_open_easy_afternm(text, sealed, ctypes.c_ulonglong(len(sealed)), nonce, self.key) != 0:
            raise ConnectionError("the server does not have its key")
        return text.raw


class CurvePeer:
    """A connection whose handshake is complete, unless the server refuses its key (ConnectionError)."""

    def __init__(self, endpoint, kind, keys):
        """`kind`: the type of its socket, such as b"DEALER"."""
        host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
        self.count = 0  # of nonces
        self.connection = sockets.create_connection((host, int(port)), timeout=5)
        try:
            self.shake_hands(kind, *map(raw, keys))
        except BaseException:
            self.connection.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.connection.close()

    def shake_hands(self, kind, public, secret, server):
        own, own_secret = pair()  # of this connection
        self.connection.sendall(GREETING)
        self.read(len(GREETING))
        hello = Box(server, own_secret)
        nonce = self.nonce()
        self.connection.sendall(command(
            b"HELLO", b"\1\0" + bytes(72) + own + nonce + hello.close(bytes(64), b"CurveZMQHELLO---" + nonce)))
        welcome = self.hear(b"WELCOME")
        opened = hello.open(welcome[16:], b"WELCOME-" + welcome[:16])
        theirs, cookie = opened[:32], opened[32:]
        self.box = Box(theirs, own_secret)
        once = os.urandom(16)
        vouch = once + Box(theirs, secret).close(own + server, b"VOUCH---" + once)
        nonce = self.nonce()
        self.connection.sendall(command(b"INITIATE", cookie + nonce + self.box.close(
            public + vouch + metadata(kind), b"CurveZMQINITIATE" + nonce)))
        self.hear(b"READY")

    def nonce(self):
        self.count += 1
        return struct.pack(">Q", self.count)

    def sealed(self, body, is_command=False):
        """The bytes that say a message, or a command such as PING."""
        nonce = self.nonce()
        text = (b"\2" if is_command else b"\0") + body
        return frame(b"\7MESSAGE" + nonce + self.box.close(text, b"CurveZMQMESSAGEC" + nonce))

    def hear(self, name):
        """The body of the next command, which has to be this one."""
        head = self.read(2)
        body = self.read(head[1])
        if not body.startswith(bytes((len(name),)) + name):
            raise ConnectionError(f"{body[:20]} instead of {name}")
        return body[1 + len(name):]

    def read(self, count):
        data = b""
        while len(data) < count:
            more = self.connection.recv(count - len(data))
            if not more:
                raise ConnectionError("the connection has ended")
            data += more
        return data
