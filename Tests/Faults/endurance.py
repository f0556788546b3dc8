#!/usr/bin/env python3
"""A rig with four cameras takes a picture with each of them every second, and what its processes take stays the same.

    endurance.py FOLDER-OF-RELEASE-PROGRAMS --minutes 60
    endurance.py FOLDER --day 24 --at-most 120                          24 h of the rig's time in as little as they take
    endurance.py FOLDER --minutes 25 --plant memory@capcoordd --plant threads@node1    leaks that have to be found

Every shot is judged: its answer, its files, their bytes, and its events. Memory, descriptors and threads of each process
must be flat by the rule in flatness.py. The library is pruned to its last shots, so that the disk stays as it is too.
"""

import argparse
import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Interop"))

from caprig_client import NoAnswer, Refused, all_cameras, new_shot_id, trigger_request  # noqa: E402
from files import sha256  # noqa: E402
from flatness import RULES, growth, is_sound, judge  # noqa: E402
from local_rig import LocalRig  # noqa: E402
from manifest_schema import manifest_of  # noqa: E402
from usage import Usage  # noqa: E402
from warp import Warp  # noqa: E402

KEPT = 60  # shots of the library
# Frames a second and size of the cameras' pictures: in real time, and where a day is to pass quickly.
USUAL, SLOW = (15, (640, 360)), (4, (320, 180))
SAMPLES = 720  # of a run
SHORTEST_SAMPLING = 5.0  # seconds
# A machine that is busy with other things may keep a camera from arming in time, and the rig says so.
LARGEST_SHARE_OF_MISSES = 0.01


class Follower(threading.Thread):
    """Counts the events of the feed, all of them."""

    def __init__(self, rig):
        super().__init__(daemon=True)
        self.rig = rig
        self.counts = collections.Counter()
        self.lost, self.failure, self.is_ending = 0, None, False

    def run(self):
        try:
            with self.rig.client() as client, client.feed() as feed:
                while not self.is_ending:
                    try:
                        self.counts[feed.next(1.0).event.name] += 1
                    except NoAnswer:
                        continue
                    finally:
                        self.lost = feed.lost
        except Exception as error:  # whatever it is, not every event was seen
            self.failure = repr(error)


class Machine:
    """The machine's own time; `Warp` is the other kind."""

    environment = {}
    patience = 5.0  # seconds of this machine for an answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def now(self):
        return time.monotonic()

    def sleep_until(self, seconds):
        time.sleep(max(0, seconds - time.monotonic()))

    def free(self):
        pass


class Trial:
    """Shots on a grid of seconds, and what they and the processes come to."""

    def __init__(self, rig, pace):
        self.rig, self.pace = rig, pace
        self.epoch = time.time() - pace.now()  # of the rig's wall clock, by which ids are made as by an honest client
        self.follower = Follower(rig)
        self.usages = [Usage(program.name, program.process.pid) for program in rig.programs]
        self.problems = []
        self.growing = []  # (kind, program, what is wrong)
        self.outcomes = collections.Counter()
        self.shots = self.captures = 0
        self.slowest = self.largest_skew = 0.0
        self.kept = collections.deque()

    def run(self, seconds, longest):
        """Goes on for so many seconds of the rig's time, and for at most `longest` of this machine's."""
        self.follower.start()
        begun, started = self.pace.now(), time.monotonic()
        sampling, sampled = max(SHORTEST_SAMPLING, seconds / SAMPLES), None
        with self.rig.client() as client:
            client.patience = self.pace.patience
            while (now := self.pace.now() - begun) < seconds and time.monotonic() - started < longest:
                if not all(program.runs() for program in self.rig.programs):
                    break
                if sampled is None or now - sampled >= sampling:
                    sampled = now
                    for usage in self.usages:
                        usage.sample(now)
                self.pace.sleep_until(begun + self.shots)
                self.pace.free()
                self.shoot(client)
                if self.shots % 3600 == 0:
                    print(f"{self.shots // 3600} h: {dict(self.outcomes)}, {time.monotonic() - started:.0f} s", flush=True)
        self.seconds, self.machine_seconds = self.pace.now() - begun, time.monotonic() - started
        self.problems += [f"{program.name} has ended" for program in self.rig.programs if not program.runs()]

    def shoot(self, client):
        self.shots += 1
        asked = self.pace.now()
        request = trigger_request(all_cameras(), new_shot_id(self.epoch + asked))
        try:
            document = client.trigger(request)
        except (NoAnswer, Refused) as error:
            return self.problems.append(f"shot {self.shots}: {error}")
        self.slowest = max(self.slowest, self.pace.now() - asked)
        folder = pathlib.Path(document.library) / document.folder
        self.check(manifest_of(document), folder)
        self.kept.append(folder)
        if len(self.kept) > KEPT:
            shutil.rmtree(self.kept.popleft(), ignore_errors=True)

    def check(self, manifest, folder):
        captures = manifest["captures"]
        self.captures += len(captures)
        if len(captures) != len(self.rig.numbers):
            self.problems.append(f"shot {manifest['id']} names {len(captures)} cameras")
        for capture in captures:
            problem = (capture.get("problem") or {}).get("code")
            self.outcomes[capture["phase"] if capture["phase"] == "done" else f"{capture['phase']} ({problem})"] += 1
            if capture["phase"] == "done":
                self.check_capture(manifest["id"], capture, folder)
            elif not problem:
                self.problems.append(f"shot {manifest['id']}: a camera is {capture['phase']} and nobody says why")

    def check_capture(self, shot, capture, folder):
        skew = abs(capture["timing"]["skewNanoseconds"])
        self.largest_skew = max(self.largest_skew, skew)
        if skew > 1e9 / self.rig.rate:
            self.problems.append(f"shot {shot}: a picture is {skew / 1e6:.1f} ms from T")
        for file in capture["files"]:
            path = folder / file["path"]
            if file["outcome"] != "done" or not path.is_file() or sha256(path) != file["digest"]:
                self.problems.append(f"shot {shot}: {path} is {file['outcome']}, and not there or other bytes")

    def judge(self):
        """What is wrong, once the last shot's events have had their time."""
        expected = self.captures - sum(n for name, n in self.outcomes.items() if name.startswith("missed"))
        deadline = time.monotonic() + 15
        while self.follower.counts["capture.didFinishCapture"] < expected and time.monotonic() < deadline:
            time.sleep(0.1)
        self.follower.is_ending = True
        self.follower.join(15)
        finished = self.follower.counts["capture.didFinishCapture"]
        if self.follower.failure or self.follower.lost or finished < expected:
            self.problems.append(f"of {expected} captures the feed told the end of {finished}; {self.follower.lost} events "
                                 f"were lost, {self.follower.failure or 'the feed did not fail'}")
        missed = self.captures - self.outcomes["done"]
        if missed > LARGEST_SHARE_OF_MISSES * self.captures:
            self.problems.append(f"{missed} of {self.captures} captures were not done: {dict(self.outcomes)}")
        for usage in self.usages:
            for kind, rule in RULES.items():
                if found := judge(usage.series(kind), rule):
                    self.growing.append((kind, usage.name, found))

    def report(self):
        print(f"{self.shots} shots in {self.seconds:.0f} s, {self.machine_seconds:.0f} s of this machine; captures: {dict(self.outcomes)}; slowest answer "
              f"{self.slowest * 1e3:.0f} ms, largest skew {self.largest_skew / 1e6:.1f} ms; "
              f"{sum(self.follower.counts.values())} events")
        for usage in self.usages:
            print(f"{usage.name}: {usage.processor_seconds():.0f} s of a processor")
            print(*usage.table(), sep="\n")
            for kind in RULES:
                rise, peak = growth(usage.series(kind))
                print(f"  {kind}: rise {rise:.6g}, peak above the median {peak:.6g}, in the second half")


