"""How many tests of a run passed, failed and were skipped, by what the run has printed."""

import dataclasses
import re

TOTAL = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
SWIFT_START = re.compile(r"\W*Test run started\.")
SWIFT_TOTAL = re.compile(r"\W*Test run with (\d+) tests? in ")
SWIFT_ENDING = re.compile(r" *(?:✔|✘|━) Test (?!run with )(?!case ).* (passed|failed) after ")
SWIFT_SKIPPED = re.compile(r" *➜ Test .* skipped")


@dataclasses.dataclass(frozen=True)
class Figures:
    """Numbers of tests."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Figures(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __bool__(self):
        """Whether there was any test."""
        return bool(self.passed or self.failed or self.skipped)

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def figures_of(lines):
    """The sum of all runs of a log: of their lines "N passed, N failed[, N skipped]", and of Swift Testing's runs."""
    figures = swift_figures(lines)
    for line in lines:
        if total := TOTAL.match(line):
            figures += Figures(*(int(number or 0) for number in total.groups()))
    return figures


def swift_figures(lines):
    """A run that has not come to its end counts what it has told, and one failure for its own end."""
    figures, run, is_running = Figures(), Figures(), False
    for line in lines:
        if SWIFT_START.match(line):
            figures, run, is_running = figures + cut_off(run, is_running), Figures(), True
        elif ending := SWIFT_ENDING.match(line):
            run += Figures(passed=1) if ending[1] == "passed" else Figures(failed=1)
        elif SWIFT_SKIPPED.match(line):
            run += Figures(skipped=1)
        elif total := SWIFT_TOTAL.match(line):
            passed = int(total[1]) - run.failed - run.skipped
            figures, run, is_running = figures + Figures(passed, run.failed, run.skipped), Figures(), False
    return figures + cut_off(run, is_running)


def cut_off(run, is_running):
    """The figures of a run that was followed by no total."""
    return run + Figures(failed=1) if is_running else Figures()
