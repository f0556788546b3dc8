"""The table at the end, the reasons of failures, and the total."""

import datetime

from .explanation import explanation, failures_of
from .figures import Figures
from .result import FAILED, INTERRUPTED, NOT_RUN, RAN_NOTHING, STALE

HEADINGS = ("stage", "passed", "failed", "skipped", "seconds", "budget", "outcome")


def table(stages, results, run_now):
    """A line for each stage.

    - results: By name.
    - run_now: Names of stages that this run has run; of the others it says when they ran.
    """
    rows = [HEADINGS, *(row(stage, results[stage.name], stage.name in run_now) for stage in stages)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return ["  ".join(cell.rjust(width) if 0 < column < 6 else cell.ljust(width)
                      for column, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows]


def row(stage, result, is_of_this_run):
    figures = result.figures
    numbers = [figures.passed, figures.failed, figures.skipped, f"{result.seconds:.0f}"]
    if result.outcome == NOT_RUN:
        numbers = [""] * 4
    return [stage.name, *map(str, numbers), str(stage.budget or ""), outcome(stage, result, is_of_this_run)]


def outcome(stage, result, is_of_this_run):
    words = [result.outcome]
    if not is_of_this_run and result.began:
        when = datetime.datetime.fromtimestamp(result.began).strftime("%Y-%m-%d %H:%M")
        words.append(f"at {when}" + (", before the programs were built" if result.outcome == STALE else ""))
    if 0 < stage.budget < result.seconds:
        words.append("(over its budget)")
    return " ".join(words)


def reasons(stages, results, log):
    """Why stages failed, in few lines.

    - log: The path of a stage's log.
    """
    failed = [stage.name for stage in stages if results[stage.name].outcome in (FAILED, RAN_NOTHING)]
    if not failed:
        return []
    failures = []
    for name in failed:
        for failure in failures_of_stage(results[name], log(name)):
            failure.name = f"{name}: {failure.name}"
            failures.append(failure)
    return explanation(failures, " ".join(str(log(name)) for name in failed[:3]) + (" …" if len(failed) > 3 else ""))


def failures_of_stage(result, log):
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    failures = failures_of(lines)
    if result.outcome == RAN_NOTHING:
        for failure in failures:
            failure.reasons = ["It ran no test. Its last lines:"]
    return failures


def total(stages, results):
    """The sum of what counts: the kept result of programs that were built again does not."""
    return sum((results[stage.name].figures for stage in stages if counts(results[stage.name])), Figures())


def counts(result):
    return result.outcome not in (STALE, NOT_RUN, INTERRUPTED)


def missing(stages, results):
    """A line with the stages that have no result that counts, if there are some."""
    kinds = {kind: [stage.name for stage in stages if results[stage.name].outcome == kind] for kind in (STALE, NOT_RUN, INTERRUPTED)}
    words = [f"{kind.lower()}: {' '.join(names)}" for kind, names in kinds.items() if names]
    return ["; ".join(words)] if words else []
