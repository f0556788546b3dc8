"""Searching a large library: one shot of a demo, copied with other ids, times and outcomes, asked by capctl on the folder."""

import copy
import json
import pathlib
import random
import subprocess
import time
import uuid

from . import demo
from .figures import digits, percentile, table
from .places import scratch

SHOTS, QUICK_SHOTS = 100_000, 2_000
TIMES = 5  # that a search is repeated in a round
DAY = 86_400_000_000_000
START = 1_735_689_600_000_000_000  # 2025-01-01
HEADER = ["what", "found", "n", "seconds: min", "p50", "max"]
SEARCHES = [
    (), ("--limit", "1000"), ("--since", "2025-06-01", "--until", "2025-06-02"), ("--device", "node1/*"),
    ("--outcome", "missed"), ("--outcome", "missed", "--device", "*/cam9"), ("--status", "failed"),
    ("--title", "take 77"), ("--text", "absent"),
]
WITHOUT_INDEX = [("--device", "node1/*"), ("--text", "absent")]


def sample(programs, folder):
    """The manifest of a shot of four cameras."""
    (shot,) = demo.run(programs, folder, "--nodes", 4, "--cameras", 1, "--shots", 1)["shots"]
    return shot["manifest"]


def copies(manifest, count):
    """Manifests and dates of shots over a year; one camera in fifty misses."""
    generator = random.Random(1)
    for number in range(count):
        realtime = START + number * (365 * DAY // count)
        shot = copy.deepcopy(manifest)
        head, middle, tail = realtime // 1_000_000, generator.getrandbits(12), generator.getrandbits(62)
        shot["id"] = str(uuid.UUID(int=head << 80 | 7 << 76 | middle << 64 | 2 << 62 | tail))
        shot["wallClock"]["realtimeNanoseconds"] = realtime - (shot["time"] - shot["wallClock"]["monotonic"])
        for capture in shot["captures"]:
            if generator.random() < 0.02:
                capture["phase"], shot["status"] = "missed", "partial"
                for file in capture["files"]:
                    file["outcome"] = "missed"
        yield shot, time.strftime("%Y/%m/%d", time.gmtime(realtime // 1_000_000_000))


def make(manifest, library, count):
    """Writes them down; one in a hundred has a title."""
    for number, (shot, date) in enumerate(copies(manifest, count)):
        folder = library / date / shot["id"]
        folder.mkdir(parents=True)
        (folder / "shot.json").write_text(json.dumps(shot, indent=2, sort_keys=True))
        if number % 100 == 0:
            (folder / "annotation.json").write_text(json.dumps({"title": f"Take {number}", "note": "Wind"}))


class Reader:
    """capctl on the folder, without a coordinator; what each command took."""

    def __init__(self, context, library):
        self.context, self.library, self.series = context, library, {}

    def timed(self, what, *command, times=1):
        for _ in range(times):
            began = time.monotonic()
            printed = subprocess.run(
                [self.context.programs / "capctl", "shots", *command, "--library", self.library, "--format", "json"], check=True,
                capture_output=True, text=True).stdout
            found = len(json.loads(printed)["shots"]) if command[0] == "list" else ""
            self.series.setdefault((what, found), []).append(time.monotonic() - began)
        self.context.say(f"library: {what}: {self.series[what, found][-1]:.3f} s")

    def search(self, query, suffix="", times=TIMES):
        self.timed(" ".join(["`list", *query]) + "`" + suffix, "list", *query, times=times)


def measure(context):
    count = QUICK_SHOTS if context.rounds == 1 else SHOTS
    with scratch(context.disk) as folder:
        library = folder / "many"
        make(sample(context.programs, folder), library, count)
        reader = Reader(context, library)
        index = library / ".index" / "index.sqlite"
        for _ in range(context.rounds):
            context.settle()
            reader.timed("`reindex --from-nothing`", "reindex", "--from-nothing")
            reader.timed("`reindex`, nothing changed", "reindex")
            size = index.stat().st_size
            for query in SEARCHES:
                reader.search(query)
            for query in WITHOUT_INDEX:
                for left in index.parent.iterdir():
                    left.unlink()
                reader.search(query, ", no index yet", times=1)
    rows = [[what, found, len(values), *cells(values)] for (what, found), values in reader.series.items()]
    return f"{table(HEADER, rows)}\n\n{count} shots of four cameras; the index takes {size / 1e6:.1f} MB."


def cells(values):
    return [digits(value) for value in (min(values), percentile(values, 50), max(values))]
