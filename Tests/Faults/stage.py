"""Performs a schedule on a rig and judges it."""

import collections
import dataclasses
import pathlib
import subprocess
import tempfile
import threading
import time

import wall_clock
from checker import Checker
from files import left_in, manifests
from lies import undetected
from partition import may_partition
from rig import COORDINATOR, NODES, NUMBERS, FaultRig, stem
from schedule import Means
from shots import FeedWatch, Order
from takes import Take
from workout import annotate, describe, halt, watch_pictures

READY = 30.0  # seconds from the start to a rig whose cameras all run, whatever strikes meanwhile
SETTLE = 30.0  # seconds from the end of all faults until nothing is under way any more
ATTEMPTS = 6  # shots after all faults, of which one must succeed
NOTICE = 2.5  # seconds within which either side knows that the other has ended
END = 15.0  # seconds from SIGTERM to the end of a daemon


@dataclasses.dataclass
class Verdict:
    seed: int
    problems: list = dataclasses.field(default_factory=list)
    kinds: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    outcomes: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    struck: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    reached: set = dataclasses.field(default_factory=set)  # (agent or coordinator, point)
    restarts: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    longest: dict = dataclasses.field(default_factory=dict)
    pictures: int = 0
    believed: list = dataclasses.field(default_factory=list)  # lies that the checker has not found
    is_whole: bool = False  # whether every capture was done
    folder: pathlib.Path = None


class Stage:
    """What the steps of a schedule do."""

    def __init__(self, rig, schedule):
        self.rig, self.schedule = rig, schedule
        self.orders, self.threads = {}, []

    def trigger(self, number, target, when, require_all):
        self.orders[number] = Order.of(self.rig, target, when, require_all)
        self.threads.append(self.orders[number].start())

    def live(self, number, target, codec, is_motion_photo):
        self.orders[number] = Order.live(self.rig, target, codec, is_motion_photo)
        self.threads.append(self.orders[number].start())

    def record(self, number, target, limit):
        self.orders[number] = Take.of(self.rig, target, limit, segment=1.0 if len(self.orders) % 2 else None)
        self.threads.append(self.orders[number].start())

    def mark(self, number, text):
        self.call(self.orders[number].mark, text)

    def stop(self, number):
        self.call(self.orders[number].stop)

    def annotate(self, number, title):
        self.aside(annotate, self.orders[number], title)

    def end_takes(self):
        """Stops every take that nobody has stopped yet."""
        for order in self.orders.values():
            if isinstance(order, Take) and not order.is_stopped:
                self.call(order.stop)

    def call(self, act, *arguments):
        self.threads.append(threading.Thread(target=act, args=arguments, daemon=True))
        self.threads[-1].start()

    def repeat(self, number):
        again = self.orders[f"{number} again"] = self.orders[number].again()
        self.threads.append(again.start())

    def contradict(self, number):
        self.call(self.orders[number].contradict)

    def aside(self, act, *arguments):
        self.call(act, self.rig, *arguments)

    def describe(self, node, camera):
        self.aside(describe, node, camera)

    def halt(self, node, camera):
        self.aside(halt, node, camera)

    def watch(self, node, camera):
        self.aside(watch_pictures, camera)

    def kill(self, name):
        self.rig.kill(name)

    def freeze(self, name):
        self.rig.freeze(name)

    def thaw(self, name):
        self.rig.thaw(name)

    def cut(self, node, channels):
        self.rig.proxy.cut(node, channels.split("+"))

    def break_off(self, node, channels):
        self.rig.proxy.break_off(node, channels.split("+"))

    def silence(self, node, channels):
        self.rig.proxy.silence(node, channels.split("+"))

    def lag(self, node, channels, seconds):
        self.rig.proxy.lag(node, seconds, channels.split("+"))

    def restore(self, node, channels):
        self.rig.proxy.heal(node, channels.split("+"))

    def reboot(self, name, seconds):
        self.rig.reboot(name, seconds)

    def clone(self, node):
        self.rig.clone(node)

    def unclone(self, node):
        self.rig.unclone(node)

    def partition(self, node):
        self.rig.cables[node].pull()

    def reunite(self, node):
        self.rig.cables[node].plug()

    def jump(self, name, seconds):
        self.rig.wall_clocks[name].jump(seconds)

    def corrupt_parts(self):
        self.rig.corrupt_parts()

    def corrupt_spool(self, node, cut):
        self.rig.corrupt_spool(node, cut)

    def fill(self, name):
        self.rig.fill(name)

    def drain(self, name):
        self.rig.drain(name)


def means():
    """What this machine lets a schedule use."""
    return Means(mounts=may_mount(), partitions=may_partition() is None, wall_clocks=wall_clock.is_available())


