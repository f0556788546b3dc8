"""How a stage has ended, and the folder in which that is kept."""

import dataclasses
import json
import os

from .figures import Figures

PASSED, FAILED, RAN_NOTHING, SKIPPED = "passed", "FAILED", "RAN NOTHING", "skipped"
INTERRUPTED, STALE, NOT_RUN = "INTERRUPTED", "STALE", "NOT RUN"


@dataclasses.dataclass(frozen=True)
class Result:
    """The end of a stage; times are seconds since 1970."""

    stage: str
    outcome: str
    figures: Figures = Figures()
    seconds: float = 0
    processors: float = 0  # how many were busy on average
    status: int = 0  # as shells give it: 128 and the signal where one ended it
    began: float = 0

    @property
    def is_good(self):
        return self.outcome in (PASSED, SKIPPED)


def judged(stage, status, figures, **measured):
    """The result of a stage that has run to its end.

    One that ends badly without saying which test failed, or well without having run one, is one failure itself.
    """
    outcome = PASSED if figures.passed else SKIPPED
    if not figures:
        outcome = FAILED if status else RAN_NOTHING
    elif status or figures.failed:
        outcome = FAILED
    if outcome in (FAILED, RAN_NOTHING) and not figures.failed:
        figures += Figures(failed=1)
    return Result(stage, outcome, figures, status=status, **measured)


class Results:
    """A folder with the last result of each stage.

    - programs: The folder of the programs that are tested. What was built after the end of a stage makes its result stale; what the stage
      itself has built does not.
    """

    def __init__(self, folder, programs=None):
        self.folder, self.programs = folder, programs

    def keep(self, result):
        self.folder.mkdir(parents=True, exist_ok=True)
        beside = self.path(result.stage).with_suffix(".part")
        beside.write_text(json.dumps(dataclasses.asdict(result)))
        beside.replace(self.path(result.stage))

    def forget(self, stage):
        self.path(stage).unlink(missing_ok=True)

    def last(self, stage):
        """The kept result; stale where programs were built later, and `NOT RUN` where there is none."""
        try:
            fields = json.loads(self.path(stage).read_text())
            result = Result(**{**fields, "figures": Figures(**fields["figures"])})
        except (OSError, ValueError, TypeError, KeyError):
            return Result(stage, NOT_RUN)
        if result.is_good and self.built() > result.began + result.seconds:
            return dataclasses.replace(result, outcome=STALE)
        return result

    def path(self, stage):
        return self.folder / f"{stage}.json"

    def built(self):
        """When the newest of the programs was built."""
        if not self.programs or not self.programs.is_dir():
            return 0
        return max((file.stat().st_mtime for file in self.programs.iterdir() if file.is_file() and os.access(file, os.X_OK)), default=0)
