#!/usr/bin/env python3
"""A helper program of a camera that is not one, and does one thing wrong: faulty_helper.py FOLDER [OPTION]...

It speaks the lines of deploy/gphoto/caprig-gphoto.c. FOLDER has `picture.jpg`, and `fault`: a word of FAULTS and a number, the request at which it
happens, from 0 on. Pictures tell when they were exposed, as those of ptpip_camera.py do.
"""

import os
import random
import signal
import struct
import sys
import time

FAULTS = {
    "none": "nothing goes wrong",
    # Instead of an answer to the request.
    "die": "it ends", "kill": "it is killed", "hang": "it does nothing any longer", "lost": "it says that the camera is gone",
    "refuse": "it refuses", "garbage": "it writes noise", "line": "it writes a line without an end", "close": "it closes its output",
    # Before the answer.
    "loud": "it writes 2 MiB to its standard error", "stranger": "a file comes that nobody asked for",
    "raw": "two hundred files come that are not JPEG images",
    # After the answer.
    "mute": "no file comes", "early": "the file was there before the request", "twice": "the file comes twice",
    # Instead of the file's bytes.
    "half": "it ends in the middle", "stall": "it stops in the middle", "short": "bytes are missing", "long": "there are too many",
    "unreadable": "the file cannot be read",
    # At its end.
    "stubborn": "it ignores that it is to end, and so does what it has started",
}


def now():
    return time.monotonic_ns()


class Helper:
    def __init__(self, folder):
        with open(f"{folder}/picture.jpg", "rb") as file:
            self.picture = file.read()
        with open(f"{folder}/fault", encoding="ascii") as file:
            self.kind, number = file.read().split()
        self.at, self.requests, self.files, self.fault = int(number), 0, {}, None

    def write(self, data):
        while data:
            data = data[os.write(1, data):]

    def say(self, *words):
        self.write("\t".join(map(str, words)).encode() + b"\n")

    def store(self):
        words = f"exposed {now()}".encode()
        comment = b"\xff\xfe" + struct.pack(">H", len(words) + 2) + words
        name = f"DSC_{len(self.files) + 1:04d}.JPG"
        self.files[name] = self.picture[:2] + comment + self.picture[2:]
        return name

    def announce(self, name, since, size):
        self.say("added", now(), since, "/card", name, size)

    def take(self, identity, instant):
        self.fault = self.kind if self.requests == self.at else None
        self.requests += 1
        fault = self.fault
        if fault == "die":
            os._exit(7)
        if fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "hang":
            time.sleep(1_000_000)
        if fault == "lost":
            self.say("lost", -7, "I/O problem")
            os._exit(3)
        if fault == "refuse":
            return self.say("failed", identity, -110, "camera busy")
        if fault == "garbage":
            self.write(random.randbytes(300) + b"\n")
        if fault == "line":
            self.write(b"x" * 100_000)
        if fault == "close":
            os.close(1)
            time.sleep(1_000_000)
        if fault == "loud":
            os.write(2, b"trouble\n" * (1 << 18))
        if fault == "stranger":
            self.announce(self.store(), now() - 1000, 0)
        if fault == "raw":
            for number in range(200):
                self.announce(f"{number}.NEF", now() - 1000, 0)
        time.sleep(max(0, instant - now()) / 1e9)
        before = now()
        self.say("taking", identity, before, now())
        if fault == "mute":
            return None
        if fault == "early":
            name = self.store()
            return self.say("added", before - 1_000_000, before - 2_000_000, "/card", name, len(self.files[name]))
        name = self.store()
        for _ in range(2 if fault == "twice" else 1):
            self.announce(name, before, len(self.files[name]))
        return None

    def fetch(self, identity, name):
        fault, self.fault = self.fault, None
        data = self.files[name]
        if fault == "unreadable":
            return self.say("failed", identity, -1, "unspecified error")
        if fault in ("half", "stall"):
            self.say("data", identity, len(data))
            self.write(data[:len(data) // 2])
            if fault == "half":
                os._exit(0)
            time.sleep(1_000_000)
        if fault == "short":
            data = data[:len(data) // 2]
        if fault == "long":
            data += data
        self.say("data", identity, len(data))
        self.write(data)
        return self.say("fetched", identity, len(data))

    def run(self):
        if self.kind == "stubborn":
            for number in signal.SIGTERM, signal.SIGHUP, signal.SIGINT:
                signal.signal(number, signal.SIG_IGN)
            if os.fork() == 0:
                os.closerange(0, 3)
                while True:
                    time.sleep(1_000)
        self.say("camera", "Caprig", "Faulty camera", "FAULTY", "none")
        self.say("ready")
        for line in sys.stdin:
            verb, identity, *words = line.rstrip("\n").split("\t")
            if verb == "take":
                self.take(identity, int(words[0]))
            elif verb == "fetch":
                self.fetch(identity, words[1])
            elif verb == "delete":
                self.say("done", identity)
            else:
                self.say("value", identity, words[-1])
        while self.kind == "stubborn":
            time.sleep(1_000)


signal.signal(signal.SIGPIPE, signal.SIG_DFL)
Helper(sys.argv[1]).run()
