"""From the trigger to all stills durable, beside wigglecam's trigger-and-collect."""

import itertools
from collections import Counter

from . import demo, wigglecam_peer
from .figures import spread, table
from .places import places, scratch

RIGS = [(4, 1), (8, 1), (8, 2)]
SHOTS = 20
HEADER = ["what", "nodes × cameras", "where", "n", "min", "p50", "p95"]
DEQUEUE, INSTANT, REQUEST = "last chosen frame's dequeue → durable", "T → durable", "request → durable"


def request_to_durable(manifest):
    stored = [file["storedAt"] for capture in manifest["captures"] for file in capture["files"]]
    return max(stored) - manifest["wallClock"]["monotonic"]


def measure_rig(programs, folder, nodes, cameras):
    """Nanoseconds by what was measured, for every complete shot of a demo; why the captures of others are not whole."""
    report = demo.run(programs, folder, "--nodes", nodes, "--cameras", cameras, "--shots", SHOTS)
    complete = [shot for shot in report["shots"] if shot["status"] == "complete"]
    times = {
        DEQUEUE: [int(shot["dequeueToDurableNanoseconds"]) for shot in complete],
        INSTANT: [int(shot["timeToDurableNanoseconds"]) for shot in complete],
        REQUEST: [request_to_durable(shot["manifest"]) for shot in complete],
    }
    return times, [problem(capture) for shot in report["shots"] if shot not in complete
                   for capture in shot["manifest"]["captures"] if capture["phase"] != "done"]


def problem(capture):
    """The code of what kept a capture from being whole."""
    found = [capture.get("problem"), *(file.get("problem") for file in capture["files"])]
    return next((entry["code"] for entry in found if entry), capture["phase"])


def measure(context):
    """Interleaved rounds of every rig in every place, each with the peer at its side."""
    series, peer, lacking = {}, {}, []
    turns = itertools.product(range(context.rounds), places(context.disk).items(), RIGS)
    for number, (name, parent), (nodes, cameras) in turns:
        context.say(f"trigger: round {number + 1} of {context.rounds}, {nodes} × {cameras}, {name}")
        context.settle()
        with scratch(parent) as folder:
            times, problems = measure_rig(context.programs, folder, nodes, cameras)
        lacking += problems
        for what, values in times.items():
            series.setdefault((what, nodes, cameras, name), []).extend(values)
        if cameras == 1 and wigglecam_peer.PROBLEM is None:
            with scratch(parent) as folder:
                peer.setdefault((nodes, name), []).extend(wigglecam_peer.measure(folder, nodes, SHOTS))
    return text(series, peer, lacking)


def text(series, peer, lacking):
    order = {what: place for place, what in enumerate([DEQUEUE, INSTANT, REQUEST])}
    rows = [
        [what, f"{nodes} × {cameras}", place, len(values), *spread(values)]
        for (what, nodes, cameras, place), values in sorted(
            series.items(), key=lambda item: (order[item[0][0]], item[0][1:3], item[0][3]))
    ]
    rows += [
        ["wigglecam: trigger sent → all files written", f"{nodes} × 1", place, len(values), *spread(values)]
        for (nodes, place), values in sorted(peer.items())
    ]
    reasons = ", ".join(f"{count} {code}" for code, count in Counter(lacking).items()) or "none"
    notes = [f"Milliseconds. Captures without a still, whose shots are left out: {reasons}."]
    if wigglecam_peer.PROBLEM:
        notes.append(f"wigglecam could not be run: {wigglecam_peer.PROBLEM}.")
    return "\n\n".join([table(HEADER, rows), " ".join(notes)])
