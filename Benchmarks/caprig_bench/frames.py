"""Live frames: what they cost the agent, watched and unwatched, and how old they are when they arrive."""

import json
import pathlib
import subprocess
import time

from . import cost, daemons
from .figures import digits, percentile, table
from .places import scratch

CAMERAS = 4
DEVICE = """\
  - name: cam{number}
    purpose: A camera of the benchmark
    source: {{ virtual: {{ number: {number}, width: 1280, height: 720, framesPerSecond: 30, phaseMilliseconds: {phase} }} }}
"""
# What is measured: whether there is a frames channel, and which kind of frames of all cameras is watched.
CASES = [("no frames channel", False, None), ("unwatched", True, None), ("full, all watched", True, "full"),
         ("preview, all watched", True, "preview")]
HEADER = ["frames", "n", "agent, % of a core: min", "p50", "max", "resident MB: p50", "dequeue to viewer, ms: p50",
          "p99", "worst p99", "frames", "lost at the viewer", "dropped by the node"]


def configuration(enabled):
    phases = [33.3 * number / CAMERAS for number in range(CAMERAS)]
    cameras = "".join(DEVICE.format(number=number + 1, phase=round(phase, 1)) for number, phase in enumerate(phases))
    return f"node: node1\nspool: {{ reserve: 1 MiB }}\nframes: {{ enabled: {str(enabled).lower()} }}\ndevices:\n{cameras}"


def agent_pid():
    """The agent among this process's children."""
    for children in pathlib.Path("/proc/self/task").glob("*/children"):
        for pid in children.read_text().split():
            if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "capagentd":
                return int(pid)
    raise RuntimeError("no agent runs")


def watch(rig, kind):
    """A viewer of every camera, for as long as the agent is observed."""
    command = [rig.programs / "capctl", "frames", "hz", "--kind", kind, "--for", f"{cost.SECONDS}s", "--format", "json", *rig.access]
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)


def case(context, enabled, kind):
    """Share of a core, resident bytes, and what each stream's viewer counted."""
    with (
        scratch(context.disk) as folder,
        daemons.coordinator(context.programs, folder) as rig,
        daemons.agent(rig, folder, configuration(enabled)),
    ):
        pid = agent_pid()
        time.sleep(cost.SETTLE)
        viewer = watch(rig, kind) if kind else None
        share, memory = cost.observe(pid)
        streams = json.loads(viewer.communicate()[0])["streams"] if viewer else []
    return share, memory, streams


def cells(results):
    shares, memory = [share for share, _, _ in results], [bytes_ / 1e6 for _, bytes_, _ in results]
    streams = [stream for _, _, found in results for stream in found]
    row = [digits(min(shares)), digits(percentile(shares, 50)), digits(max(shares)), digits(percentile(memory, 50))]
    if not streams:
        return [*row, *["–"] * 6]
    latency = {name: [int(stream[name]) / 1e6 for stream in streams] for name in ("latencyP50Nanoseconds", "latencyP99Nanoseconds")}
    drops = [name for name in streams[0] if name.startswith("drops")]
    return [
        *row, digits(percentile(latency["latencyP50Nanoseconds"], 50)),
        digits(percentile(latency["latencyP99Nanoseconds"], 50)), digits(max(latency["latencyP99Nanoseconds"])),
        sum(stream["frames"] for stream in streams), sum(int(stream["missed"]) for stream in streams),
        sum(int(stream[name]) for stream in streams for name in drops),
    ]


def measure(context):
    series = {}
    for number in range(context.rounds):
        for name, enabled, kind in CASES:
            context.settle()
            result = case(context, enabled, kind)
            context.say(f"frames: round {number + 1} of {context.rounds}, {name}: {result[0]:.1f} %")
            series.setdefault(name, []).append(result)
    rows = [[name, len(results), *cells(results)] for name, results in series.items()]
    text = "Percentiles of latency are of each stream; the columns are the median and the worst of the streams'."
    return table(HEADER, rows) + f"\n\n{CAMERAS} × 720p30, virtual, one viewer of each. Each over {cost.SECONDS} s. {text}"
