"""A CLOCK_REALTIME of one program that a test can make jump; wall_clock.c says how.

CLOCK_MONOTONIC and CLOCK_BOOTTIME stay the machine's, as they do where NTP or a person sets the clock. (libfaketime also
takes hold of timers: a daemon under it woke every five seconds.)
"""

import pathlib
import shutil
import struct
import subprocess


def is_available():
    return shutil.which("cc") is not None


class WallClock:
    def __init__(self, path):
        self.path, self.library = path, path.with_suffix(".so")
        source = pathlib.Path(__file__).with_suffix(".c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-Wall", "-o", self.library, source], check=True)
        self.offsets = [0]  # seconds, each that was in force at some time
        self.path.write_bytes(struct.pack("=q", 0))

    @property
    def environment(self):
        return {"LD_PRELOAD": str(self.library), "WALL_CLOCK": str(self.path)}

    def jump(self, seconds):
        self.offsets.append(seconds)
        with open(self.path, "r+b", buffering=0) as file:
            file.write(struct.pack("=q", seconds))
