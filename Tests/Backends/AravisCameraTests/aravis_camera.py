#!/usr/bin/env python3
"""Runs a program beside the fake camera of Aravis, at 127.0.0.1: aravis_camera.py SERIAL PROGRAM ARGUMENT...

Run it in a separate network namespace, since the camera's port is always 3956.
"""

import os
import signal
import sys


def main():
    serial, program = sys.argv[1:3]
    ready, told = os.pipe()
    if os.fork():
        os.close(told)
        os.read(ready, 1)
        os.execv(program, sys.argv[2:])
    # It outlives the program's end by little: whoever ends the program's group kills it.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for file in 0, 1, 3:
        try:
            os.close(file)
        except OSError:
            pass
    os.open(os.devnull, os.O_RDWR)

    import gi

    gi.require_version("Aravis", "0.8")
    from gi.repository import Aravis

    camera = Aravis.GvFakeCamera.new("127.0.0.1", serial)
    if not camera.is_running():
        sys.exit("the fake camera does not run")
    os.write(told, b"x")
    os.close(told)
    parent = os.getppid()
    while os.getppid() == parent:
        signal.sigtimedwait([signal.SIGUSR1], 1)


main()
