"""Failures that benches and scripts state in lines `FAIL what: reason`, and what compilers reject."""

import re

from .failure import Failure, merged

FAIL = re.compile(r"FAIL:? (?P<what>.+)$")
COMPILER = re.compile(r"(?P<place>[^\s:]+:\d+:\d+): (?:fatal )?error: (?P<what>.*)$")
# Lines about the run as a whole, which repeat in general what its tests have said.
GENERAL = re.compile(r"FAIL .* processors busy(; over its budget)?\)$|make(\[\d+\])?: \*\*\* \[|==   |ok   ")
LAST_LINES = 12


def stated_failures(lines):
    return merged([*fails(lines), *rejections(lines)])


def fails(lines):
    """The lines behind that are indented are the reason, of a long one the log."""
    for number, line in enumerate(lines):
        fail = FAIL.match(line)
        if not fail or number and lines[number - 1].startswith("=" * 60):
            continue
        details = indented_after(lines, number)
        yield Failure(fail["what"], "", [], [("the test", details)] if details else [])


def indented_after(lines, number):
    details = []
    for line in lines[number + 1:]:
        if not line.startswith("  "):
            break
        details.append(line.strip())
    return details


def rejections(lines):
    """Each error of a compiler once."""
    for line in dict.fromkeys(lines):
        if error := COMPILER.match(line):
            yield Failure(f"compiling {error['place'].rsplit('/', 1)[-1]}", "", [error["what"]])


def last_words(lines):
    """What a run said at its end that has told no reason."""
    last = [line for line in lines if line.strip()][-LAST_LINES:]
    return Failure("no test", "", ["It told no reason. Its last lines:"], [("the run", last)])


def without_general_lines(lines):
    return [line for line in lines if not GENERAL.match(line)]
