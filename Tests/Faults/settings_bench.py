#!/usr/bin/env python3
"""Gives settings to cameras whose controls round, act late, refuse and die, while processes are killed, and judges what is said of them.

    settings_bench.py PROGRAMS --schedules 150 --jobs 4
    settings_bench.py PROGRAMS --seed 17      the schedules of its rig up to this one, printed; what failed is kept

Ten schedules after one another have the same rig. Ends with "N passed, N failed" and counts of outcomes and evidence.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import itertools
import multiprocessing
import pathlib
import sys
import time
import traceback
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Interop"))

import settings_lies  # noqa: E402
from joined import joined  # noqa: E402
from rig import COORDINATOR, NODES, NUMBERS  # noqa: E402
from settings_judge import PictureJudge, SettingsJudge  # noqa: E402
from settings_orders import Photo, Setting  # noqa: E402
from settings_rig import Camera, SettingsRig, truths  # noqa: E402
from settings_schedule import draw  # noqa: E402
from shots import FeedWatch  # noqa: E402
from stage import Stage, under_way  # noqa: E402

SCHEDULES_OF_A_RIG = 10
READY, SETTLE = 30.0, 60.0
# A node whose coordinator does not come back to it drops what it has prepared after 30 s: docs/settings.md.
RECOVERED = 40.0


@dataclasses.dataclass
class Result:
    seeds: tuple
    problems: list = dataclasses.field(default_factory=list)  # (seed or None, sentence)
    counts: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    longest: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    believed: list = dataclasses.field(default_factory=list)
    folder: pathlib.Path = None


class SettingsStage(Stage):
    """What the steps of a schedule do; `seed` is the schedule's."""

    def __init__(self, rig):
        super().__init__(rig, None)
        self.seed, self.settings = None, {}

    def give(self, name, *arguments, **keywords):
        setting = self.settings[self.seed, name] = Setting(self.rig, self.seed, *arguments, **keywords)
        self.threads.append(setting.start())
        return setting

    def setting(self, number, target, words, entries, require_all, at):
        self.give(number, words, target, require_all, at, dict(entries))

    def again(self, number):
        """The same request by another client."""
        self.threads.append(self.settings[self.seed, number].start())

    def kill_client(self, number):
        self.settings[self.seed, number].kill_client()

    def photo(self, name, target, kind):
        self.order(name, Photo.of_kind(self.rig, self.seed, target, kind))

    def order(self, name, photo):
        self.orders[self.seed, name] = photo
        self.threads.append(photo.start())

    def record(self, number, target, limit):
        super().record((self.seed, number), target, limit)
        self.orders[self.seed, number].seed = self.seed

    def stop(self, number):
        super().stop((self.seed, number))


def perform(programs, number, seeds, cameras=None, lies=None):
    """Plays the schedules of one rig and judges them."""
    result = Result(tuple(seeds))
    disk = "sound" if cameras else SettingsRig.draw_disk(number)
    rig = SettingsRig(programs, number, cameras or SettingsRig.draw(number), disk)
    try:
        play(rig, seeds, result, lies)
    except Exception:
        result.problems.append((None, f"the bench itself failed:\n{traceback.format_exc()}"))
    finally:
        told = [f"rig {number}, the disk of the coordinator's settings is {disk}", *(f"  {device}: {camera}" for device, camera in rig.cameras.items()), *(str(draw(seed)) for seed in seeds)]
        (rig.folder / "schedule.txt").write_text("\n".join([*told, "what happened:", *rig.notes, *map(str, result.problems), ""]))
        rig.remove(keep=bool(result.problems))
        result.folder = rig.folder if result.problems else None
    return result


def play(rig, seeds, result, lies):
    rig.start({})
    watch, stage = FeedWatch(rig), SettingsStage(rig)
    if not rig.await_readiness(READY):
        result.problems.append((None, "the rig was not ready in time"))
    for seed in seeds:
        stage.seed = seed
        follow(rig, stage, draw(seed))
        rig.note(f"healed, seed {seed}")
        heal(rig)
        settle(rig, stage, result)
        recover(rig, stage, result)
    if lies:
        lies.act(rig, stage)
        settle(rig, stage, result)
    for order in stage.orders.values():
        order.is_cancelled = True
    watch.end()
    watch.read_history()
    # A disk that refuses a record may lose it with the process.
    watch.is_history_whole = "state" not in rig.filled
    for name, status in rig.end().items():
        if status != 0:
            result.problems.append((None, f"{name}, asked to end, ended with {status}"))
    judge(rig, stage, watch, result, lies)


