#!/usr/bin/env python3
"""Checks a Python expression about a rig's devices and its events: devices.py RESULTS EXPRESSION

RESULTS holds `devices`, which `capctl devices list --format json` has printed, and may hold `events`, the lines of
`capctl events --format json`. The expression sees `state(name)`, `reason(name)`, `delivered(name)` and `lost(name)` of a
device of the node `lab` (frames lost for any cause), and `told(name)`, the states of its events in order. Status 1 where it is false.
"""
import json, os, sys

results = sys.argv[1]
known = {device["device"]["id"]: device["condition"] for device in json.load(open(f"{results}/devices"))["devices"]}
lines = open(f"{results}/events").read().splitlines(True) if os.path.exists(f"{results}/events") else []
# The last line may still be being written.
events = [json.loads(line) for line in lines if line.endswith("\n")]


def condition(name):
    return known[f"lab/{name}"]


def state(name):
    return condition(name)["state"]


def reason(name):
    return condition(name).get("reason") or ""


def delivered(name):
    return int(condition(name)["counters"]["delivered"])


def lost(name):
    counters = condition(name)["counters"]
    return sum(int(counters[cause]) for cause in ("droppedByDevice", "droppedByNode", "flaggedErroneous", "torn", "stalls"))


def told(name):
    mine = [event["name"] for event in events if event.get("device") == f"lab/{name}"]
    return [kind.removeprefix("device.") for kind in mine if kind.startswith("device.") and kind != "device.abilityChanged"]


if not eval(sys.argv[2]):
    print(f"       not true: {sys.argv[2]}")
    for name, value in known.items():
        print(f"       {name}: {json.dumps(value)} told {told(name.removeprefix('lab/'))}")
    sys.exit(1)
