#!/usr/bin/env python3
"""Times searching a large library: capctl makes one shot, which is copied with other ids, times and outcomes.

    Benchmarks/library.py .build/release/capctl [--shots 100000] [--folder DIR]
"""

import argparse
import copy
import json
import pathlib
import random
import shutil
import statistics
import subprocess
import tempfile
import time
import uuid

DAY = 86_400_000_000_000
START = 1_735_689_600_000_000_000  # 2025-01-01


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capctl")
    parser.add_argument("--shots", type=int, default=100_000)
    parser.add_argument("--folder", help="keep the library here, and use it if it is there")
    return parser.parse_args()


def sample(capctl, folder):
    """The manifest of a shot of four cameras."""
    library = pathlib.Path(folder) / "sample"
    subprocess.run([capctl, "demo", "--nodes", "4", "--cameras", "1", "--library", library], check=True,
                   stdout=subprocess.DEVNULL)
    return json.loads(next(library.glob("*/*/*/*/shot.json")).read_text())


def make(manifest, library, count):
    """Shots over a year; one camera in fifty misses, one shot in a hundred has a title."""
    random.seed(1)
    for number in range(count):
        realtime = START + number * (365 * DAY // count)
        shot = copy.deepcopy(manifest)
        bits = (realtime // 1_000_000) << 80 | 7 << 76 | random.getrandbits(12) << 64 | 2 << 62 | random.getrandbits(62)
        shot["id"] = str(uuid.UUID(int=bits))
        shot["wallClock"]["realtimeNanoseconds"] = realtime - (shot["time"] - shot["wallClock"]["monotonic"])
        for capture in shot["captures"]:
            if random.random() < 0.02:
                capture["phase"] = "missed"
                for file in capture["files"]:
                    file["outcome"] = "missed"
                shot["status"] = "partial"
        date = time.strftime("%Y/%m/%d", time.gmtime(realtime // 1_000_000_000))
        folder = library / date / shot["id"]
        folder.mkdir(parents=True)
        (folder / "shot.json").write_text(json.dumps(shot, indent=2, sort_keys=True))
        if number % 100 == 0:
            (folder / "annotation.json").write_text(json.dumps({"title": f"Take {number}", "note": "Wind"}))


def timed(*command, times=1):
    """The median of the seconds that a command takes, and its output."""
    taken = []
    for _ in range(times):
        began = time.monotonic()
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        taken.append(time.monotonic() - began)
    return statistics.median(taken), output


def measure(capctl, library):
    def shots(*arguments, times=5):
        taken, output = timed(capctl, "shots", "list", "--library", library, "--format", "json", *arguments, times=times)
        return f"{taken:8.3f} s  {len(json.loads(output)['shots']):6} shots  list {' '.join(arguments)}"

    def reindex(*arguments):
        taken, output = timed(capctl, "shots", "reindex", "--library", library, *arguments)
        return f"{taken:8.3f} s  reindex {' '.join(arguments)}: {output.strip()}"

    print(reindex("--from-nothing"))
    print(reindex())
    index = pathlib.Path(library) / ".index" / "index.sqlite"
    print(f"{index.stat().st_size / 1e6:8.1f} MB  index")
    queries = [
        (), ("--limit", "1000"), ("--since", "2025-06-01", "--until", "2025-06-02"), ("--device", "node1/*"),
        ("--outcome", "missed"), ("--outcome", "missed", "--device", "*/cam9"), ("--status", "failed"),
        ("--title", "take 77"), ("--text", "absent"),
    ]
    for query in queries:
        print(shots(*query))
    subprocess.run(["sqlite3", index, "UPDATE meta SET value = '0' WHERE key = 'clean'"], check=True)
    print(shots("--title", "take 77"), "(index not closed)")
    index.unlink()
    print(shots("--device", "node1/*"), "(no index)")
    print(shots("--text", "absent", times=1), "(no index)")


def main():
    arguments = options()
    capctl = str(pathlib.Path(arguments.capctl).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        library = pathlib.Path(arguments.folder or scratch) / "library"
        if not library.exists():
            make(sample(capctl, scratch), library, arguments.shots)
        print(f"{arguments.shots} shots of 4 cameras")
        measure(capctl, str(library))


if __name__ == "__main__":
    main()
