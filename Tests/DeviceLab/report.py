#!/usr/bin/env python3
"""Checks a Python expression about a probe's output: report.py FILE EXPRESSION.

The expression sees `lines` (every line as a dict), `frames` (those of frames), `event(name)` (the last line of that
event, {} without one), `gaps(frames)` (sequence numbers missing between frames), `rising(key)` (whether a value rises
from frame to frame), `sent(serial)` (the images a USB camera has written down) and `saved(folder)` (the frames the probe
saved, by sequence); the last two are looked for beside FILE. Status 1 and some lines seen where it is false.
"""
import json, os, sys

results = os.path.dirname(sys.argv[1])
lines = [json.loads(line) for line in open(sys.argv[1])]
frames = [line for line in lines if line["event"] == "frame"]


def event(name):
    return ([line for line in lines if line["event"] == name] or [{}])[-1]


def gaps(frames):
    numbers = [frame["sequence"] for frame in frames]
    return sum(later - earlier - 1 for earlier, later in zip(numbers, numbers[1:]))


def rising(key):
    values = [frame[key] for frame in frames]
    return all(earlier < later for earlier, later in zip(values, values[1:]))


def sent(serial):
    data = open(os.path.join(results, serial + ".sent"), "rb").read()
    return {b"\xff\xd8\xff" + part for part in data.split(b"\xff\xd8\xff")[1:]}


def saved(folder):
    folder = os.path.join(results, folder)
    names = sorted(os.listdir(folder), key=lambda name: int(name.split(".")[0]))
    return [open(os.path.join(folder, name), "rb").read() for name in names]


if not eval(sys.argv[2]):
    print(f"       not true: {sys.argv[2]}")
    for line in lines[:2] + lines[-3:]:
        print(f"       {json.dumps(line)}")
    sys.exit(1)
