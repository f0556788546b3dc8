"""A subscription to a node's frames channel, written from proto/ and docs/protocol/frames.md alone."""

import time

import zmq

from caprig_client import Channel, NoAnswer, Place, connect

MESSAGE_LIMIT = 32 << 20  # bytes of a message on the frames channel
HEADER_LIMIT = 1 << 12
RECEIVE_BUFFER = 256 << 10  # bytes that wait in the system for a viewer that has stopped; then its node notices


class Malformed(Exception):
    """Bytes that are not a message of the frames channel."""


def split(data):
    """Topic, header and payload of a message: topic, NUL, 32 bits of length in network byte order, header, payload."""
    end = data.find(b"\0", 0, 64)
    if end < 0 or len(data) < end + 5:
        raise Malformed("no topic")
    length = int.from_bytes(data[end + 1 : end + 5], "big")
    start = end + 5
    if length > HEADER_LIMIT or start + length > len(data):
        raise Malformed(f"a header of {length} bytes")
    return data[:end].decode(), data[start : start + length], data[start + length :]


def is_beat(data):
    """Whether a message says no more than that its stream is there: topic, NUL, a header of no bytes."""
    return data.endswith(b"\0" * 5) and data.find(b"\0") == len(data) - 5


def source(rig, node):
    """What a node says of its frames channel."""
    status = next(status for status in rig.status().nodes if status.node == node)
    if not status.HasField("frames"):
        raise NoAnswer(f"node {node} publishes no frames")
    return status.frames


def place(rig, node):
    """Where a node publishes its frames, for a client of the rig's coordinator."""
    frames = source(rig, node)
    host = f"[{frames.host}]" if ":" in frames.host else frames.host
    return Place(f"tcp://{host}:{frames.port}", rig.keys._replace(server=frames.public_key))


class Subscription(Channel):
    """One topic of one node, which a client of the rig's coordinator finds; or at the place of a node."""

    SILENCE = 3.0  # seconds; a stream without frames beats every second

    def __init__(self, rig, device, kind, newest_only=False):
        self.topic = f"{device}/{kind}"
        self.place = rig if isinstance(rig, Place) else place(rig, device.split("/")[0])
        self.newest_only = newest_only
        self.connect()

    def connect(self):
        # One stream, one socket: it keeps the newest of all topics.
        self.socket = connect(
            zmq.SUB, self.place.endpoint, MESSAGE_LIMIT, self.place.keys, conflate=int(self.newest_only), rcvbuf=RECEIVE_BUFFER)
        self.socket.subscribe(self.topic.encode() + b"\0")

    def receive(self, patience):
        deadline = time.monotonic() + patience
        while (left := deadline - time.monotonic()) > 0:
            if self.socket.poll(min(left, self.SILENCE) * 1000):
                data = self.socket.recv()
                if not is_beat(data):
                    return data
            elif left > self.SILENCE:
                self.close()
                self.connect()
        raise NoAnswer(f"nothing of {self.topic} within {patience} s")
