#!/usr/bin/env python3
"""Says how equal the colors of cameras are, from their stills alone: judge_color.py PART STILL...

PART is x,y,width,height, as shares of the picture. Stills are decoded by djpeg and linearized as sRGB. It shares no code with the project.
"""

import subprocess
import sys

import numpy


def linear_picture(path):
    """Rows, columns, red, green, blue: 0 to 1 in linear light."""
    data = subprocess.run(["djpeg", "-pnm", path], check=True, capture_output=True, timeout=60).stdout
    kind, width, height, largest = data.split(maxsplit=4)[:4]
    if (kind, largest) != (b"P6", b"255"):
        raise ValueError(f"{path} is not a color picture: {data[:20]}")
    pixels = numpy.frombuffer(data[-3 * int(width) * int(height):], numpy.uint8)
    encoded = pixels.reshape(int(height), int(width), 3) / 255
    return numpy.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def mean(paths, part):
    """The mean red, green and blue of a part of several stills, so that flickering light averages out."""
    means = []
    for path in paths:
        picture = linear_picture(path)
        height, width, _ = picture.shape
        x, y, w, h = part
        rows, columns = slice(round(y * height), round((y + h) * height)), slice(round(x * width), round((x + w) * width))
        means.append(picture[rows, columns].mean(axis=(0, 1)))
    return numpy.mean(means, axis=0)


def deviation(of, reference):
    """The largest deviation of red, green and blue, as a part."""
    return float(numpy.abs(of / reference - 1).max())


if __name__ == "__main__":
    print(*mean(sys.argv[2:], [float(share) for share in sys.argv[1].split(",")]))
