"""Processor time and memory of the daemons."""

import threading
import time

from . import demo
from .figures import digits, percentile, table
from .places import scratch
from .processes import processor_time, resident

SECONDS = 20
SETTLE = 5  # seconds until the rings are full
HEADER = ["process", "doing", "n", "% of a core: min", "p50", "max", "resident MB: p50", "max"]
NODES = 2  # of the rig whose coordinator is watched


def observe(pid):
    """Share of a core over some seconds, in percent, and resident bytes at their end."""
    used, start = processor_time(pid), time.monotonic_ns()
    time.sleep(SECONDS)
    return 100 * (processor_time(pid) - used) / (time.monotonic_ns() - start), resident(pid)


def shoot_every_second(rig, end, problems):
    due = time.monotonic()
    while not end.wait(max(due - time.monotonic(), 0)):
        problems.append(rig.trigger())
        due += 1


def agent(context, parent, cameras):
    with scratch(parent) as folder, demo.kept(context.programs, folder, "--nodes", 1, "--cameras", cameras) as rig:
        time.sleep(SETTLE)
        yield f"{cameras} × 720p30, unwatched", "agent", *observe(rig.daemons["capagentd"][0])


def coordinator(context, parent):
    with scratch(parent) as folder, demo.kept(context.programs, folder, "--nodes", NODES, "--cameras", 2) as rig:
        pid = rig.daemons["capcoordd"][0]
        time.sleep(SETTLE)
        yield f"{NODES} nodes × 2, idle", "coordinator", *observe(pid)
        end, problems = threading.Event(), []
        shooter = threading.Thread(target=shoot_every_second, args=(rig, end, problems))
        shooter.start()
        try:
            yield f"{NODES} nodes × 2, a shot a second", "coordinator", *observe(pid)
        finally:
            end.set()
            shooter.join()
        if len(problems) < SECONDS * 0.9:
            raise RuntimeError(f"only {len(problems)} shots in {SECONDS} s")
        for found in filter(None, problems):
            context.say(f"cost: a shot was not complete: {', '.join(found)}")


def measure(context):
    series = {}
    for number in range(context.rounds):
        for step in [*(lambda c=c: agent(context, context.disk, c) for c in (1, 2, 4)),
                     lambda: coordinator(context, context.disk)]:
            context.settle()
            for doing, process, share, memory in step():
                context.say(f"cost: round {number + 1} of {context.rounds}, {process}, {doing}: {share:.1f} %")
                series.setdefault((process, doing), []).append((share, memory))
    rows = [[process, doing, len(values), *cells(values)] for (process, doing), values in series.items()]
    return table(HEADER, rows) + f"\n\nEach over {SECONDS} s."


def cells(values):
    shares, memory = [share for share, _ in values], [bytes_ / 1e6 for _, bytes_ in values]
    figures = [min(shares), percentile(shares, 50), max(shares), percentile(memory, 50), max(memory)]
    return [digits(figure) for figure in figures]
