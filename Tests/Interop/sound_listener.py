"""A listener to a node's sound, written from proto/ and docs/protocol/frames.md alone.

    with Listener(rig, "node1/desk") as listener:
        chunk = listener.next()
        print(chunk.header.sample_rate, chunk.samples[:10])

As a program it writes a WAV file:  python sound_listener.py ENDPOINT NODE/DEVICE SECONDS > out.wav
"""

import array
import sys
import wave

import zmq

from caprig_client import NoAnswer, frames
from frames_viewer import HEADER_LIMIT, MESSAGE_LIMIT, Malformed, endpoint


class Chunk:
    """One message, taken apart: topic, NUL, 32 bits of length in network byte order, SoundHeader, samples."""

    def __init__(self, data):
        end = data.find(b"\0", 0, 64)
        if end < 0 or len(data) < end + 5:
            raise Malformed("no topic")
        length = int.from_bytes(data[end + 1 : end + 5], "big")
        start = end + 5
        if length > HEADER_LIMIT or start + length > len(data):
            raise Malformed(f"a header of {length} bytes")
        self.header = frames.SoundHeader.FromString(data[start : start + length])
        device = self.header.device
        if data[:end].decode() != f"{device.node}/{device.device}/sound":
            raise Malformed(f"topic {data[:end]!r} with a header of {device.node}/{device.device}")
        if self.header.format != "S16LE":
            raise Malformed(f"samples of format {self.header.format}")
        self.samples = array.array("h", data[start + length :])
        if sys.byteorder == "big":
            self.samples.byteswap()
        if len(self.samples) != self.header.frame_count * self.header.channel_count:
            raise Malformed(f"{len(self.samples)} samples for {self.header.frame_count} frames")

    @property
    def end(self):
        """Number of the frame after the last one."""
        return self.header.position + self.header.frame_count


class Listener:
    """The sound of one microphone, message by message."""

    def __init__(self, rig, device):
        self.topic = f"{device}/sound"
        self.socket = zmq.Context.instance().socket(zmq.SUB)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.MAXMSGSIZE, MESSAGE_LIMIT)
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
            raise NoAnswer(f"no sound of {self.topic} within {patience} s")
        return Chunk(self.socket.recv())


def main(address, device, seconds):
    with Listener(address, device) as listener, wave.open(sys.stdout.buffer, "wb") as out:
        chunk = listener.next()
        header = chunk.header
        out.setparams((header.channel_count, 2, header.sample_rate, 0, "NONE", ""))
        rest = int(float(seconds) * header.sample_rate)
        while rest > 0:
            # Sound that is missing is silence, so that what follows stays in its place.
            out.writeframesraw(bytes(2 * chunk.header.channel_count * chunk.header.missing_frames))
            out.writeframesraw(chunk.samples.tobytes())
            rest -= chunk.header.missing_frames + chunk.header.frame_count
            chunk = listener.next()


if __name__ == "__main__":
    main(*sys.argv[1:4])
