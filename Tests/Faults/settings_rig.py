"""A rig whose cameras' controls round, act late, depend on each other, refuse, or die; and what the cameras say they really did."""

import bisect
import dataclasses
import json
import random
import time

from rig import CAMERAS, COORDINATOR, FRAMES_PER_SECOND, NUMBERS, FaultRig
from stage import may_mount

WIDTH, HEIGHT = 512, 184  # as wide as a period of the pattern
STEPPED = {"exposure_time_absolute": 1, "gain": -48, "white_balance_temperature": 2800}  # control -> its least value


@dataclasses.dataclass(frozen=True)
class Camera:
    """How one virtual camera behaves."""

    delay: int = 0  # frames
    jitter: int = 0
    reports: bool = True  # whether frames state their exposure and gain
    steps: tuple = ()  # (control, step)
    refuses_gain_from: int = None
    dies_at_set: int = None
    faults: str = ""

    @classmethod
    def draw(cls, dice):
        late = dice.random() < 0.5
        return cls(
            delay=dice.choice((1, 2, 3)) if late else 0, jitter=dice.choice((0, 1, 2)) if late else 0, reports=dice.random() < 0.6,
            steps=(("exposure_time_absolute", dice.choice((4, 10))), ("gain", 3)) if dice.random() < 0.4 else (),
            refuses_gain_from=4 if dice.random() < 0.3 else None,
            dies_at_set=dice.choice((2, 3, 4, 5, 7)) if dice.random() < 0.3 else None,
            faults=dice.choice(("", "", "", "", "{ kind: dropped, probability: 0.1 }",
                                "{ kind: stalled, afterSeconds: 8, forSeconds: 1 }")))

    def accepts(self, control, value):
        """The nearest value that it has."""
        step = dict(self.steps).get(control, 1)
        least = STEPPED.get(control, 0)
        return least + (value - least + step // 2) // step * step

    def yaml(self, number, truth):
        controls = [f"delayFrames: {self.delay}", f"delayJitterFrames: {self.jitter}", f"reportsFrameValues: {str(self.reports).lower()}"]
        if self.steps:
            controls.append(f"steps: {{ {', '.join(f'{name}: {step}' for name, step in self.steps)} }}")
        if self.refuses_gain_from is not None:
            controls.append(f"refuse: [ {{ control: gain, from: {self.refuses_gain_from} }} ]")
        faults = [self.faults] if self.faults else []
        if self.dies_at_set:
            faults.append(f"{{ kind: unplugged, fromSet: {self.dies_at_set}, forSeconds: 0.7 }}")
        # The file of the prompt virtual camera, with its delays, is not of one that is late.
        model = ", model: Late camera" if self.delay or self.jitter else ""
        return (f"{{ number: {number}, width: {WIDTH}, height: {HEIGHT}, framesPerSecond: {FRAMES_PER_SECOND}, seed: {number},"
                f" phaseMilliseconds: {7 * number}{model}, truth: {truth},"
                f" controls: {{ {', '.join(controls)} }}, faults: [ {', '.join(faults)} ] }}")


# What the disk with the coordinator's settings transactions does, beside being full: it fails before anything is stored or afterwards, or
# takes longer than anybody waits.
DISKS = {
    "sound": (),
    "failing": ("ledger.file.write=fail:ENOSPC,probability=0.15,times=always,seed={life}",
                "ledger.folder.sync=fail:EIO,probability=0.15,times=always,seed={life}"),
    "freezing": ("ledger.file.sync=delay:2500ms,probability=0.15,times=always,seed={life}",
                 "ledger.folder.sync=delay:12000ms,probability=0.04,times=always,seed={life}"),
}
STATE_KIBIBYTES = 32 << 10


class SettingsRig(FaultRig):
    def __init__(self, programs, seed, cameras, disk="sound"):
        self.cameras = cameras  # device -> Camera
        self.crashes = []  # of the coordinator; CLOCK_MONOTONIC, nanoseconds
        super().__init__(programs, seed, disks=("state",) if may_mount() else (), disk_size=STATE_KIBIBYTES)
        self.daemons[COORDINATOR].always = DISKS[disk]

    @staticmethod
    def draw_disk(seed):
        return random.Random(f"disk {seed}").choice(list(DISKS))

    def fill(self, name):
        """Leaves nothing free, if this machine may mount a disk that can be full."""
        if self.mounted:
            super().fill(name)

    @staticmethod
    def draw(seed):
        dice = random.Random(f"cameras {seed}")
        return {device: Camera.draw(dice) for device in NUMBERS}

    def kill(self, name):
        super().kill(name)
        if name == COORDINATOR:
            self.crashes.append(time.monotonic_ns())

    def truth(self, device):
        return self.folder / f"{device.replace('/', '.')}.truth"

    def configure(self, node, camera_faults):
        devices = "".join(
            f"  - name: {name}\n    purpose: A camera that tells what it did\n    live: true\n    source:\n      virtual:\n"
            f"        {self.cameras[f'{node}/{name}'].yaml(NUMBERS[f'{node}/{name}'], self.truth(f'{node}/{name}'))}\n"
            for name in CAMERAS)
        (self.folder / f"{node}.yaml").write_text(
            f"node: {node}\ncoordinator: {self.proxy.endpoint(node)}\n"
            f"spool: {{ folder: {self.spool(node)}, limit: 256 MiB, reserve: 64 KiB }}\n"
            f"ring: {{ depth: 2 s, memory: 32 MiB }}\ndevices:\n{devices}")


@dataclasses.dataclass(frozen=True)
class Frame:
    stream: int  # counts the streams of the camera over all lives of its agent
    number: int
    mid: int  # CLOCK_MONOTONIC, nanoseconds
    exposure: int
    brightness: float
    controls: dict
    place: int = 0  # in the order in which the camera has written


@dataclasses.dataclass(frozen=True)
class Set:
    at: int
    control: str
    value: int
    was: int
    stream: int
    place: int = 0


class Truth:
    """What a camera really did."""

    def __init__(self, path):
        self.frames, self.sets, self.opened = [], [], []
        text = path.read_text() if path.exists() else ""
        for place, line in enumerate(text[: text.rfind("\n") + 1].splitlines()):
            entry = json.loads(line)
            if "open" in entry:
                self.opened.append(entry["at"])
            elif "set" in entry:
                self.sets.append(Set(entry["at"], entry["set"], entry["value"], entry["was"], len(self.opened), place))
            else:
                self.frames.append(Frame(len(self.opened), entry["frame"], entry["midExposure"], entry["exposure"],
                                         entry["brightness"], entry["controls"], place))
        self.frames.sort(key=lambda frame: frame.mid)
        self.mids = [frame.mid for frame in self.frames]

    def nearest(self, instant):
        """The frame whose middle of exposure is nearest; None without frames."""
        place = bisect.bisect_left(self.mids, instant)
        near = self.frames[max(place - 1, 0): place + 1]
        return min(near, key=lambda frame: abs(frame.mid - instant), default=None)

    def after(self, frame):
        """Further frames of its stream."""
        return [other for other in self.frames[bisect.bisect_right(self.mids, frame.mid):] if other.stream == frame.stream]

    def accepted(self, control, instant):
        """The last value that was set until then, by whomever, in the life of its agent; None where none was."""
        found = [entry for entry in self.sets if entry.control == control and entry.at <= instant]
        return found[-1].value if found else None


def truths(rig):
    return {device: Truth(rig.truth(device)) for device in NUMBERS}
