#!/usr/bin/env python3
"""Compares what the probe offers with what v4l2-ctl lists: offers.py PROBE-OUTPUT V4L2-CTL-LIST.

Every format that the probe offers must be listed, with the same discrete sizes and, at each, the same rates; and of the
formats that the rig names, every one that is listed must be offered.
"""
import json, re, sys

NAMES = "MJPG YUYV UYVY NV12 NV21 YU12 GREY Y10 Y12 RGB3 BA81 GBRG GRBG RGGB BG10 GB10 BA10 RG10 BG12 GB12 BA12 RG12 BYR2 GB16 GR16 RG16".split()
listed, current, size = {}, None, None
for line in open(sys.argv[2]):
    if match := re.match(r"\s*\[\d+\]: '(.{4}(?:-BE)?)'", line):
        current = listed.setdefault(match[1].strip(), {})
    elif match := re.search(r"Size: Discrete (\d+)x(\d+)", line):
        size = current.setdefault((int(match[1]), int(match[2])), [])
    elif match := re.search(r"Interval: (?:Discrete|Continuous|Stepwise) ([\d.]+)s(?: - ([\d.]+)s)?", line):
        size.append((float(match[1]), float(match[2] or match[1])))

offers = json.loads(open(sys.argv[1]).readline())["formats"]
problems = []
for offer in offers:
    name = (offer.get("convertedFrom") or offer["pixelFormat"]).strip()
    # Formats of several memory planes that are packed, and JPEG, go by the name of what they become.
    if name not in listed:
        problems.append(f"{name} is not listed")
        continue
    sizes = {
        (s["widths"]["smallest"], s["heights"]["smallest"]): sorted(
            (i["shortestNanoseconds"] / 1e9, i["longestNanoseconds"] / 1e9) for i in s["intervals"]) for s in offer["sizes"]}
    wanted = {s: sorted(i) for s, i in listed[name].items() if not offer.get("convertedFrom") or (s[0] % 8 == 0 and s[1] % 2 == 0)}
    if sizes.keys() != wanted.keys():
        problems.append(f"{name}: sizes {sorted(sizes)} instead of {sorted(wanted)}")
    for key in sizes.keys() & wanted.keys():
        if len(sizes[key]) != len(wanted[key]) or any(
                abs(a - b) > 0.001 for x, y in zip(sizes[key], wanted[key]) for a, b in zip(x, y)):
            problems.append(f"{name} {key}: {sizes[key]} instead of {wanted[key]}")
direct = {o["pixelFormat"] for o in offers if not o.get("convertedFrom")}
problems += [f"{name} is not offered" for name in NAMES if name in listed and name not in direct]
if not listed or problems:
    print("\n".join("       " + problem for problem in problems[:20]) or "       nothing is listed")
    sys.exit(1)