def may_mount():
    """Whether small disks and clocks of their own are to be had."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]
        if subprocess.run(command, capture_output=True).returncode != 0:
            return False
        subprocess.run(["umount", folder], check=False)
        return True


def perform(programs, schedule, act=None):
    """Plays the steps of a schedule, or has `act` do what it does with the rig and its stage."""
    verdict = Verdict(schedule.seed)
    rig = FaultRig(programs, schedule.seed, schedule.rate, schedule.disks, schedule.camera_faults, schedule.cables,
                   schedule.wall_clocks, schedule.disk_size)
    (rig.folder / "schedule.txt").write_text(f"{schedule}\n")
    try:
        play(rig, schedule, act or follow_steps, verdict)
    finally:
        verdict.kinds.update(step.kind for step in schedule.steps)
        verdict.kinds.update(f"camera {fault.split()[2].rstrip(',')}" for fault in schedule.camera_faults.values())
        for name, daemon in rig.daemons.items():
            struck, reached = daemon.struck()
            verdict.struck.update(struck)
            verdict.restarts[name] = daemon.lives - 1
            verdict.kinds.update(f"point {action}" for _, action in struck)
            verdict.reached |= {("coordinator" if name == COORDINATOR else "agent", point) for point in reached}
        with open(rig.folder / "schedule.txt", "a") as file:
            file.write("\n".join(["what happened:", *rig.notes, *verdict.problems, ""]))
        rig.remove(keep=bool(verdict.problems))
        verdict.folder = rig.folder if verdict.problems else None
    return verdict


def play(rig, schedule, act, verdict):
    rig.start(schedule.faults, schedule.lasting, schedule.shifts)
    watch = FeedWatch(rig)
    stage = Stage(rig, schedule)
    if not rig.await_readiness(READY):
        rig.note("the rig was not ready in time")
    act(rig, stage)
    rig.note("healed")
    rig.heal()
    stage.end_takes()
    settle(rig, stage, verdict)
    recover(rig, stage, watch, verdict)
    for order in stage.orders.values():
        order.is_cancelled = True
        if order.seconds:
            verdict.longest["answer"] = max(verdict.longest.get("answer", 0), order.seconds)
    watch.end()
    watch.read_history()
    # A disk that refuses a record may lose it with the process.
    watch.is_history_whole = not any(point.startswith("feed.") and action == "fail"
                                     for point, action in rig.daemons[COORDINATOR].struck()[0])
    asked, struck = time.monotonic(), rig.strikes()
    for name, status in rig.end().items():
        # A fault may still have been waiting for this moment.
        if status != 0 and rig.strikes() == struck:
            verdict.problems.append(f"{name}, asked to end, ended with {status} (None: not within {END:.0f} s)")
    verdict.longest["ending"] = time.monotonic() - asked
    checker = Checker(rig, list(stage.orders.values()), watch)
    verdict.problems += checker.run()
    verdict.pictures, verdict.outcomes = checker.pictures, checker.outcomes
    verdict.is_whole = set(verdict.outcomes) == {"done"}
    if schedule.is_check and not verdict.problems and verdict.is_whole:
        verdict.believed = undetected(rig, list(stage.orders.values()), watch)


def follow_steps(rig, stage):
    began = time.monotonic()
    for step in stage.schedule.steps:
        time.sleep(max(0, began + step.at - time.monotonic()))
        rig.note(str(step))
        getattr(stage, step.kind)(*step.arguments)


def settle(rig, stage, verdict):
    """Waits until nothing is under way. Faults that were still waiting for their moment may strike meanwhile."""
    begun = time.monotonic()
    while True:
        if rig.hangs():
            rig.heal()
        # What strikes from here on comes after the hello that brings up again what a fault has kept back.
        struck = rig.strikes()
        time.sleep(max(0, max(begun, rig.last_start()) + NOTICE - time.monotonic()))
        waited = time.monotonic()
        while waiting := list(under_way(rig, stage)):
            if rig.strikes() != struck or time.monotonic() > waited + SETTLE:
                break
            time.sleep(0.05)
        if rig.strikes() == struck and not rig.hangs():
            break
        rig.note("a fault has struck while the rig was settling")
        rig.heal()
    if waiting:
        verdict.problems.append(f"{SETTLE:.0f} s after the last fault these were still awaited: {'; '.join(waiting)}")
    verdict.longest["settling"] = max(verdict.longest.get("settling", 0), time.monotonic() - begun)


def under_way(rig, stage):
    if not rig.await_readiness(2.0):
        yield "a camera or a clock"
    if any(thread.is_alive() for thread in stage.threads):
        yield "an answer"
    for _, manifest in manifests(rig.library):
        if manifest.get("status") == "open":
            yield f"shot {manifest['id']}"
    for node in NODES:
        left = [name for folder in ("captures", "recordings", "deferred") for name in left_in(rig.spool(node) / folder)]
        if left := [name for name in left if stem(name) not in rig.corrupted]:
            yield f"{node}'s {', '.join(left)}"
    if left := left_in(rig.library / ".incoming"):
        yield f"transfers of {', '.join(left)}"


def recover(rig, stage, watch, verdict):
    """A rig that has settled takes a picture with every camera, and its events arrive. A machine that is too busy, a
    camera whose fault has come only now, may spoil one attempt, honestly."""
    answers = []
    for attempt in range(ATTEMPTS):
        if rig.hangs():
            rig.heal()
        struck = rig.strikes()
        order = stage.orders[f"last {attempt}"] = Order.of(rig, "all", "soon", False)
        order.start().join(20)
        answers.append([(answer["status"], [c.get("problem") for c in answer["captures"] if c.get("problem")])
                        for answer in order.answers] + order.refusals)
        if rig.strikes() != struck:
            rig.heal()
        elif [answer["status"] for answer in order.answers] == ["complete"]:
            await_events(watch, order, verdict)
            settle(rig, stage, verdict)
            if rig.strikes() == struck:
                return
        time.sleep(1)
    verdict.problems.append(f"after all faults {ATTEMPTS} shots were answered {answers}")


def await_events(watch, order, verdict):
    deadline = time.monotonic() + 10
    while not watch.has_seen("capture.didFinishCapture", order.request.shot_id, len(NUMBERS)):
        if time.monotonic() > deadline:
            return verdict.problems.append("the events of the shot after all faults did not arrive within 10 s")
        time.sleep(0.05)
