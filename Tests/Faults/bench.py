#!/usr/bin/env python3
"""Makes a rig fail in random ways and checks what it says afterwards; docs/reliability.md says what must be true.

    bench.py --seed 7              one schedule, printed; what failed is kept
    bench.py --schedules 1000 --jobs 4
    bench.py --minutes 3
    bench.py --sweep crash         kills at each fault point in turn, and prints a table of outcomes; or `fail`, `drop`, ...

Ends with "N passed, N failed" and the counts of what struck.
"""

import argparse
import collections
import concurrent.futures
import multiprocessing
import os
import pathlib
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Interop"))

import sweep  # noqa: E402
from joined import joined  # noqa: E402
from lies import LIES, LIES_OF_MOVIES  # noqa: E402
from partition import may_partition  # noqa: E402
from stage import Verdict, means, perform  # noqa: E402
from rig import NODES, catalogue  # noqa: E402
from schedule import draw, quiet  # noqa: E402


CHECKS = 4  # runs of a rig of which one has to have every capture done
NUMBER_OF_LIES = len(LIES) + len(LIES_OF_MOVIES)
ALL = 1000  # schedules, in which every point has to be reached


def run_seed(programs, seed, points, available):
    try:
        return perform(programs, draw(seed, points, available))
    except Exception:
        return Verdict(seed, problems=[f"the bench itself failed:\n{traceback.format_exc()}"])


class Tally:
    """What all schedules together have come to."""

    def __init__(self):
        self.passed, self.failed = 0, []
        self.kinds, self.outcomes = collections.Counter(), collections.Counter()
        self.struck, self.reached = collections.Counter(), set()
        self.longest = collections.Counter()

    def add(self, verdict):
        if verdict.problems:
            self.failed.append(verdict.seed)
        else:
            self.passed += 1
        self.kinds.update(verdict.kinds)
        self.outcomes.update(verdict.outcomes)
        self.struck.update(verdict.struck)
        self.reached |= verdict.reached
        for name, seconds in verdict.longest.items():
            self.longest[name] = max(self.longest[name], seconds)

    def unreached(self, points):
        return everything(points) - self.reached

    def print(self, points):
        section("outcomes of captures", self.outcomes)
        section("faults", self.kinds)
        section("struck, by point and action", {f"{point} {action}": n for (point, action), n in self.struck.items()})
        never = self.unreached(points)
        print(f"points reached: {len(everything(points)) - len(never)} of {len(everything(points))}; never: "
              f"{', '.join(name for _, name in sorted(never)) or 'none'}")
        print("longest: " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in sorted(self.longest.items())))
        if self.failed:
            print(f"failing seeds: {' '.join(map(str, self.failed))}")
        print(f"{self.passed} passed, {len(self.failed)} failed")


def everything(points):
    return {(kind_of(daemon), name) for daemon, listed in points.items() for name, _ in listed}


def kind_of(daemon):
    return "coordinator" if daemon == "coordinator" else "agent"


def section(title, counts):
    print(f"{title}:")
    for name, count in sorted(counts.items()):
        print(f"  {count:6}  {name}")


def tell(verdict, is_alone):
    if verdict.problems:
        print(f"\nseed {verdict.seed}: {len(verdict.problems)} problems; kept in {verdict.folder}")
        print(f"FAIL: seed {verdict.seed}: {verdict.problems[0]}")
        for problem in verdict.problems[1:20]:
            print(f"  {problem}")
    elif is_alone:
        print(f"seed {verdict.seed}: all is true, {verdict.pictures} pictures")
    if is_alone and verdict.folder:
        print((verdict.folder / "schedule.txt").read_text())
    sys.stdout.flush()


def check_checker(programs):
    """Whether the checker finds every lie about a rig to which nothing has happened."""
    # On a busy machine a camera may miss a shot, and then there is not everything to lie about.
    for _ in range(CHECKS):
        verdict = perform(programs, quiet())
        if verdict.problems or verdict.is_whole:
            break
    else:
        verdict.problems.append(f"in {CHECKS} runs of a rig to which nothing happened not every capture was done")
    for problem in [*verdict.problems, *(f"the checker does not find that {lie}" for lie in verdict.believed)]:
        print(f"checking the checker: {problem}")
    return NUMBER_OF_LIES - len(verdict.believed) if not verdict.problems else 0, bool(verdict.problems or verdict.believed)


def run_schedules(arguments, points):
    tally, available = Tally(), means()
    if arguments.seed is None:
        found, is_blind = check_checker(arguments.programs)
        print(f"the checker finds {found} of {NUMBER_OF_LIES} lies")
        tally.failed += ["checker"] if is_blind else []
    for is_there, what in ((available.mounts, "no right to mount: small disks and clocks of their own are left out"),
                           (available.partitions, f"{may_partition()}: partitions are left out"),
                           (available.wall_clocks, "no C compiler: jumps of the wall clock are left out")):
        if not is_there:
            print(what)
            tally.failed += [what] if os.environ.get("CI") == "true" else []
    deadline = time.monotonic() + arguments.minutes * 60 if arguments.minutes else float("inf")
    seeds = iter([arguments.seed] if arguments.seed is not None else range(
        arguments.first, arguments.first + arguments.schedules))
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs, mp_context=context) as pool:
        under_way = set()
        while True:
            while len(under_way) < arguments.jobs and time.monotonic() < deadline:
                seed = next(seeds, None)
                if seed is None:
                    break
                under_way.add(pool.submit(run_seed, arguments.programs, seed, points, available))
            if not under_way:
                break
            done, under_way = concurrent.futures.wait(under_way, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                tally.add(future.result())
                tell(future.result(), arguments.seed is not None)
    # So many reach every point; fewer need not.
    if arguments.schedules >= ALL and not arguments.minutes and tally.unreached(points):
        tally.failed.append("points that were never reached")
    tally.print(points)
    return bool(tally.failed) or not tally.passed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path, nargs="?", help="folder of the release programs",
                        default=pathlib.Path(__file__).resolve().parents[2] / ".build" / "release")
    parser.add_argument("--seed", type=int, help="run one schedule, and print it")
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--schedules", type=int, default=ALL - 1, help="how many, beginning with --first")
    parser.add_argument("--minutes", type=float, default=0, help="begin no further one after so long")
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time")
    parser.add_argument("--sweep", choices=sweep.ACTIONS, help="this at each fault point in turn")
    parser.add_argument("--point", help="of a sweep: only points whose names contain one of these, with commas between")
    arguments = parser.parse_args()
    arguments.programs = arguments.programs.resolve()
    points = catalogue(arguments.programs)
    joined(arguments.programs, NODES)  # once for the processes of all schedules
    if arguments.sweep:
        return sweep.run(arguments, points)
    return run_schedules(arguments, points)


if __name__ == "__main__":
    sys.exit(main())
