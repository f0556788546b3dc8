"""A crash, or another thing that may happen, at each fault point in turn, while a rig does everything once."""

import concurrent.futures
import multiprocessing
import sys

from rig import COORDINATOR
from schedule import Schedule
from stage import perform
from workout import DETOURS, RATE, pile_up, work

# What may be swept, and how a daemon is asked for it.
ACTIONS = {
    **{name: name for name in ("crash", "stop", "hang", "drop", "duplicate", "hold")},
    "fail": "fail:EIO",
}
TRIES = 3  # of a point that the work has not reached: some depend on how a transfer is cut


def run(arguments, points):
    """Prints a line of a table for each point, as soon as it is done; whether anything was wrong."""
    targets = [(daemon, point) for daemon in (COORDINATOR, "node1") for point, abilities in points[daemon]
               if arguments.sweep in abilities and any(part in point for part in (arguments.point or "").split(","))]
    print(f"| point | {arguments.sweep} struck | restarts | captures | settled within | all is true |")
    print("|---|---|---|---|---|---|")
    passed, missed, failed = 0, [], []
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs, mp_context=context) as pool:
        runs = [pool.submit(strike, arguments.programs, daemon, point, arguments.sweep) for daemon, point in targets]
        for (daemon, point), future in zip(targets, runs):
            verdict = future.result()
            strikes = verdict.struck[point, arguments.sweep]
            print(row(verdict, daemon, point, strikes))
            if verdict.problems:
                failed.append(point)
                print(f"{point}: kept in {verdict.folder}", *verdict.problems[:8], sep="\n  ", file=sys.stderr)
            elif not strikes:
                missed.append(point)
            else:
                passed += 1
            sys.stdout.flush()
    for point in missed:
        print(f"never reached: {point}")
    print(f"{passed} passed, {len(failed) + len(missed)} failed")
    return bool(failed or missed)


def strike(programs, daemon, point, action):
    faults = {name: [rule for rule in rules if not rule.startswith(f"{point}=")] for name, rules in DETOURS.items()}
    lasting = {daemon: f"{point}={ACTIONS[action]},hit=1"}
    act = pile_up if ".inventory" in point else work
    for _ in range(TRIES):
        verdict = perform(programs, Schedule(0, rate=RATE, faults=faults, lasting=lasting), act)
        if verdict.problems or verdict.struck[point, action]:
            break
    return verdict


def row(verdict, daemon, point, strikes):
    captures = ", ".join(f"{count} {outcome}" for outcome, count in sorted(verdict.outcomes.items()))
    settling = verdict.longest.get("settling", 0)
    told = "yes" if not verdict.problems else "**no**"
    return f"| `{point}` | {strikes} | {verdict.restarts[daemon]} | {captures} | {settling:.1f} s | {told} |"
