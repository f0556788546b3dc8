"""How far the nodes' estimate of rig time is off, on one machine, where the truth is known.

Agents run in time namespaces whose clocks are whole seconds off, so that the remainder of a second is the error.
"""

import json
import subprocess

from . import daemons, demo, links
from .figures import digits, percentile, table
from .places import scratch

SHOTS = 20
SETTLED = 5  # shots, a second apart, until an estimate is called steady
CAMERAS = 100  # of the node whose first second is watched; each tells when its first frame has come
STARTS = 4  # of a node, every round
SECOND = 1_000_000_000
HEADER = ["estimate", "against", "n", "error µs: p50", "p99", "max", "bound µs: p50", "max", "errors beyond bound"]


def remainder(rig, local):
    """What remains of a difference of clocks that should be whole seconds."""
    return (rig - local + SECOND // 2) % SECOND - SECOND // 2


def first_second_node():
    """A node with a camera for every 10 ms; its `device.running` events sample the estimate."""
    text = "node: clocked\nspool: { limit: 1 MiB, reserve: 1 KiB }\nring: { memory: 8 MiB }\ndevices:\n"
    for number in range(CAMERAS):
        text += (
            f"  - {{ name: cam{number}, purpose: Samples the clock, source: {{ virtual: {{ number: {number}, "
            f"width: 144, height: 88, framesPerSecond: 1, phaseMilliseconds: {number * 1000 / CAMERAS} }} }} }}\n"
        )
    return text


def first_second(programs, folder):
    """Errors and bounds in the first second after a node has joined, and when the first estimate was there."""
    joined, known, running = None, [], 0
    with daemons.coordinator(programs, folder) as rig:
        with daemons.agent(rig, folder, first_second_node()):
            for event in daemons.events(rig):
                if event["name"] == "node.connected":
                    joined = int(event["rigNanoseconds"])
                running += event["name"] == "device.running"
                if "rigNanoseconds" in event and event.get("node"):
                    known.append(event)
                if joined and running >= CAMERAS:
                    break
    times = [int(event["rigNanoseconds"]) for event in known]
    first = min(times) - joined if times else None
    samples = [
        (remainder(int(event["rigNanoseconds"]), int(event["localNanoseconds"])), int(event["boundNanoseconds"]))
        for event in known if int(event["rigNanoseconds"]) < joined + SECOND
    ]
    return samples, first


def steady(programs, folder):
    """Errors and bounds of shots a second apart: against the known offset, and against the pixels."""
    shifted = ["--time-namespaces"] if daemons.SHIFT_SECONDS else []
    options = ["--nodes", 4, "--cameras", 1, "--shots", SHOTS + SETTLED, "--lead", "1s", *shifted]
    shots = demo.run(programs, folder, *options)["shots"][SETTLED:]
    offset, pixels = [], []
    for shot in shots:
        for capture in shot["manifest"]["captures"]:
            if "timing" in capture:
                middle = capture["timing"]["midExposure"]
                error = remainder(middle["time"], capture["timing"]["localMidExposure"])
                offset.append((error, middle["boundNanoseconds"]))
        pixels += against_pixels(programs, shot)
    return offset, pixels


def against_pixels(programs, shot):
    """Manifest minus time code, for every still of a shot."""
    stills = {
        f"{shot['folder']}/{file['path']}": capture["timing"]["midExposure"]
        for capture in shot["manifest"]["captures"] for file in capture["files"] if file["outcome"] == "done"
    }
    read = subprocess.run(
        [programs / "capctl", "timecode", "--format", "json", *stills], check=True, stdout=subprocess.PIPE)
    pair = shot["manifest"]["wallClock"]
    for code in json.loads(read.stdout)["timecodes"]:
        middle = stills[code["file"]]
        told = middle["time"] - pair["monotonic"] + pair["realtimeNanoseconds"]
        yield told - int(code["realtimeNanoseconds"]), middle["boundNanoseconds"]


def measure(context):
    series = {("in the first second", "known offset"): [], ("steady", "known offset"): [], ("steady", "pixels"): []}
    delays = []
    for number in range(context.rounds):
        context.say(f"clock: round {number + 1} of {context.rounds}")
        context.settle()
        for _ in range(STARTS):
            with scratch(context.disk) as folder:
                samples, delay = first_second(context.programs, folder)
            series["in the first second", "known offset"] += samples
            delays += [delay] if delay is not None else []
        with scratch(context.disk) as folder:
            offset, pixels = steady(context.programs, folder)
        series["steady", "known offset"] += offset
        series["steady", "pixels"] += pixels
    context.expect(not any(map(links.beyond, series.values())), "an error on one machine is larger than its bound")
    return f"{text(series, delays)}\n\nOver cables:\n\n{links.measure(context)}"


def text(series, delays):
    rows = [[*what, len(samples), *links.cells(samples)] for what, samples in series.items() if samples]
    shift = "agents' clocks minutes off" if daemons.SHIFT_SECONDS else "without root, agents share the machine's clock"
    milliseconds = [digits(f / 1e6) for f in (min(delays), percentile(delays, 50), max(delays))]
    return table(HEADER, rows) + (
        f"\n\nFirst estimate after the coordinator has let the node in, to {1000 // CAMERAS} ms: "
        f"min {milliseconds[0]}, p50 {milliseconds[1]}, max {milliseconds[2]} ms ({len(delays)} starts; {shift}). "
        "Bounds of stills hold the 100 µs that the virtual camera claims for its stamps."
    )
