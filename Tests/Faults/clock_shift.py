#!/usr/bin/env python3
"""Runs a program on a CLOCK_MONOTONIC that is so many seconds ahead, as on another machine or after another boot.

    clock_shift.py SECONDS PROGRAM [ARGUMENT]...

Needs root and a kernel with time namespaces. The program takes this one's place, so that signals reach it.
"""

import ctypes
import os
import sys

CLONE_NEWTIME = 0x80


def check(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def main(seconds, program):
    libc = ctypes.CDLL(None, use_errno=True)
    check(libc.unshare(CLONE_NEWTIME))
    with open("/proc/self/timens_offsets", "w") as offsets:
        offsets.write(f"monotonic {int(seconds)} 0\n")
    check(libc.setns(os.open("/proc/self/ns/time_for_children", os.O_RDONLY), CLONE_NEWTIME))
    os.execv(program[0], program)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
