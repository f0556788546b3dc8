#!/usr/bin/env python3
"""Checks a clip of alsa-probe: sound.py PRINTED SAMPLES EXPRESSION.

The expression sees `clip`, the object the probe has printed of it, `frequency` in hertz and `level` in dB below full
scale, both as FFmpeg's astats measures them. It exits with 1 where the expression does not hold.
"""

import json
import re
import subprocess
import sys

printed, samples, expression = sys.argv[1:]
with open(printed, encoding="utf-8") as lines:
    clip = [json.loads(line) for line in lines][-1]
report = subprocess.run(
    ["ffmpeg", "-hide_banner", "-f", "s16le", "-ar", str(clip["sampleRate"]), "-ac", str(clip["channels"]),
     "-i", samples, "-af", "astats=measure_overall=none", "-f", "null", "-"],
    check=True, capture_output=True, text=True).stderr
crossings = float(re.search(r"Zero crossings rate: ([\d.]+)", report)[1])
level = float(re.search(r"RMS level dB: (-?[\d.]+|-inf)", report)[1])
frequency = crossings * clip["sampleRate"] / 2
if not eval(expression):
    print(f"     {expression}: {frequency=} {level=} {clip=}")
    sys.exit(1)
