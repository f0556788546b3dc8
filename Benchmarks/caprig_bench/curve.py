"""What keys cost: the same rigs of programs with CURVE on every connection, and of programs that are built without keys."""

import contextlib
import dataclasses
import json
import pathlib
import threading
import time

from . import cameras, collect, daemons, streaming
from .figures import digits, percentile, table
from .places import MEMORY, scratch

NODES, SHOTS = 4, 20  # of the rig that is triggered
TAKE = collect.BESIDE  # bytes of a take that is collected
WARM = 1_000_000_000  # nanoseconds from a node's return until its clock counts
SAMPLING = 0.05  # seconds between two looks at the bounds of clocks
WITH, WITHOUT = "with", "without"
HEADER = ["what", "unit", "CURVE", "rounds", "n", "p50: min", "median", "max", "p99: min", "median", "max"]
TRIGGER, LATENCY, COST, RATE, BOUND = (
    "T → durable, 4 × 1", "`VIDIOC_DQBUF` → subscriber, 4 streams", "agent, 4 streams watched", "collecting a take, alone",
    "clock bound while collecting")
UNITS = {TRIGGER: "ms", LATENCY: "ms", COST: "% of a core", RATE: "MB/s", BOUND: "µs"}


@dataclasses.dataclass
class Build:
    """The programs of one build."""

    name: str
    programs: pathlib.Path

    @property
    def has_keys(self):
        return self.name == WITH


def agent_configuration(number):
    return (
        f"node: node{number}\nspool: {{ limit: 256 MiB, reserve: 1 MiB }}\nframes: {{ enabled: false }}\ndevices:\n"
        f"  - {{ name: cam, purpose: Is measured, source: {{ virtual: {{ number: {number}, width: 1280, height: 720, "
        f"framesPerSecond: 30, phaseMilliseconds: {round(33.3 * number / NODES, 1)} }} }} }}\n")


def await_rig(rig):
    """Until every camera runs and every clock is known."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        nodes = rig.ask("status")["nodes"]
        running = [device for device in rig.ask("devices", "list")["devices"] if device["condition"]["state"] == "running"]
        if len(running) == NODES and sum("clockBoundNanoseconds" in node for node in nodes) == NODES:
            return
        threading.Event().wait(0.1)  # Pacing
    raise RuntimeError("the cameras do not run within 30 s")


def trigger(context, build, shared):
    """Milliseconds from T until the last still of a shot is durable."""
    with scratch(context.disk) as folder, contextlib.ExitStack() as stack:
        rig = stack.enter_context(daemons.coordinator(build.programs, folder, build.has_keys))
        for number in range(1, NODES + 1):
            place = folder / f"node{number}"
            place.mkdir()
            stack.enter_context(daemons.agent(rig, place, agent_configuration(number), shift=0))
        await_rig(rig)
        threading.Event().wait(1)  # Until the rings hold frames on either side of an instant.
        yield TRIGGER, list(filter(None, (durable(rig) for _ in range(SHOTS))))


def durable(rig):
    """None of a shot that is not complete."""
    shot = pathlib.Path(rig.ask("trigger", "--all", "--no-live", statuses=(0, 3, 4))["folder"])
    manifest = json.loads((shot / "shot.json").read_text())
    if manifest["status"] != "complete":
        return None
    stored = [file["storedAt"] for capture in manifest["captures"] for file in capture["files"]]
    return (max(stored) - manifest["time"]) / 1e6


def stream(context, build, shared):
    """Milliseconds until a subscriber has a frame, and the processor time that four of them take."""
    film = shared / "film.mjpeg"
    with scratch(context.disk) as folder, cameras.running(context.camera, folder, film, streaming.CAMERAS) as source:
        with streaming.agent(build.programs, folder, source, build.has_keys) as running:
            threading.Event().wait(streaming.SETTLE)
            seen = streaming.observe(running, source, context.camera, running.sources[streaming.WATCHED], context.seconds)
    if not seen.latencies:
        raise RuntimeError("no frame came to the subscriber")
    yield LATENCY, [value / 1e6 for value in seen.latencies]
    yield COST, [seen.share]


def collect_take(context, build, shared):
    """Megabytes per second of a take, and microseconds of the clocks' bounds meanwhile."""
    with scratch(context.disk) as folder, contextlib.ExitStack() as stack:
        rig = collect.Rig(build.programs, folder, shared / "large" / "film.mjpeg", stack, build.has_keys)
        rig.record(TAKE)
        with rig.coordinator():
            bounds, ended = [], threading.Event()
            watching = threading.Thread(target=sample_bounds, args=(rig, bounds, ended))
            watching.start()
            try:
                with rig.client() as client, client.feed() as feed:
                    stored, nanoseconds = rig.stored_take(feed)
            finally:
                ended.set()
                watching.join()
    if not bounds:
        raise RuntimeError("no clock was known while the take was collected")
    yield RATE, [stored / nanoseconds * 1e3]
    yield BOUND, [bound / 1e3 for bound in bounds]


def sample_bounds(rig, bounds, ended):
    """Each node's bound whenever the node has been heard again, but for its first second, in which it learns the clock."""
    first, heard = {}, {}
    with rig.client() as client:
        while not ended.wait(SAMPLING):
            with contextlib.suppress(rig.interop.NoAnswer):
                for node in client.status().nodes:
                    if not node.HasField("clock_bound_ns") or heard.get(node.node) == node.last_heard_rig_ns:
                        continue
                    heard[node.node] = node.last_heard_rig_ns
                    if node.last_heard_rig_ns - first.setdefault(node.node, node.last_heard_rig_ns) >= WARM:
                        bounds.append(node.clock_bound_ns)


def measure(context):
    if not context.without_keys:
        raise RuntimeError("there are no programs without keys to compare with; --programs-without-keys names their folder, "
                           "and `make bench` builds them")
    builds = [Build(WITH, context.programs), Build(WITHOUT, context.without_keys)]
    series = {}
    with scratch(str(MEMORY) if MEMORY.is_dir() else context.disk) as shared:
        cameras.film(shared)
        (shared / "large").mkdir()
        collect.film(shared / "large")
        for number in range(context.rounds):
            # Who goes first changes from round to round.
            for measure_one in (trigger, stream, collect_take):
                for build in builds[:: -1 if number % 2 else 1]:
                    context.settle()
                    for what, values in measure_one(context, build, shared):
                        if not values:
                            raise RuntimeError(f"nothing came of {what}, {build.name} keys")
                        context.say(f"curve: round {number + 1} of {context.rounds}, {what}, {build.name} keys: "
                                    f"p50 {digits(percentile(values, 50))} {UNITS[what]}")
                        series.setdefault((what, build.name), []).append(values)
    return text(series, context.seconds)


def text(series, seconds):
    rows = [[what, UNITS[what], name, len(rounds), sum(map(len, rounds)), *cells(rounds, 50), *tail_cells(rounds)]
            for what in UNITS for (told, name), rounds in series.items() if told == what]
    return table(HEADER, rows) + (
        "\n\nPercentiles are of a round; the columns are the least, the median and the greatest of the rounds'. "
        f"{SHOTS} shots a round, those left out that were not complete; streams over {seconds:g} s; a take of {TAKE / 1e6:.0f} MB.")


def cells(rounds, percent):
    found = [percentile(values, percent) for values in rounds]
    return [digits(value) for value in (min(found), percentile(found, 50), max(found))]


def tail_cells(rounds):
    """None of what is one figure a round."""
    return ["–"] * 3 if max(map(len, rounds)) == 1 else cells(rounds, 99)
