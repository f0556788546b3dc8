"""What moving pictures cost: a ring of frames, Live Photos and recordings of capagentd beside motion's pre-capture.

One 1080p camera of Benchmarks/Camera for both. An event of motion and a clip of capagentd are asked for at the same pace,
and both are to hold three seconds, half of them before.
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import subprocess
import threading
import time

from . import cameras, daemons, motion_peer
from .cameras import RATE
from .figures import digits, percentile, spread, table
from .places import MEMORY, scratch
from .processes import processor_time, proportional

WIDTH, HEIGHT = 1920, 1080
HALF = 1.5  # seconds of a clip on either side of its instant
SETTLE = 5  # seconds until the ring is full
PACE, TIMES = 4, 5  # seconds from shot to shot, and how many an observation has
COST_HEADER = ["program", "doing", "n", "% of a core: min", "p50", "max", "proportional MB: p50", "max"]
DURABLE_HEADER = ["T → durable", "n", "min", "p50", "p95"]
LENGTH_HEADER = ["program", "n", "seconds asked for", "seconds: min", "p50", "max"]
RING, PHOTO, LIVE, RECORDING = "ring", f"a photo every {PACE} s", f"a clip every {PACE} s", "recording"
STILL_ALONE, STILL_WITH_CLIP, CLIP = "photo, without a clip", "photo, with a clip", "clip"


@dataclasses.dataclass
class Series:
    """What has been measured so far."""

    costs: dict = dataclasses.field(default_factory=dict)
    durable: dict = dataclasses.field(default_factory=dict)
    lengths: dict = dataclasses.field(default_factory=dict)

    def cost(self, program, doing, pid, work):
        used, start = processor_time(pid), time.monotonic_ns()
        work()
        share = 100 * (processor_time(pid) - used) / (time.monotonic_ns() - start)
        self.costs.setdefault((program, doing), []).append((share, proportional(pid)))
        return share


def paced(work):
    """Does the work in turns, each begun `PACE` seconds after the one before."""
    begun = time.monotonic()
    for number in range(TIMES):
        # Pacing: a turn that took longer is followed at once.
        threading.Event().wait(max(0, begun + number * PACE - time.monotonic()))
        work()
    threading.Event().wait(max(0, begun + TIMES * PACE - time.monotonic()))


def idle():
    threading.Event().wait(PACE * TIMES)


def agent_configuration(node):
    return (
        "node: bench\nspool: { limit: 256 MiB, reserve: 1 MiB }\nring: { depth: 3 s }\nframes: { enabled: false }\n"
        f"devices:\n  - {{ name: cam, purpose: Is measured, source: {{ v4l2: {{ path: {node} }} }}, format: "
        f"{{ pixelFormat: MJPG, width: {WIDTH}, height: {HEIGHT}, framesPerSecond: {RATE} }} }}\n"
    )


class Rig:
    """A coordinator and the process of its only agent."""

    def __init__(self, coordinator, pid):
        self.ask, self.pid = coordinator.ask, pid

    def shot(self, *options):
        """The manifest of a shot."""
        return json.loads((pathlib.Path(self.ask("trigger", "--all", *options)["folder"]) / "shot.json").read_text())


@contextlib.contextmanager
def rig(context, folder, source):
    with daemons.coordinator(context.programs, folder) as coordinator:
        configuration = agent_configuration(source.nodes[0])
        with daemons.agent(coordinator, folder, configuration, shift=0, environment=source.environment) as agent:
            yield Rig(coordinator, agent["pid"])


def durable(manifest, kind):
    (capture,) = manifest["captures"]
    (file,) = [file for file in capture["files"] if file["kind"] == kind]
    return file["storedAt"] - manifest["time"]


def clip_length(manifest):
    (clip,) = [capture["clip"] for capture in manifest["captures"]]
    return clip["durationNanoseconds"] / 1e9


def measure_agent(context, series, folder, source):
    with rig(context, folder, source) as running:
        threading.Event().wait(SETTLE)
        photos, clips = [], []
        yield RING, series.cost("capagentd", RING, running.pid, idle)
        yield PHOTO, series.cost(
            "capagentd", PHOTO, running.pid, lambda: paced(lambda: photos.append(running.shot("--no-live"))))
        yield LIVE, series.cost("capagentd", LIVE, running.pid, lambda: paced(lambda: clips.append(running.shot("--live"))))
        running.ask("record", "start", "--all")
        yield RECORDING, series.cost("capagentd", RECORDING, running.pid, idle)
        running.ask("record", "stop")
    for what, manifests, kind in [
            (STILL_ALONE, photos, "photo"), (STILL_WITH_CLIP, clips, "photo"), (CLIP, clips, "pairedVideo")]:
        series.durable.setdefault(what, []).extend(durable(manifest, kind) for manifest in manifests)
    series.lengths.setdefault("capagentd", []).extend(map(clip_length, clips))


def movie_length(path):
    """Seconds from the first picture to the end of the last, at the camera's rate: motion writes no duration of its own."""
    printed = subprocess.run(
        ["ffprobe", "-v", "error", "-count_packets", "-select_streams", "v", "-show_entries", "stream=nb_read_packets",
         "-of", "csv=p=0", path], check=True, capture_output=True, text=True).stdout
    return int(printed.strip().rstrip(",")) / RATE