def follow(rig, stage, schedule):
    began = time.monotonic()
    for step in schedule.steps:
        time.sleep(max(0, began + step.at - time.monotonic()))
        rig.note(str(step))
        getattr(stage, step.kind)(*step.arguments)


def heal(rig):
    for node in NODES:
        rig.proxy.heal(node)
    for name in (COORDINATOR, *NODES):
        rig.thaw(name)
    rig.drain("state")


def settle(rig, stage, result):
    """Waits until every client is answered and nothing is under way."""
    began = time.monotonic()
    stage.end_takes()
    while waiting := list(under_way(rig, stage)):
        if time.monotonic() > began + SETTLE:
            result.problems.append((stage.seed, f"{SETTLE:.0f} s after the last fault these were still awaited: {'; '.join(waiting)}"))
            return
        time.sleep(0.02)
    stage.threads = []
    result.longest["settling"] = max(result.longest["settling"], time.monotonic() - began)


def recover(rig, stage, result):
    """The rig takes a normal transaction and a normal shot. A camera that dies only now may spoil an attempt, honestly."""
    began, seen = time.monotonic(), []
    for attempt in itertools.count():
        value = 80 + attempt % 2
        setting = stage.give(f"last {attempt}", ["exposureMode=manual", f"exposure=raw:{value}", "gain=raw:0", "whiteBalanceMode=auto"], "all",
                             entries={"white_balance_automatic": 1, "auto_exposure": 1, "exposure_time_absolute": value, "gain": 0})
        while stage.threads:
            stage.threads.pop().join()
        outcomes = {camera["outcome"] for _, _, report in setting.reports for camera in report["cameras"]}
        seen.append([report for _, _, report in setting.reports] or setting.refusals)
        if outcomes and outcomes <= {"set", "rounded"}:
            stage.photo(f"shot {attempt}", "all", "plain")
            settle(rig, stage, result)
            answers = stage.orders[stage.seed, f"shot {attempt}"].answers
            if [answer["status"] for answer in answers] == ["complete"]:
                break
            seen.append([(answer["status"], [c.get("problem") for c in answer["captures"]]) for answer in answers])
        settle(rig, stage, result)
        if time.monotonic() > began + RECOVERED:
            result.problems.append((stage.seed, f"for {RECOVERED:.0f} s afterwards transactions and shots were answered {seen[-1]}"))
            break
        time.sleep(0.3 if attempt < 5 else 2)
    result.longest["recovering"] = max(result.longest["recovering"], time.monotonic() - began)


def judge(rig, stage, watch, result, lies):
    truth = truths(rig)
    settings, orders = list(stage.settings.values()), list(stage.orders.values())
    for problem in problems_of(rig, settings, orders, watch, truth, result):
        result.problems.append(problem)
    if lies and not result.problems:
        result.believed = settings_lies.undetected(rig, settings, orders, watch, truth)


def problems_of(rig, settings, orders, watch, truth, result):
    reports = SettingsJudge(truth, rig.cameras, settings, [order for order in orders if isinstance(order, Photo)],
                            rig.crashes)
    yield from reports.run()
    pictures = PictureJudge(rig, orders, watch, truth, rig.cameras, settings)
    seeds = {order.id: getattr(order, "seed", None) for order in orders}
    for problem in pictures.run():
        yield next((seed for shot, seed in seeds.items() if shot in problem), None), problem
    result.counts.update({f"outcome {name}": count for name, count in reports.outcomes.items()})
    result.counts.update({f"evidence {name}": count for name, count in reports.evidence.items()})
    result.counts.update({f"interval of {length} frames": count for length, count in reports.intervals.items()})
    result.counts.update({f"capture {name}": count for name, count in pictures.outcomes.items()})
    result.counts.update({f"judged {name}": count for name, count in pictures.claimed.items()})
    result.counts["judged pictures"] += len(pictures.stills)
    result.counts.update(f"fault {action} at {point}" for point, action in rig.daemons[COORDINATOR].struck()[0])
    result.counts["refused as a whole"] += sum(len(setting.refusals) for setting in settings)
    result.longest["settings"] = max([result.longest["settings"], *(setting.longest for setting in settings)])
    result.longest["shots"] = max([result.longest["shots"], *(order.seconds or 0 for order in orders)])


