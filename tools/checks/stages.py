"""The table of stages: which there are, and which of them run beside each other."""

import dataclasses
import itertools
import re

ALONE = "alone"
LANE = re.compile(r"(?P<step>\d+)(?P<lane>[a-z])$")


class TableError(Exception):
    """A line of the table that is wrong, or a stage that it does not have."""


@dataclasses.dataclass(frozen=True)
class Stage:
    """A make target and the seconds that it may take; `lane` is `alone`, or a step and a letter such as `2a`."""

    name: str
    lane: str
    budget: int
    target: str
    why: str = ""

    @property
    def step(self):
        """Stages of one step run beside each other."""
        return self.name if self.lane == ALONE else LANE.match(self.lane)["step"]


def read_table(text, name):
    """The stages of a table whose lines are `stage lane budget target [why]`; `#` begins a comment."""
    stages = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#", 1)[0].split(None, 4)
        if words:
            try:
                stages.append(stage_of(words, stages))
            except TableError as error:
                raise TableError(f"{name}:{number}: {error}") from None
    if not stages:
        raise TableError(f"{name} has no stage; write a line `stage lane budget target`")
    return stages


def stage_of(words, before):
    if len(words) < 4 or not words[2].isdecimal():
        raise TableError("this is not `stage lane budget target [why]`, with the budget in seconds")
    stage = Stage(words[0], words[1], int(words[2]), words[3], words[4].strip() if len(words) > 4 else "")
    if stage.lane != ALONE and not LANE.match(stage.lane):
        raise TableError(f"'{stage.lane}' is not a lane; write a step and a letter such as 2a, or `alone`")
    if stage.lane == ALONE and not stage.why:
        raise TableError(f"{stage.name} runs alone; write why at the end of the line")
    if any(other.name == stage.name for other in before):
        raise TableError(f"there are two stages {stage.name}; rename one")
    if before and stage.step != before[-1].step and any(other.step == stage.step for other in before):
        raise TableError(f"step {stage.step} began before another step; put its stages beside each other")
    return stage


def stages_of_targets(targets):
    """A stage for each target, one after another."""
    return [Stage(target, ALONE, 0, target, "one after another") for target in dict.fromkeys(targets)]


def steps(stages):
    """Steps in their order, each a list of lanes, each a list of stages that run one after another."""
    return [lanes(list(step)) for _, step in itertools.groupby(stages, key=lambda stage: stage.step)]


def lanes(step):
    by_lane = {}
    for stage in step:
        by_lane.setdefault(stage.lane, []).append(stage)
    return list(by_lane.values())


def chosen(stages, first=None, only=()):
    """The stages from `first` on, or those of `only`, in the order of the table."""
    names = [stage.name for stage in stages]
    for name in [first, *only]:
        if name and name not in names:
            raise TableError(f"there is no stage '{name}'; there are {', '.join(names)}")
    if only:
        return [stage for stage in stages if stage.name in only]
    return stages[names.index(first):] if first else stages


def seconds_at_most(stages):
    """How long stages take if each needs its budget."""
    return sum(max(sum(stage.budget for stage in lane) for lane in step) for step in steps(stages))
