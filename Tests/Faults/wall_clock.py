"""A CLOCK_REALTIME that a test can make jump, of one program: libfaketime, told by a file.

CLOCK_MONOTONIC and CLOCK_BOOTTIME stay the machine's, as they do where NTP or a person sets the clock.
"""

import glob


def library():
    """Where libfaketime is; None where it is not."""
    # The one for threads; Debian's folder differs by architecture.
    return next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)


class WallClock:
    def __init__(self, path):
        self.path = path
        self.offsets = [0]  # seconds, each that was in force at some time
        self.write(0)

    @property
    def environment(self):
        return {
            "LD_PRELOAD": library(), "FAKETIME_TIMESTAMP_FILE": str(self.path), "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1", "FAKETIME_DONT_RESET": "1",
        }

    def jump(self, seconds):
        self.offsets.append(seconds)
        self.write(seconds)

    def write(self, seconds):
        # A file that is written in place would be read empty for a moment.
        fresh = self.path.with_suffix(".fresh")
        fresh.write_text(f"{seconds:+d}\n")
        fresh.replace(self.path)
