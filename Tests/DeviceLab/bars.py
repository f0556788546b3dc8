#!/usr/bin/env python3
"""Checks the captures of pixel formats: bars.py FOLDER FORMAT...

FOLDER holds the probe's lines (probe) and, for each format, what the probe has saved (FORMAT/N.raw and FORMAT/N.jpg, or FORMAT/N.dng
of a sensor's mosaic) and what v4l2-ctl has captured (FORMAT.v4l2-ctl). The raw frame must be v4l2-ctl's, byte for byte, where nothing is converted; the still's color bars, as
djpeg decodes them, must have the colors of v4l2-ctl's capture in RGB3, or the brightness of its gray capture. The samples of a DNG, as
dcraw and LibRaw read them, must be those of v4l2-ctl's capture. Prints `FORMAT ok`, or `FORMAT: ` and why not; status 1 where one is not.
"""
import glob, json, subprocess, sys

WIDTH, HEIGHT, BARS = 320, 180, 8
BAYER = "BA81 GBRG GRBG RGGB BG10 GB10 BA10 RG10 BG12 GB12 BA12 RG12 BYR2 GB16 GR16 RG16".split()
GRAY = {"GREY": (1, 0), "Y10": (2, 2), "Y12": (2, 4), "Y16": (2, 8)}  # bytes of a sample, bits beyond 8
CONVERTED = "YVYU NV16 NV61 YV12 YM21 NM16 NM61 Y16 BGR3 RGBP BGR4 RGB4 AR24 XR24 BA24 BX24".split()
TOLERANCE = 8  # of 255: quality 95, and 5 bits a color in RGBP

folder, *names = sys.argv[1:]
LINES = [json.loads(line) for line in open(f"{folder}/probe")]
STARTED = {line["driverFormat"]: line for line in LINES if line["event"] == "started"}


class Fault(Exception):
    pass


def read(path):
    return open(path, "rb").read()


def raw_samples(dng):
    """The samples of a DNG as dcraw and LibRaw read them, two bytes each, the higher first."""
    dcraw = subprocess.run(["dcraw", "-D", "-4", "-t", "0", "-c", dng], capture_output=True, check=True)
    subprocess.run(["unprocessed_raw", dng], capture_output=True, check=True)
    count = WIDTH * HEIGHT * 2
    if dcraw.stderr or not dcraw.stdout.startswith(b"P5\n320 180\n65535\n"):
        raise Fault(f"dcraw says {dcraw.stderr.decode()} and writes {dcraw.stdout[:20]}")
    return dcraw.stdout[-count:], read(f"{dng}.pgm")[-count:]


def means(channels, at):
    """The mean of each channel in the middle of each bar; `at` gives a pixel's channels."""
    width = WIDTH // BARS
    spots = [[(bar * width + x, HEIGHT // 2 + y) for x in range(12, 28) for y in range(-8, 8)] for bar in range(BARS)]
    return [[sum(at(x, y)[c] for x, y in spot) / len(spot) for c in range(channels)] for spot in spots]


def check(name):
    other = read(f"{folder}/{name}.v4l2-ctl")
    kind = "dng" if name in BAYER else "jpg"
    frames, stills = glob.glob(f"{folder}/{name}/*.raw"), glob.glob(f"{folder}/{name}/*.{kind}")
    if len(frames) != 1 or len(stills) != 1:
        raise Fault(f"{len(frames)} frames")
    if name not in CONVERTED and read(frames[0]) != other:
        raise Fault(f"the frame's {len(read(frames[0]))} bytes are not v4l2-ctl's {len(other)}")
    started = STARTED[name]
    if started["format"]["width"] != WIDTH or started["format"]["height"] != HEIGHT:
        raise Fault(f"it streams {started['format']}")
    if name in BAYER:
        # One byte a sample, or two, the lower first.
        if len(other) == WIDTH * HEIGHT:
            samples = bytes(byte for sample in other for byte in (0, sample))
        else:
            samples = bytes(other[index ^ 1] for index in range(len(other)))
        for reader, found in zip(("dcraw", "LibRaw"), raw_samples(stills[0])):
            if found != samples:
                raise Fault(f"{reader} reads other samples of the DNG than v4l2-ctl has captured")
        if len(set(samples)) < 2:
            raise Fault("these are not bars")
        return

    picture = subprocess.run(["djpeg", "-ppm" if name not in GRAY else "-pnm", stills[0]], capture_output=True, check=True).stdout
    kind, size, depth, pixels = picture.split(b"\n", 3)
    channels = 3 if kind == b"P6" else 1
    if size.split() != [b"320", b"180"]:
        raise Fault(f"the still is {size.decode()}")
    seen = means(channels, lambda x, y: pixels[(y * WIDTH + x) * channels:(y * WIDTH + x + 1) * channels])
    if name in GRAY:
        count, shift = GRAY[name]

        def sample(x, y):
            start = (y * WIDTH + x) * count
            return [int.from_bytes(other[start:start + count], "little") >> shift]

        wanted = [bar * channels for bar in means(1, sample)]
    else:
        rgb = read(f"{folder}/RGB3.v4l2-ctl")
        wanted = means(3, lambda x, y: rgb[(y * WIDTH + x) * 3:(y * WIDTH + x + 1) * 3])
    if max(max(bar) for bar in wanted) - min(min(bar) for bar in wanted) < 100:
        raise Fault(f"these are not bars: {wanted}")
    worst = max(abs(a - b) for bar, want in zip(seen, wanted) for a, b in zip(bar, want))
    if worst > TOLERANCE:
        raise Fault(f"a bar is off by {worst:.0f}: {[[round(c) for c in bar] for bar in seen]}, not {[[round(c) for c in bar] for bar in wanted]}")


def fault(name):
    """What is wrong with a format, or None."""
    try:
        check(name)
    except (Fault, OSError, ValueError, subprocess.CalledProcessError) as problem:
        return str(problem).replace("\n", " ")


faults = {name: fault(name) for name in names}
for name, problem in faults.items():
    print(f"{name}: {problem}" if problem else f"{name} ok")
sys.exit(any(faults.values()))
