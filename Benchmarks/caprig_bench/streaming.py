"""What four running cameras cost, and how soon a subscriber has their frames: capagentd beside ustreamer.

Both are unchanged programs that use the same cameras of Benchmarks/Camera, one after the other.
"""

import contextlib
import dataclasses
import functools
import pathlib
import subprocess
import time

from . import cameras, daemons, ustreamer_peer
from .cameras import HEIGHT, RATE, WIDTH
from .figures import digits, percentile, spread, table
from .places import MEMORY, scratch
from .processes import processor_time, proportional, resident

CAMERAS = 4
SETTLE = 4  # seconds until rings of 3 s are full
WARM = 1  # seconds that viewers have watched before they count
GRACE = 0.2  # seconds that the last frames have to arrive
COST_HEADER = ["program", "doing", "n", "% of a core: min", "p50", "max", "resident MB: p50", "max", "proportional MB: p50"]
LATENCY_HEADER = ["program", "n", "min", "p50", "p99", "max", "lost: no free buffer", "on the way"]
UNWATCHED, WATCHED, PREVIEWS = "unwatched", "4 streams watched", "4 previews watched"


@dataclasses.dataclass
class Running:
    """A contender that streams: its processes, and what a viewer watches, by what is measured."""

    pids: list
    sources: dict
    keys: dict = dataclasses.field(default_factory=dict)  # variables with which a viewer connects


@dataclasses.dataclass
class Observation:
    share: float
    resident: int
    proportional: int
    latencies: list
    taken: int
    late_or_lost: int
    without_buffer: int


@contextlib.contextmanager
def ustreamer(folder, source):
    log = folder / "ustreamer.log"
    with ustreamer_peer.running(log, source.nodes, source.environment, WIDTH, HEIGHT, RATE) as (pids, watch):
        yield Running(pids, {UNWATCHED: None, WATCHED: watch})


def agent_configuration(nodes, port):
    text = "node: bench\nspool: { limit: 64 MiB, reserve: 1 MiB }\nring: { depth: 3 s }\n"
    text += f"frames: {{ listen: {{ port: {port} }} }}\n" if port else ""
    text += "devices:\n"
    for number, node in enumerate(nodes):
        text += (
            f"  - {{ name: cam{number}, purpose: Is measured, source: {{ v4l2: {{ path: {node} }} }}, format: "
            f"{{ pixelFormat: MJPG, width: {WIDTH}, height: {HEIGHT}, framesPerSecond: {RATE} }} }}\n"
        )
    return text


@functools.cache
def has_frames_channel(programs):
    """Whether an agent publishes frames: one built before it does not know the key."""
    printed = subprocess.run([programs / "capagentd", "--print-config"], check=True, capture_output=True, text=True)
    return "\nframes:" in printed.stdout


def topics(port, kind):
    return ["bus", f"tcp://127.0.0.1:{port}", *(f"bench/cam{number}/{kind}" for number in range(CAMERAS))]


@contextlib.contextmanager
def agent(programs, folder, source, keys=True):
    port = ustreamer_peer.free_ports(1)[0] if has_frames_channel(programs) else None
    with contextlib.ExitStack() as stack:
        rig = stack.enter_context(daemons.coordinator(programs, folder, keys))
        configuration = agent_configuration(source.nodes, port)
        told = stack.enter_context(daemons.agent(rig, folder, configuration, shift=0, environment=source.environment))
        if told["running"] != CAMERAS:
            raise RuntimeError(f"only {told['running']} of {CAMERAS} cameras run:\n{(folder / 'agent.log').read_text()[-2000:]}")
        watch = {WATCHED: topics(port, "full"), PREVIEWS: topics(port, "preview")} if port else {}
        # The viewer is the rig's administrator, and the node its server.
        pair = [*rig.admin_pair, daemons.key_pair(folder / "spool" / "keys" / "agent.key_secret")[0]] if keys else []
        yield Running([told["pid"]], {UNWATCHED: None, **watch}, dict(zip(cameras.KEYS, pair)))


