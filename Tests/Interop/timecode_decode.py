#!/usr/bin/env python3
"""Prints the time code in the pixels of PGM or JPEG files, one JSON object a line; see docs/timecode.md.

Needs no packages; JPEGs are read through `djpeg`. Exits with 1 when a file shows no valid code.
"""

import json
import subprocess
import sys

SYNC = 0xB2C5


class Unreadable(Exception):
    pass


def load(path):
    """Width, height and luma bytes of an 8-bit PGM or a JPEG."""
    with open(path, "rb") as file:
        return pixels(file.read())


def pixels(data):
    """The same for the content of such a file."""
    if data[:2] == b"\xff\xd8":
        command = ["djpeg", "-grayscale", "-pnm"]
        data = subprocess.run(command, input=data, check=True, capture_output=True).stdout
    fields, position = [], 0
    while len(fields) < 4:
        while data[position : position + 1].isspace():
            position += 1
        start = position
        while not data[position : position + 1].isspace():
            position += 1
        fields.append(data[start:position])
    if fields[0] != b"P5" or fields[3] != b"255":
        raise Unreadable("notGray8")
    return int(fields[1]), int(fields[2]), data[position + 1 :]


def cell_of(width, height):
    k = min(width // 1280, height // 720)
    return 16 * k if k else 8


def candidates(width, height):
    sizes = []
    for s in (1, 2, 4, 8):
        for dx, dy in ((0, 0), (s - 1, 0), (0, s - 1), (s - 1, s - 1)):
            cell, rest = divmod(cell_of(width * s - dx, height * s - dy), s)
            if rest == 0 and cell >= 2 and 18 * cell <= width and 11 * cell <= height and cell not in sizes:
                sizes.append(cell)
    return sizes


def crc16(data):
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def mean(luma, width, cell, row, column):
    inset = cell // 4
    total = count = 0
    for y in range(row * cell + inset, (row + 1) * cell - inset):
        line = luma[y * width + column * cell + inset : y * width + (column + 1) * cell - inset]
        total += sum(line)
        count += len(line)
    return total / count


def read(luma, width, cell):
    sync = [mean(luma, width, cell, 1, 1 + i) for i in range(16)]
    bits = [SYNC >> (15 - i) & 1 for i in range(16)]
    white = sum(v for v, b in zip(sync, bits) if b) / 8
    black = sum(v for v, b in zip(sync, bits) if not b) / 8
    middle = (white + black) / 2
    if white - black < 32 or any((v > middle) != bool(b) for v, b in zip(sync, bits)):
        return None
    value = 0
    for row in range(8):
        for column in range(16):
            luminance = mean(luma, width, cell, 2 + row, 1 + column)
            if abs(luminance - middle) < (white - black) / 8:
                raise Unreadable("unreadableCell")
            value = value << 1 | (luminance > middle)
    data = value.to_bytes(16, "big")
    if crc16(data[:14]) != int.from_bytes(data[14:], "big"):
        raise Unreadable("crcMismatch")
    return {
        "realtimeNanoseconds": int.from_bytes(data[:8], "big", signed=True),
        "frameNumber": int.from_bytes(data[8:12], "big"),
        "cameraNumber": int.from_bytes(data[12:14], "big"),
        "cellSize": cell,
    }


def decode(path):
    return search(*load(path))


def decode_bytes(data):
    return search(*pixels(data))


def search(width, height, luma):
    problem = Unreadable("noCode")
    for cell in candidates(width, height):
        try:
            found = read(luma, width, cell)
            if found:
                return found
        except Unreadable as error:
            if str(problem) == "noCode":
                problem = error
    raise problem


def main(paths):
    status = 0
    for path in paths:
        try:
            print(json.dumps({"file": path, **decode(path)}))
        except Unreadable as error:
            print(json.dumps({"file": path, "error": str(error)}))
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