def run_rig(programs, number, seeds):
    try:
        return perform(programs, number, seeds)
    except Exception:
        return Result(tuple(seeds), problems=[(None, f"the bench itself failed:\n{traceback.format_exc()}")])


def tell(result, programs):
    for seed in sorted({seed for seed, _ in result.problems}, key=lambda seed: seed or 0):
        found = [text for other, text in result.problems if other == seed]
        name = f"seed {seed}" if seed is not None else f"seeds {result.seeds}"
        print(f"\n{name}: {len(found)} problems; kept in {result.folder}")
        print(f"FAIL: {name}: {found[0][:1500]}")
        for text in found[1:12]:
            print(f"  {text[:1500]}")
        if seed is not None:
            print(f"  again: Tests/Faults/settings_bench.py {programs} --seed {seed}")
    sys.stdout.flush()


def check_judge(programs):
    """Whether the judge finds every lie about a rig in which nothing fails."""
    cameras = {device: Camera(delay=number % 3, reports=number < 3, steps=(("gain", 3),) if number == 2 else ())
               for number, device in enumerate(NUMBERS)}
    result = perform(programs, 0, [], cameras, types.SimpleNamespace(act=settings_lies.act))
    for text in [*(text for _, text in result.problems), *(f"the judge does not find that {lie}" for lie in result.believed)]:
        print(f"checking the judge: {text}")
    return not result.problems and not result.believed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path, nargs="?", help="folder of the release programs",
                        default=pathlib.Path(__file__).resolve().parents[2] / ".build" / "release")
    parser.add_argument("--seed", type=int, help="the schedules of one rig up to this one")
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--schedules", type=int, default=150, help="how many")
    parser.add_argument("--jobs", type=int, default=4, help="how many rigs at a time")
    parser.add_argument("--lies", action="store_true", help="check the judge only")
    arguments = parser.parse_args()
    programs = arguments.programs.resolve()
    joined(programs, NODES)
    is_sound = check_judge(programs) if arguments.seed is None else True
    if is_sound and arguments.seed is None:
        print(f"the judge finds {len(settings_lies.LIES)} of {len(settings_lies.LIES)} lies")
    if arguments.lies:
        print(f"{int(is_sound)} passed, {int(not is_sound)} failed")
        return not is_sound
    seeds = range(arguments.first, arguments.first + arguments.schedules)
    if arguments.seed is not None:
        seeds = range((arguments.seed - 1) // SCHEDULES_OF_A_RIG * SCHEDULES_OF_A_RIG + 1, arguments.seed + 1)
    rigs = collections.defaultdict(list)
    for seed in seeds:
        rigs[(seed - 1) // SCHEDULES_OF_A_RIG + 1].append(seed)
    failed, counts, longest = set(), collections.Counter(), collections.Counter()
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs, mp_context=context) as pool:
        for future in concurrent.futures.as_completed([pool.submit(run_rig, programs, *rig) for rig in rigs.items()]):
            result = future.result()
            tell(result, programs)
            failed |= {seed if seed is not None else f"rig of {result.seeds[0]}" for seed, _ in result.problems}
            counts.update(result.counts)
            for name, seconds in result.longest.items():
                longest[name] = max(longest[name], seconds)
    for name, count in sorted(counts.items()):
        print(f"  {count:6}  {name}")
    print("longest: " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in sorted(longest.items())))
    failed |= set() if is_sound else {"judge"}
    print(f"{len(seeds) + 1 - len(failed)} passed, {len(failed)} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