def environments(plants, folder):
    """Variables by program's name for leaks such as `memory@node1`."""
    if not plants:
        return {}
    library = folder / "leak.so"
    source = pathlib.Path(__file__).with_name("leak.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-pthread"], check=True)
    return {program: {"LD_PRELOAD": str(library), "LEAK": kind} for kind, program in plants}


def joined(variables, others):
    """Both libraries are preloaded where both ask for one."""
    libraries = [one["LD_PRELOAD"] for one in (variables, others) if "LD_PRELOAD" in one]
    return {**variables, **others, "LD_PRELOAD": ":".join(libraries)}


def verdict(trial, plants):
    """Every problem; what was planted has to have grown, and nothing else."""
    found = {(kind, name) for kind, name, _ in trial.growing}
    # What leaks takes memory too.
    leaky = {("memory", name) for _, name in plants} | set(plants)
    trial.problems += [f"{name}: {kind} {what}" for kind, name, what in trial.growing if (kind, name) not in leaky]
    trial.problems += [f"{name}: the planted leak of {kind} was not found" for kind, name in plants if (kind, name) not in found]
    return trial.problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path, help="folder of the release programs")
    parser.add_argument("--minutes", type=float, default=60, help="of this machine's time")
    parser.add_argument("--day", type=float, metavar="HOURS", help="of the rig's time instead, which leaps over all waiting")
    parser.add_argument("--at-most", type=float, default=1e6, metavar="MINUTES", help="of this machine's time, for --day")
    parser.add_argument("--nodes", type=int, choices=(1, 2, 4), default=2, help="that the four cameras are on")
    parser.add_argument("--plant", action="append", default=[], help="memory, descriptors or threads, @capcoordd, @node1, …")
    arguments = parser.parse_args()
    plants = [tuple(plant.split("@", 1)) for plant in arguments.plant]
    if not is_sound():
        print("the rule for what is flat does not find what grows")
        return 1
    with tempfile.TemporaryDirectory() as folder, Warp() if arguments.day else Machine() as pace:
        nodes = arguments.nodes
        names = ("capcoordd", *(f"node{number}" for number in range(1, nodes + 1)))
        programs = {name: dict(pace.environment) for name in names}
        for name, variables in environments(plants, pathlib.Path(folder)).items():
            programs[name] = joined(programs[name], variables)
        rate, size = SLOW if arguments.day else USUAL
        rig = LocalRig(arguments.programs.resolve(), nodes, 4 // nodes, rate, size, programs)
        try:
            trial = Trial(rig, pace)
            trial.run(arguments.day * 3600 if arguments.day else arguments.minutes * 60, arguments.at_most * 60)
            trial.judge()
            trial.report()
        finally:
            statuses = rig.stop()
    problems = verdict(trial, plants)
    problems += [f"{name}, asked to end, ended with {status}" for name, status in statuses.items() if status != 0]
    for problem in problems[:50]:
        print(f"FAIL endurance: {problem}")
    print(f"{int(not problems)} passed, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
