"""A viewer of a node's live pictures, written from proto/ and docs/protocol/frames.md alone.

    with Viewer(rig, "node1/cam1", "preview") as viewer:
        frame = viewer.next()
        print(frame.header.width, frame.header.height, len(frame.payload))

As a program it prints a line for each frame:  python frames_viewer.py ENDPOINT NODE-KEY KEY-FILE NODE/DEVICE KIND COUNT
"""

import sys
import time

from caprig_client import Keys, Place, frames
from frames_channel import Malformed, Subscription, split

KINDS = ("preview", "full", "half", "quarter", "eighth")


class Frame:
    """One message, taken apart."""

    def __init__(self, data):
        self.received_ns = time.monotonic_ns()
        self.size = len(data)
        self.topic, header, self.payload = split(data)
        self.header = frames.FrameHeader.FromString(header)
        device = self.header.device
        if self.topic != f"{device.node}/{device.device}/{self.header.kind}":
            raise Malformed(f"topic {self.topic} with a header of {device.node}/{device.device}/{self.header.kind}")


class Viewer(Subscription):
    """The newest frame of one camera and kind, each time it is asked for one."""

    def __init__(self, rig, device, kind, newest_only=True):
        super().__init__(rig, device, kind, newest_only)
        self.missed = 0  # messages that were published and did not come here
        self.newest = None

    def next(self, patience=10.0):
        frame = Frame(self.receive(patience))
        before, self.newest = self.newest, frame.header
        if before and before.epoch == frame.header.epoch:
            self.missed += frame.header.number - before.number - 1
        return frame


def main(endpoint, node_key, key_file, device, kind, count):
    with Viewer(Place(endpoint, Keys.read(key_file, node_key.encode())), device, kind) as viewer:
        for _ in range(int(count)):
            frame = viewer.next()
            header = frame.header
            late = (frame.received_ns - header.local_dequeued_ns) / 1e6
            print(
                f"{frame.topic} {header.number} seq {header.sequence} {header.width}x{header.height}"
                f" {len(frame.payload)} bytes, {late:.2f} ms after dequeue, {viewer.missed} missed"
            )


if __name__ == "__main__":
    main(*sys.argv[1:7])
