"""What viewers of one camera cost its agent and the gateway: the agent scales each picture once, however many look."""

import contextlib
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import time

from .figures import digits, percentile, spread, table
from .processes import Meter

PROGRAM = pathlib.Path(__file__).parent.parent / "live_viewers.py"
COUNTS = (1, 10, 100)
DEVICE, RATE = "node1/cam0", 10
QUIET = 1.5  # seconds in which the agent scales nothing once nobody looks
PATIENCE = 15  # seconds until then
AGENT, GATEWAY = "agent", "gateway"
HEADER = ["viewers", "n", "scaled by the agent", "different ones at the viewers", "pictures a second of a viewer: min", "p50", "MB/s in all",
          "from exposure to viewer, ms: p50", "p95", "agent, % of a core: min", "p50", "max", "gateway: min", "p50", "max"]


@dataclasses.dataclass
class Observation:
    scaled: int  # pictures, from before the viewers to after them
    different: int  # pictures that have come to any of them
    rates: list  # pictures a second, of each viewer
    bytes_per_second: float
    ages: list  # nanoseconds
    shares: dict  # percent of a core


@contextlib.contextmanager
def running(web, count):
    """Viewers that all have a picture."""
    process = subprocess.Popen(
        [sys.executable, PROGRAM, str(web.port), DEVICE, str(count), str(RATE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "CAPRIG_BENCH_TOKEN": web.token()})
    try:
        if process.stdout.readline() != "ready\n":
            raise RuntimeError(f"{count} viewers could not look; what they said stands above")
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def scaled(rig):
    """How many pictures the only agent has scaled, by its own count, once nobody looks."""
    deadline, last = time.monotonic() + PATIENCE, None
    while True:
        (node,) = rig.frames()
        if node["scaled"] == last:
            return int(last)
        if time.monotonic() > deadline:
            raise RuntimeError(f"the agent still scales pictures {PATIENCE} s after the last viewer: {node}")
        last = node["scaled"]
        # Pacing: the agent tells it each second.
        time.sleep(QUIET)


def observe(rig, web, count, seconds):
    before = scaled(rig)
    with running(web, count) as viewers:
        viewers.stdin.write("begin\n")
        viewers.stdin.flush()
        meter, begun = Meter({AGENT: rig.agents, GATEWAY: [web.pid]}), time.monotonic()
        time.sleep(seconds)
        shares, elapsed = meter.shares(), time.monotonic() - begun
        output, _ = viewers.communicate(timeout=30)
        if viewers.returncode != 0:
            raise RuntimeError(f"{count} viewers failed; what they said stands above")
    told, after = json.loads(output), scaled(rig)
    rates = [pictures / elapsed for pictures in told["pictures"]]
    return Observation(after - before, told["different"], rates, told["bytes"] / elapsed, told["ages"], shares)


class Viewers:
    """What has been observed so far, by the number of viewers."""

    def __init__(self, context):
        self.context, self.seen = context, {}

    def run(self, rig, web):
        for count in COUNTS:
            self.context.settle()
            seen = observe(rig, web, count, self.context.seconds)
            self.context.say(f"web: {count} viewers: agent {seen.shares[AGENT]:.1f} %, gateway {seen.shares[GATEWAY]:.1f} %")
            self.seen.setdefault(count, []).append(seen)

    def text(self):
        rows = [[count, len(seen), *cells(seen)] for count, seen in self.seen.items()]
        return f"{table(HEADER, rows)}\n\nOne camera of four at {RATE} frames per second, as previews; each over {self.context.seconds:g} s."


def cells(series):
    rates, ages = ([value for seen in series for value in getattr(seen, name)] for name in ("rates", "ages"))
    row = [sum(seen.scaled for seen in series), sum(seen.different for seen in series), digits(min(rates)), digits(percentile(rates, 50)),
           digits(percentile([seen.bytes_per_second / 1e6 for seen in series], 50)), *spread(ages)[1:]]
    for group in (AGENT, GATEWAY):
        shares = [seen.shares[group] for seen in series]
        row += [digits(min(shares)), digits(percentile(shares, 50)), digits(max(shares))]
    return row
