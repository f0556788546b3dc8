"""What happens to a rig and when, drawn from a seed: the same seed gives the same schedule."""

import dataclasses
import random

from proxy import CHANNELS
from rig import COORDINATOR, DISK_KIBIBYTES, NODES, NUMBERS, WITHOUT_CLIPS

DURATION = 5.0  # seconds in which everything begins
# What the points of takes and deferred work are called.
OF_MOVIES = ("recording.", "movie.", "deferred.", "encoder.", "spool.movie.", "spool.deferred.", "spool.companion.", "coordinator.take.",
             "library.annotation.")
ROOMY_KIBIBYTES = 200 << 10  # on which movies may be begun
RATES = ("unlimited", "unlimited", "2 MB/s", "600 kB/s")
KINDS = (*["point"] * 8, *["kill"] * 2, *["freeze"] * 2, *["network"] * 4, *["disk"] * 2, *["camera"] * 2, "corrupt", "reboot",
         "clone", "partition", "jump")
PILE = 34  # shots of two cameras: a hello lists 64 captures
# Seconds by which somebody sets a wall clock.
JUMPS = (-400 * 86400, -3600, -5, 5, 3600, 400 * 86400)
ERRORS = ("ENOSPC", "EIO", "EROFS")
# What a fault of a virtual camera looks like; each ends by itself.
CAMERA_FAULTS = (
    "{{ kind: unplugged, afterSeconds: {at}, forSeconds: {length} }}",
    "{{ kind: stalled, afterSeconds: {at}, forSeconds: {length} }}",
    "{{ kind: torn, afterSeconds: {at}, forSeconds: {length}, every: 2 }}",
    "{{ kind: erroneous, afterSeconds: {at}, forSeconds: {length} }}",
    "{{ kind: dropped, afterSeconds: {at}, forSeconds: {length}, probability: 0.5 }}",
)


@dataclasses.dataclass(frozen=True)
class Means:
    """What a machine lets a schedule use: small disks and clocks of their own, network namespaces, wall clocks."""

    mounts: bool = False
    partitions: bool = False
    wall_clocks: bool = False


@dataclasses.dataclass
class Step:
    """`kind` and `arguments` name a method of `Stage` in stage.py."""

    at: float
    kind: str
    arguments: tuple

    def __str__(self):
        return f"{self.at:5.2f} s  {self.kind} {' '.join(str(argument) for argument in self.arguments)}"


@dataclasses.dataclass
class Schedule:
    seed: int
    rate: str = "unlimited"
    disks: tuple = ()
    faults: dict = dataclasses.field(default_factory=dict)  # daemon -> rules it is started with
    lasting: dict = dataclasses.field(default_factory=dict)  # daemon -> a rule for each life until it has struck
    camera_faults: dict = dataclasses.field(default_factory=dict)  # device -> YAML
    is_check: bool = False  # whether the checker itself is checked, with lies about what came of it
    shifts: dict = dataclasses.field(default_factory=dict)  # daemon -> seconds by which its clock is ahead
    disk_size: int = DISK_KIBIBYTES
    cables: tuple = ()  # nodes in a network namespace
    wall_clocks: tuple = ()  # daemons whose CLOCK_REALTIME can jump
    steps: list = dataclasses.field(default_factory=list)

    def __str__(self):
        lines = [f"seed {self.seed}, collect rate {self.rate}, small disks: {', '.join(self.disks) or 'none'}"]
        lines += [f"  {name} starts with --fault {rule}" for name, rules in self.faults.items() for rule in rules]
        lines += [f"  {name} has a clock {shift} s ahead" for name, shift in self.shifts.items()]
        lines += [f"  {node} is in a network namespace" for node in self.cables]
        lines += [f"  {name} has a wall clock that can jump" for name in self.wall_clocks]
        lines += [f"  {device} has {fault}" for device, fault in self.camera_faults.items()]
        return "\n".join(lines + [f"  {step}" for step in self.steps])


def quiet():
    """Two shots, a take and a Live Photo, and nothing that fails."""
    return Schedule(0, is_check=True, steps=[
        Step(0.0, "trigger", (0, "all", "soon", False)), Step(0.2, "record", ("take", "all", None)),
        Step(1.0, "trigger", (1, "all", "soon", False)), Step(1.2, "mark", ("take", "a mark")),
        Step(2.0, "live", ("live", "node1/cam1", "h264", True)), Step(2.5, "stop", ("take",))])


