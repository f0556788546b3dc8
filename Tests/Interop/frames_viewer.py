"""A viewer of a node's live pictures, written from proto/ and docs/protocol/frames.md alone.

    with Viewer(rig, "node1/cam1", "preview") as viewer:
        frame = viewer.next()
        print(frame.header.width, frame.header.height, len(frame.payload))

As a program it prints a line for each frame:  python frames_viewer.py ENDPOINT NODE/DEVICE KIND COUNT
"""

import sys
import time

import zmq

from caprig_client import NoAnswer, Rig, connect, frames

MESSAGE_LIMIT = 32 << 20  # bytes of a message on the frames channel
HEADER_LIMIT = 1 << 12
KINDS = ("preview", "full", "half", "quarter", "eighth")


class Malformed(Exception):
    """Bytes that are no message of the frames channel."""


class Frame:
    """One message, taken apart: topic, NUL, 32 bits of length in network byte order, FrameHeader, payload."""

    def __init__(self, data):
        self.received_ns = time.monotonic_ns()
        self.size = len(data)
        end = data.find(b"\0", 0, 64)
        if end < 0 or len(data) < end + 5:
            raise Malformed("no topic")
        self.topic = data[:end].decode()
        length = int.from_bytes(data[end + 1 : end + 5], "big")
        start = end + 5
        if length > HEADER_LIMIT or start + length > len(data):
            raise Malformed(f"a header of {length} bytes")
        self.header = frames.FrameHeader.FromString(data[start : start + length])
        self.payload = data[start + length :]
        device = self.header.device
        if self.topic != f"{device.node}/{device.device}/{self.header.kind}":
            raise Malformed(f"topic {self.topic} with a header of {device.node}/{device.device}/{self.header.kind}")


def endpoint(rig, node):
    """Where a node publishes its frames."""
    status = next(status for status in rig.status().nodes if status.node == node)
    if not status.HasField("frames"):
        raise NoAnswer(f"node {node} publishes no frames")
    host = f"[{status.frames.host}]" if ":" in status.frames.host else status.frames.host
    return f"tcp://{host}:{status.frames.port}"


class Viewer:
    """The newest frame of one camera and kind, each time it is asked for one."""

    def __init__(self, rig, device, kind, newest_only=True):
        self.topic = f"{device}/{kind}"
        self.missed = 0  # messages that were published and did not come here
        self.newest = None
        self.socket = zmq.Context.instance().socket(zmq.SUB)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.MAXMSGSIZE, MESSAGE_LIMIT)
        if newest_only:
            self.socket.setsockopt(zmq.CONFLATE, 1)  # one stream, one socket: it keeps the newest of all topics
        self.socket.subscribe(self.topic.encode() + b"\0")
        self.socket.connect(rig if isinstance(rig, str) else endpoint(rig, device.split("/")[0]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def next(self, patience=10.0):
        if not self.socket.poll(patience * 1000):
            raise NoAnswer(f"no frame of {self.topic} within {patience} s")
        frame = Frame(self.socket.recv())
        before, self.newest = self.newest, frame.header
        if before and before.epoch == frame.header.epoch:
            self.missed += frame.header.number - before.number - 1
        return frame


def main(address, device, kind, count):
    with Viewer(address, device, kind) as viewer:
        for _ in range(int(count)):
            frame = viewer.next()
            header = frame.header
            late = (frame.received_ns - header.local_dequeued_ns) / 1e6
            print(
                f"{frame.topic} {header.number} seq {header.sequence} {header.width}x{header.height}"
                f" {len(frame.payload)} bytes, {late:.2f} ms after dequeue, {viewer.missed} missed"
            )


if __name__ == "__main__":
    main(*sys.argv[1:5])
