"""Why a run failed, within a number of lines: all names, and the reasons of the first failures."""

from . import program_logs
from .python_failures import python_failures
from .stated_failures import last_words, stated_failures, without_general_lines
from .swift_failures import crash_after_tests, swift_failures

# With the total and what make says of a failed target behind it, the last 30 lines of the output have all of it.
LINES = 24
NAMES = 10
# A reason in fewer lines than this is none.
SHORTEST_BLOCK = 4


def failures_of(lines):
    """The failed tests of a log, or what it said last where it names none."""
    own, logs = program_logs.split(without_general_lines(lines))
    failures = [*swift_failures(own), *python_failures(own), *stated_failures(own)]
    for failure in failures:
        failure.logs += logs.get(failure.name, [])
    return failures or crash_after_tests(own) or [last_words(own)]


def explanation(failures, log="", limit=LINES):
    """At most `limit` lines.

    The first failure has as many lines as it needs and the names of the others leave; then the second, and so on.
    - log: Where the rest is.
    """
    shown = failures[:NAMES]
    rest = [f"… and {len(failures) - len(shown)} more"] if len(failures) > len(shown) else []
    ending = [f"{rest[0]}; see {log}" if rest else f"see {log}"] if log else rest
    room, lines = limit - len(ending) - len(shown), []
    for failure in shown:
        if room + 1 >= SHORTEST_BLOCK:
            block = failure.block(room + 1)
        else:
            block = [failure.line()]
        room -= len(block) - 1
        lines += [f"FAILED {block[0]}", *block[1:]]
    return lines + ending
