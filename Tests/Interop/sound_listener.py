"""A listener to a node's sound, written from proto/ and docs/protocol/frames.md alone.

    with Listener(rig, "node1/desk") as listener:
        chunk = listener.next()
        print(chunk.header.sample_rate, chunk.samples[:10])

As a program it writes a WAV file:  python sound_listener.py ENDPOINT NODE-KEY KEY-FILE NODE/DEVICE SECONDS > out.wav
"""

import array
import sys
import wave

from caprig_client import Keys, Place, frames
from frames_channel import Malformed, Subscription, split


class Chunk:
    """One message, taken apart."""

    def __init__(self, data):
        topic, header, samples = split(data)
        self.header = frames.SoundHeader.FromString(header)
        device = self.header.device
        if topic != f"{device.node}/{device.device}/sound":
            raise Malformed(f"topic {topic!r} with a header of {device.node}/{device.device}")
        if self.header.format != "S16LE":
            raise Malformed(f"samples of format {self.header.format}")
        self.samples = array.array("h", samples)
        if sys.byteorder == "big":
            self.samples.byteswap()
        if len(self.samples) != self.header.frame_count * self.header.channel_count:
            raise Malformed(f"{len(self.samples)} samples for {self.header.frame_count} frames")

    @property
    def end(self):
        """Number of the frame after the last one."""
        return self.header.position + self.header.frame_count


class Listener(Subscription):
    """The sound of one microphone, message by message."""

    def __init__(self, rig, device):
        super().__init__(rig, device, "sound")

    def next(self, patience=10.0):
        return Chunk(self.receive(patience))


def main(endpoint, node_key, key_file, device, seconds):
    place = Place(endpoint, Keys.read(key_file, node_key.encode()))
    with Listener(place, device) as listener, wave.open(sys.stdout.buffer, "wb") as out:
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
    main(*sys.argv[1:6])
