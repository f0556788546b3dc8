#!/usr/bin/env python3
"""Says at which frame the brightness of a movie of a virtual camera has changed, from its pixels alone: judge_changeover.py MOVIE

Movies are decoded by ffmpeg. The number of a frame is read from the time code in its pixels: docs/timecode.md. It shares no code with the project.
"""

import binascii
import subprocess
import sys

import numpy

CELL, COLUMNS, ROWS = 8, 18, 11
SYNC = 0xB2C5
# The flicker of a light of 100 Hz repeats after so many frames of 60 in a second.
PERIOD = 3


class Movie:
    """The mean luma of each frame beside the time code, by the number of the frame."""

    def __init__(self, path, width, height):
        self.lights, self.cameras = {}, set()
        self.quiet = 0  # the first frame of which the change before is not a part
        command = ["ffmpeg", "-v", "error", "-threads", "1", "-i", path, "-map", "0:v", "-fps_mode", "passthrough", "-f", "rawvideo",
                   "-pix_fmt", "gray", "-"]
        with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE) as decoder:
            while data := decoder.stdout.read(width * height):
                picture = numpy.frombuffer(data, numpy.uint8).reshape(height, width)
                number, camera = code(picture)
                self.cameras.add(camera)
                if number in self.lights:
                    raise ValueError(f"{path} shows frame {number} twice")
                self.lights[number] = float(picture[:, (COLUMNS + 2) * CELL:].mean())
        if decoder.returncode != 0:
            raise ValueError(f"{path} cannot be decoded")

    def noise(self, numbers):
        """The largest change between frames of the same phase of the flicker."""
        changes = [self.change(number) for number in numbers]
        return max((abs(change) for change in changes if change is not None), default=None)

    def change(self, number):
        """By how much a frame is brighter than the one of the same phase of the flicker before it; None where one is missing."""
        if number not in self.lights or number - PERIOD not in self.lights:
            return None
        return self.lights[number] - self.lights[number - PERIOD]

    def first_change(self, numbers, noise):
        """The first frame that is brighter or darker than the one before it of the same phase; None where there is none, or it is missing."""
        for number in numbers:
            change = self.change(number)
            if change is None:
                return None
            if abs(change) > noise:
                return number
        return None


def code(picture):
    """The number of the frame and that of the camera."""
    middles = picture[CELL // 2: ROWS * CELL: CELL, CELL // 2: COLUMNS * CELL: CELL]
    words = [int("".join("1" if cell > 125 else "0" for cell in row), 2) for row in middles[1:10, 1:17]]
    data = b"".join(word.to_bytes(2, "big") for word in words[1:])
    if words[0] != SYNC or binascii.crc_hqx(data[:14], 0xFFFF) != words[8]:
        raise ValueError("a frame shows no time code")
    return int.from_bytes(data[8:12], "big"), int.from_bytes(data[12:14], "big")


if __name__ == "__main__":
    movie = Movie(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    last = None
    for frame in sorted(movie.lights):
        found = movie.change(frame)
        if found and abs(found) > 0.3 and (last is None or frame > last + PERIOD):
            print(frame, round(found, 2))
            last = frame