def measure_motion(context, series, folder, source):
    name = f"motion {motion_peer.version()}"
    environment = {**os.environ, **source.environment}
    frames = round(HALF * RATE)
    with motion_peer.running(folder, source.nodes[0], environment, WIDTH, HEIGHT, RATE, frames) as running:
        threading.Event().wait(SETTLE)
        (pid,) = running.pids
        yield RING, series.cost(name, RING, pid, idle)
        yield LIVE, series.cost(name, LIVE, pid, lambda: paced(lambda: running.event(HALF)))
    series.lengths.setdefault(name, []).extend(map(movie_length, running.movies()))


def contenders():
    return [measure_agent, *([] if motion_peer.PROBLEM else [measure_motion])]


def measure(context):
    place = str(MEMORY) if MEMORY.is_dir() else context.disk
    series = Series()
    with scratch(place) as shared:
        film = cameras.film(shared, WIDTH, HEIGHT)
        for number in range(context.rounds):
            for contender in contenders()[:: -1 if number % 2 else 1]:
                context.settle()
                with scratch(context.disk) as folder, cameras.running(context.camera, folder, film, 1) as source:
                    for doing, share in contender(context, series, folder, source):
                        context.say(f"clips: round {number + 1} of {context.rounds}, {contender.__name__}, {doing}: {share:.1f} %")
        size = film.stat().st_size / cameras.FILM_FRAMES
    return text(series, size)


def text(series, size):
    costs = [[*key, len(values), *cost_cells(values)] for key, values in sorted(series.costs.items())]
    delays = [[what, len(values), *spread(values)] for what, values in series.durable.items()]
    lengths = [[program, len(values), 2 * HALF, *(f"{value:.3f}" for value in (min(values), percentile(values, 50), max(values)))]
               for program, values in sorted(series.lengths.items())]
    notes = [f"One camera, {WIDTH} × {HEIGHT} MJPEG at {RATE} frames per second, {size / 1e3:.0f} kB a frame; each figure over "
             f"{PACE * TIMES} s. Library and spool on the disk."]
    if motion_peer.PROBLEM:
        notes.append(f"motion could not be measured: {motion_peer.PROBLEM}.")
    return "\n\n".join([
        table(COST_HEADER, costs), f"Milliseconds:\n\n{table(DURABLE_HEADER, delays)}",
        f"Length of the clips:\n\n{table(LENGTH_HEADER, lengths)}", " ".join(notes)])


def cost_cells(values):
    shares, memory = [share for share, _ in values], [bytes_ / 1e6 for _, bytes_ in values]
    return [digits(each) for each in
            (min(shares), percentile(shares, 50), max(shares), percentile(memory, 50), max(memory))]