def draw(seed, points, means):
    """A schedule; `points` are those of the programs' own lists. The same machine draws the same."""
    dice = random.Random(seed)
    schedule = Schedule(seed, rate=dice.choice(RATES))
    shots(schedule, dice)
    if dice.random() < 0.3 and means.mounts:
        schedule.shifts = {name: dice.randrange(1, 1_000_000) for name in dice.sample((COORDINATOR, *NODES), 2)}
    asides(schedule, dice)
    for _ in range(dice.choice((1, 2, 2, 3, 4))):
        kind = dice.choice(KINDS)
        if kind == "point":
            point(schedule, dice, points)
        elif kind == "kill":
            schedule.steps.append(Step(moment(dice), "kill", (dice.choice((COORDINATOR, *NODES)),)))
        elif kind == "freeze":
            freeze(schedule, dice)
        elif kind == "network":
            network(schedule, dice)
        elif kind == "disk" and means.mounts:
            disk(schedule, dice)
        elif kind == "camera":
            camera(schedule, dice)
        elif kind == "reboot" and means.mounts:
            name = dice.choice((COORDINATOR, COORDINATOR, *NODES))
            schedule.steps.append(Step(moment(dice), "reboot", (name, dice.randrange(1, 1_000_000))))
        elif kind == "corrupt":
            corrupt(schedule, dice)
        elif kind == "clone":
            clone(schedule, dice)
        elif kind == "partition" and means.partitions:
            partition(schedule, dice)
        elif kind == "jump" and means.wall_clocks:
            jump(schedule, dice)
    if dice.random() < 0.02:
        pile_up(schedule, dice)
    if dice.random() < 0.02:
        # A chunk is refused only where the spool cannot be read back.
        node = dice.choice(NODES)
        schedule.faults.setdefault(node, []).append(f"spool.file.read=fail:EIO,hit={dice.choice((2, 6))}")
    # Dice of their own, so that a seed's other steps are what they were before there were takes.
    movies(schedule, random.Random(f"movies {seed}"), points)
    schedule.steps.sort(key=lambda step: step.at)
    return schedule


def moment(dice):
    return round(dice.uniform(0, DURATION), 2)


def shots(schedule, dice):
    """Shots of all cameras or of one node, soon, ahead or past; some are asked for again."""
    for number in range(dice.randint(2, 5)):
        at = moment(dice)
        target = dice.choice(("all", "all", "all", "node1", "node2"))
        time = dice.choice(("soon", "soon", "soon", "+0.4", "+1.2", "-0.5"))
        schedule.steps.append(Step(at, "trigger", (number, target, time, dice.random() < 0.15)))
        if dice.random() < 0.2:
            again = dice.choice(("repeat", "repeat", "contradict"))
            schedule.steps.append(Step(round(at + dice.uniform(0.01, 2), 2), again, (number,)))


def asides(schedule, dice):
    """What clients do besides shots."""
    for kind in ("describe", "halt", "watch"):
        if dice.random() < 0.15:
            schedule.steps.append(Step(moment(dice), kind, tuple(dice.choice(list(NUMBERS)).split("/"))))


def movies(schedule, dice, points):
    """Takes of all cameras, a node's or one, with marks, stopped by somebody or at a limit; Live Photos that are encoded."""
    for number in range(dice.choice((0, 0, 0, 1, 1, 2))):
        take(schedule, dice, f"take {number}")
    if dice.random() < 0.2:
        live(schedule, dice)
    if any(step.kind in ("record", "live") for step in schedule.steps):
        if dice.random() < 0.5:
            point(schedule, dice, {daemon: [named for named in listed if named[0].startswith(OF_MOVIES)] for daemon, listed in points.items()})
        schedule.disk_size = ROOMY_KIBIBYTES
        # Movies are larger than pictures.
        schedule.rate = {"600 kB/s": "2 MB/s"}.get(schedule.rate, schedule.rate)


def take(schedule, dice, number):
    at, length = moment(dice), round(dice.uniform(1, 3), 2)
    limit = 1.0 if dice.random() < 0.1 else None
    schedule.steps.append(Step(at, "record", (number, dice.choice(("all", "all", *NODES, *NUMBERS)), limit)))
    for mark in range(dice.choice((0, 0, 1, 2))):
        schedule.steps.append(Step(round(at + dice.uniform(0, length), 2), "mark", (number, f"mark {mark}")))
    # What nobody stops goes on until all faults have ended.
    if dice.random() < 0.85:
        schedule.steps.append(Step(round(at + length, 2), "stop", (number,)))
    if dice.random() < 0.15:
        schedule.steps.append(Step(round(at + length + dice.uniform(-0.5, 1), 2), "stop", (number,)))
    if dice.random() < 0.15:
        then = round(at + dice.uniform(0.1, length + 1), 2)
        schedule.steps += [Step(then, "annotate", (number, "A title")), Step(round(then + 0.7, 2), "annotate", (number, ""))]


