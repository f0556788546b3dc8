"""What is asked of cameras and what happens meanwhile, drawn from a seed: the same seed gives the same schedule."""

import dataclasses
import random

from proxy import CHANNELS
from rig import COORDINATOR, NODES, NUMBERS
from schedule import Step

DURATION = 2.0  # seconds in which everything begins
KINDS = ("kill", "kill", "freeze", "freeze", "network", "kill_client", "pair", "pair", "disk", "disk")
PHOTOS = ("plain", "plain", "plain", "past", "past", "ahead", "live", "flash", "bracket")
# Values of which no two are equal once they are rounded, so that a value tells whose it is.
EXPOSURES = [20 + 10 * number for number in range(10)]  # in 100 µs; even, so that none is in the middle of two steps
GAINS = [-12, -9, -6, -3, 0, 3, 6]
TEMPERATURES = [3000, 4000, 5000, 6000, 7000]


@dataclasses.dataclass
class SettingsSchedule:
    seed: int
    steps: list = dataclasses.field(default_factory=list)

    def __str__(self):
        return "\n".join([f"seed {self.seed}", *(f"  {step}" for step in self.steps)])


def draw(seed):
    dice = random.Random(f"settings {seed}")
    schedule = SettingsSchedule(seed)
    exposures = dice.sample(EXPOSURES, len(EXPOSURES))
    for number in range(dice.choice((1, 2, 2, 3))):
        transaction(schedule, dice, number, exposures.pop() + dice.choice((0, 0, 2)))
    for number in range(dice.choice((1, 1, 2, 3))):
        target = dice.choice(("all", "all", *NODES, *NUMBERS))
        kind = dice.choice(PHOTOS)
        schedule.steps.append(Step(moment(dice), "photo", (f"photo {number}", target, kind)))
    if dice.random() < 0.15:
        at, target = moment(dice), dice.choice(("all", *NUMBERS))
        schedule.steps += [Step(at, "record", ("take", target, None)), Step(round(at + dice.uniform(0.8, 1.6), 2), "stop", ("take",))]
    for _ in range(dice.choice((0, 1, 1, 1, 2))):
        fault(schedule, dice)
    schedule.steps.sort(key=lambda step: step.at)
    return schedule


def moment(dice):
    return round(dice.uniform(0, DURATION), 2)


def transaction(schedule, dice, number, exposure):
    kind = dice.choice(("exposure", "exposure", "exposure", "both", "gain", "balance", "mode", "tag", "wrong", "contradiction", "physical"))
    gain, temperature = dice.choice(GAINS), dice.choice(TEMPERATURES)
    words, entries = {
        "exposure": ([f"exposure={exposure / 10}ms"], {"exposure_time_absolute": exposure}),
        "both": ([f"exposure=raw:{exposure}", f"gain=raw:{gain}"], {"exposure_time_absolute": exposure, "gain": gain}),
        "gain": ([f"gain=raw:{gain}"], {"gain": gain}),
        # Switches the automatic mode off first.
        "balance": ([f"wb={temperature}K", f"exposure=raw:{exposure}"], {
            "white_balance_temperature": temperature, "white_balance_automatic": 0, "exposure_time_absolute": exposure}),
        "mode": (["exposureMode=auto", "wb=raw:4600"], {"auto_exposure": 0, "white_balance_temperature": 4600}),
        "tag": ([f"driver.integer_64_bits={schedule.seed * 100 + number}", "lensPosition=20%"], {
            "integer_64_bits": schedule.seed * 100 + number, "focus_automatic_continuous": 0}),
        "wrong": (["exposure=raw:200000", f"gain=raw:{gain}"], {"exposure_time_absolute": 200_000, "gain": gain}),
        "contradiction": (["exposureMode=auto", f"exposure=raw:{exposure}"], {"exposure_time_absolute": exposure}),
        # dB are known of the model without delays only.
        "physical": ([f"gain={gain}dB", f"exposure=raw:{exposure}"], {"gain": gain, "exposure_time_absolute": exposure}),
    }[kind]
    # A value switches its automatic mode off.
    if "exposure_time_absolute" in entries and kind not in ("wrong", "contradiction"):
        entries["auto_exposure"] = 1
    target = dice.choice(("all", "all", "all", "node1", "node2", "node2/cam1"))
    at = dice.choice((None, None, "+300ms", "+700ms"))
    start = moment(dice)
    schedule.steps.append(Step(start, "setting", (number, target, tuple(words), tuple(entries.items()), dice.random() < 0.3, at)))
    if dice.random() < 0.3:
        schedule.steps.append(Step(round(start + dice.uniform(0.01, 1.2), 2), "again", (number,)))


def pair(schedule, dice, at):
    """The coordinator and an agent end at about the same time."""
    schedule.steps += [Step(at, "kill", (COORDINATOR,)), Step(round(at + dice.choice((0, 0, 0.1)), 2), "kill", (dice.choice(NODES),))]


def fault(schedule, dice):
    kind, at = dice.choice(KINDS), moment(dice)
    name = dice.choice((COORDINATOR, *NODES))
    if kind == "pair":
        pair(schedule, dice, at)
    elif kind == "disk":
        # The coordinator's state, from about when a transaction is told to set; in half of the cases the disk has room again only when the
        # coordinator and an agent have begun another life.
        at = round(dice.choice([step.at for step in schedule.steps if step.kind == "setting"]) + dice.uniform(0, 0.9), 2)
        end = round(at + dice.choice((0.3, 1.5, 4.0)), 2)
        schedule.steps += [Step(at, "fill", ("state",)), Step(end, "drain", ("state",))]
        if dice.random() < 0.5:
            pair(schedule, dice, round(dice.uniform(at, end), 2))
    elif kind == "kill":
        schedule.steps.append(Step(at, "kill", (name,)))
    elif kind == "freeze":
        schedule.steps.append(Step(at, "freeze", (name,)))
        schedule.steps.append(Step(round(at + dice.choice((0.2, 0.7, 1.5)), 2), "thaw", (name,)))
    elif kind == "network":
        node = dice.choice(NODES)
        channels = "+".join(dice.choice((CHANNELS, (dice.choice(CHANNELS),))))
        schedule.steps.append(Step(at, dice.choice(("cut", "break_off", "silence")), (node, channels)))
        schedule.steps.append(Step(round(at + dice.choice((0.3, 1.0)), 2), "restore", (node, channels)))
    else:
        number = dice.choice([step.arguments[0] for step in schedule.steps if step.kind == "setting"])
        start = next(step.at for step in schedule.steps if step.kind == "setting" and step.arguments[0] == number)
        schedule.steps.append(Step(round(start + dice.uniform(0.02, 0.5), 2), "kill_client", (number,)))
