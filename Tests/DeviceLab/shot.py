#!/usr/bin/env python3
"""Checks a Python expression about a shot: shot.py ANSWER EXPRESSION

ANSWER is what `capctl trigger --format json` has printed. The expression sees `files` (what it says of each file, by
device), `shot` (the manifest), `gap` (the time the first camera's stream was away), `stored` (the bytes of each file that is
stored, by device), `image(bytes)` (a JPEG less what metadata and inserted tables change: the segments that decide over its
pixels, and everything from SOS to EOI), `size(bytes)` (width and height of a JPEG) and `sent(serial)` (such images of all
that a USB camera has written down, beside ANSWER). Status 1 where it is false.
"""
import json, os, sys

results = os.path.dirname(sys.argv[1])
answer = json.load(open(sys.argv[1]))
shot = answer["shot"]
files = {file["device"]: file for file in answer["files"]}
gap = shot["captures"][0].get("streamGap")
stored = {device: open(file["path"], "rb").read() for device, file in files.items() if file.get("path")}

# Quantization tables, frame header, restart interval. Huffman tables (C4), application data and comments are left out.
KEPT = {0xDB, 0xC0, 0xDD}


def image(jpeg):
    assert jpeg[:2] == b"\xff\xd8", "no SOI"
    out, at = b"", 2
    while jpeg[at + 1] != 0xDA:
        assert jpeg[at] == 0xFF, f"no marker at {at}"
        length = 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
        if jpeg[at + 1] in KEPT:
            out += jpeg[at : at + length]
        at += length
    end = jpeg.index(b"\xff\xd9", at) + 2
    return out + jpeg[at:end]


def size(jpeg):
    at = 2
    while jpeg[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
    return int.from_bytes(jpeg[at + 7 : at + 9], "big"), int.from_bytes(jpeg[at + 5 : at + 7], "big")


def sent(serial):
    data = open(os.path.join(results, serial + ".sent"), "rb").read()
    return {image(b"\xff\xd8\xff" + part) for part in data.split(b"\xff\xd8\xff")[1:] if b"\xff\xd9" in part}


if not eval(sys.argv[2]):
    print(f"       not true: {sys.argv[2]}")
    for device, file in files.items():
        print(f"       {device}: {json.dumps(file)}")
    sys.exit(1)