def live(schedule, dice):
    device = dice.choice([name for name in NUMBERS if name not in WITHOUT_CLIPS])
    codec, is_motion_photo = dice.choice((("h264", False), ("h264", True), ("mjpeg", True), ("mjpeg", False)))
    schedule.steps.append(Step(moment(dice), "live", ("live", device, codec, is_motion_photo)))


def rule(dice, name, abilities):
    ability = dice.choice(abilities)
    action = {"delay": f"delay:{dice.choice((30, 200, 700, 1500, 3000))}ms",
              "fail": f"fail:{dice.choice(ERRORS)}"}.get(ability, ability)
    hit = dice.choice((1, 1, 1, 2, 2, 3, 4, 6, 12, 25))
    text = f"{name}={action},hit={hit}"
    if ability in ("drop", "duplicate", "hold", "fail", "delay"):
        text += f",times={dice.choice((1, 1, 2, 4))}"
        if dice.random() < 0.3:
            text += f",probability={dice.choice((0.2, 0.5))},seed={dice.randrange(1000)}"
    return text


def point(schedule, dice, points):
    daemon = dice.choice((COORDINATOR, *NODES))
    name, abilities = dice.choice(points[daemon])
    schedule.faults.setdefault(daemon, []).append(rule(dice, name, abilities))


def freeze(schedule, dice):
    name, at = dice.choice((COORDINATOR, *NODES)), moment(dice)
    schedule.steps.append(Step(at, "freeze", (name,)))
    schedule.steps.append(Step(round(at + dice.choice((0.2, 1.0, 2.5, 4.0)), 2), "thaw", (name,)))


def network(schedule, dice):
    node, at = dice.choice(NODES), moment(dice)
    channels = dice.choice((CHANNELS, CHANNELS, (dice.choice(CHANNELS),)))
    kind = dice.choice(("cut", "break_off", "silence", "lag"))
    seconds = (dice.choice((0.02, 0.1, 0.4)),) if kind == "lag" else ()
    schedule.steps.append(Step(at, kind, (node, "+".join(channels), *seconds)))
    schedule.steps.append(Step(round(at + dice.choice((0.3, 1.0, 3.0)), 2), "restore", (node, "+".join(channels))))


def disk(schedule, dice):
    name, at = dice.choice(("library", *NODES)), moment(dice)
    schedule.disks = tuple(sorted({*schedule.disks, name}))
    schedule.steps.append(Step(at, "fill", (name,)))
    schedule.steps.append(Step(round(at + dice.choice((0.5, 1.5, 3.0)), 2), "drain", (name,)))


def corrupt(schedule, dice):
    at = round(dice.uniform(1, DURATION), 2)
    if dice.random() < 0.5:
        schedule.steps.append(Step(at, "corrupt_parts", ()))
    else:
        schedule.steps.append(Step(at, "corrupt_spool", (dice.choice(NODES), dice.random() < 0.5)))


def clone(schedule, dice):
    node, at = dice.choice(NODES), moment(dice)
    if any(step.kind == "clone" and step.arguments == (node,) for step in schedule.steps):
        return
    schedule.steps.append(Step(at, "clone", (node,)))
    schedule.steps.append(Step(round(at + dice.choice((1.0, 2.5)), 2), "unclone", (node,)))


def partition(schedule, dice):
    node, at = dice.choice(NODES), moment(dice)
    schedule.cables = tuple(sorted({*schedule.cables, node}))
    schedule.steps.append(Step(at, "partition", (node,)))
    schedule.steps.append(Step(round(at + dice.choice((0.3, 1.0, 3.0, 6.0)), 2), "reunite", (node,)))


def jump(schedule, dice):
    name = dice.choice((COORDINATOR, *NODES))
    schedule.wall_clocks = tuple(sorted({*schedule.wall_clocks, name}))
    for _ in range(dice.choice((1, 1, 2))):
        schedule.steps.append(Step(moment(dice), "jump", (name, dice.choice(JUMPS))))


def pile_up(schedule, dice):
    """More captures in a spool than a hello lists."""
    node = dice.choice(NODES)
    schedule.steps.append(Step(0.0, "cut", (node, "collect")))
    for number in range(PILE):
        schedule.steps.append(Step(round(0.1 * number, 2), "trigger", (f"pile {number}", node, "soon", False)))
    schedule.steps.append(Step(DURATION + 1, "kill", (node,)))
    schedule.steps.append(Step(DURATION + 1, "restore", (node, "collect")))


def camera(schedule, dice):
    fault = dice.choice(CAMERA_FAULTS)
    schedule.camera_faults[dice.choice(list(NUMBERS))] = fault.format(
        at=round(dice.uniform(2, 2 + DURATION), 1), length=dice.choice((0.3, 1.0, 2.5)))
