#!/usr/bin/env python3
"""A camera that is a program, for the system tests: pictures on standard output, their times on descriptor 3. With --controls, an exposure
and a gain are told there, and lines of standard input change them, as docs/command-camera.md says.

Each picture has a comment, `exposed NANOSECONDS EXPOSURE`: the middle of its exposure on CLOCK_MONOTONIC, and how long that was. With --raw,
frames of a color sensor are written, and what its samples mean is told. The first eight samples of each are when its exposure began, the
lowest byte first.
"""

import argparse
import os
import select
import struct
import sys
import time

STEP = 100_000  # ns of the exposure's control


def line(text):
    os.write(3, (text + "\n").encode())


class Controls:
    def __init__(self):
        self.values = {"exposure_time_absolute": 40, "analogue_gain": 1000}
        self.partial = b""

    def tell(self):
        line(f"control exposure_time_absolute integer 1 900 1 40 {self.values['exposure_time_absolute']} active 100 µs")
        line(f"control analogue_gain integer 1000 16000 1 1000 {self.values['analogue_gain']} active -")

    def read(self):
        """Carries out what has come. The program ends with its standard input."""
        received = os.read(0, 4096)
        if not received:
            sys.exit()
        *lines, self.partial = (self.partial + received).split(b"\n")
        for words in (text.decode().split() for text in lines):
            _, identity, *changes = words
            self.values.update((name, int(value)) for name, value in (change.split("=") for change in changes))
            self.tell()
            line(f"done {identity}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--picture", required=True)
    parser.add_argument("--fps", type=float, default=10)
    parser.add_argument("--controls", action="store_true")
    parser.add_argument("--camera")
    parser.add_argument("--size", default="320x240")
    parser.add_argument("--raw", action="store_true")
    options = parser.parse_args()
    with open(options.picture, "rb") as file:
        picture = file.read()
    controls = Controls()
    line("hardware make Caprig")
    line("hardware model Program camera")
    if options.controls:
        controls.tell()
    if options.raw:
        line("color 16 2,1.6 1.8,-0.6,-0.2,-0.3,1.6,-0.3,0.1,-0.7,1.6")
    width, height = map(int, options.size.split("x"))
    interval, sequence = int(1e9 / options.fps), 0
    due = time.monotonic_ns()
    while True:
        while (left := due - time.monotonic_ns()) > 0:
            if select.select([0] if options.controls else [], [], [], left / 1e9)[0]:
                controls.read()
        exposure = controls.values["exposure_time_absolute"] * STEP
        start = time.monotonic_ns() - exposure
        # A camera that cannot keep up skips pictures, and counts them.
        late = max(0, time.monotonic_ns() - due) // interval
        sequence, due = sequence + late, due + (late + 1) * interval
        words = f"exposed {start + exposure // 2} {exposure}".encode()
        comment = b"\xff\xfe" + struct.pack(">H", len(words) + 2) + words
        line(f"{sequence} {start} {exposure} {controls.values['analogue_gain']}")
        if options.raw:
            samples = struct.pack("<Q", start).ljust(width * height, b"\x40")
            sys.stdout.buffer.write(f"frame RGGB {width} {height} {len(samples)} full\n".encode() + samples)
        else:
            sys.stdout.buffer.write(picture[:2] + comment + picture[2:])
        sys.stdout.buffer.flush()
        sequence += 1


main()