def contenders(context):
    """What opens each contender, by name; its text says what version it is."""
    found = {}
    if ustreamer_peer.PROBLEM is None:
        found[f"ustreamer {ustreamer_peer.version()}, 4 processes"] = ustreamer
    found["capagentd"] = functools.partial(agent, context.programs)
    if context.before:
        found["capagentd before"] = functools.partial(agent, context.before)
    return found


def observe(running, source, tools, watch, seconds):
    """Cost of the processes over some seconds, and how the frames of these seconds came to a viewer, if there is one."""
    with contextlib.ExitStack() as stack:
        viewer = stack.enter_context(cameras.viewer(tools, *watch, environment=running.keys)) if watch else None
        time.sleep(WARM)
        lost, used, start = source.lost(), sum(map(processor_time, running.pids)), time.monotonic_ns()
        time.sleep(seconds)
        end, used_then, lost_then = time.monotonic_ns(), sum(map(processor_time, running.pids)), source.lost()
        memory = [sum(map(read, running.pids)) for read in (resident, proportional)]
        time.sleep(GRACE)
        taken = {key: at for key, (_, at) in source.dequeued().items() if start <= at < end}
        seen = viewer.seen() if viewer else {}
    latencies = [seen[key] - at for key, at in taken.items() if key in seen]
    return Observation(
        100 * (used_then - used) / (end - start), *memory, latencies, len(taken),
        len(taken) - len(latencies), lost_then - lost)


def run(context, place, film, contender):
    """Observations of one contender, by what it did."""
    with scratch(place) as folder, cameras.running(context.camera, folder, film, CAMERAS) as source:
        with contender(folder, source) as running:
            time.sleep(SETTLE)
            for doing, watch in running.sources.items():
                yield doing, observe(running, source, context.camera, watch, context.seconds)


def measure(context):
    place = str(MEMORY) if MEMORY.is_dir() else context.disk
    series = {}
    with scratch(place) as folder:
        film = cameras.film(folder)
        for number in range(context.rounds):
            # Who goes first changes from round to round.
            order = list(contenders(context).items())[:: -1 if number % 2 else 1]
            for name, contender in order:
                context.settle()
                for doing, seen in run(context, place, film, contender):
                    context.say(f"streaming: round {number + 1} of {context.rounds}, {name}, {doing}: {seen.share:.1f} %")
                    series.setdefault((name, doing), []).append(seen)
        size = pathlib.Path(film).stat().st_size / cameras.FILM_FRAMES
    return text(context, series, size)


def text(context, series, size):
    costs = [[name, doing, len(seen), *cost_cells(seen)] for (name, doing), seen in sorted(series.items())]
    latencies = [[name, *latency_cells(seen)] for (name, doing), seen in sorted(series.items()) if doing == WATCHED]
    notes = [f"{CAMERAS} cameras, {WIDTH} × {HEIGHT} MJPEG at {RATE} frames per second, {size / 1e3:.0f} kB a frame; "
             f"each figure over {context.seconds:g} s."]
    if ustreamer_peer.PROBLEM:
        notes.append(f"ustreamer could not be measured: {ustreamer_peer.PROBLEM}.")
    if not latencies:
        notes.append("No latency: nothing measured here publishes frames.")
    parts = [table(COST_HEADER, costs)]
    parts += [f"From `VIDIOC_DQBUF` to the frame's last byte at a subscriber, milliseconds:\n\n"
              f"{table(LATENCY_HEADER, latencies)}"] if latencies else []
    return "\n\n".join([*parts, " ".join(notes)])


def cost_cells(seen):
    shares, memory = [each.share for each in seen], [each.resident / 1e6 for each in seen]
    figures = [min(shares), percentile(shares, 50), max(shares), percentile(memory, 50), max(memory),
               percentile([each.proportional / 1e6 for each in seen], 50)]
    return [digits(figure) for figure in figures]


def latency_cells(seen):
    latencies = [value for each in seen for value in each.latencies]
    longest = digits(max(latencies) / 1e6) if latencies else "–"
    lost = [sum(each.without_buffer for each in seen), sum(each.late_or_lost for each in seen)]
    return [len(latencies), *spread(latencies, (50, 99)), longest, *lost]
