"""A failed test and its reasons."""

import dataclasses
import re
import textwrap

# What a reader of a daemon's log looks for first.
NOTABLE = re.compile(r"\b(warning|error|critical|crashed|Error|Exception|FAIL)\b|Fatal error|Traceback")
COLUMNS = 150
LINES_OF_A_LOG = 10
LENGTH_OF_A_REASON = 600


@dataclasses.dataclass
class Failure:
    """A test, where it failed, what was expected, and the logs of the programs that it started."""

    name: str
    place: str = ""
    reasons: list = dataclasses.field(default_factory=list)  # each of one or more lines
    logs: list = dataclasses.field(default_factory=list)  # (program, lines)

    def title(self):
        return f"{self.name} ({self.place})" if self.place else self.name

    def line(self):
        """The name and the beginning of the first reason in one line."""
        reason = " ".join(self.reasons[0].split()) if self.reasons else ""
        return clipped(f"{self.title()}: {reason}" if reason else self.title(), COLUMNS)

    def block(self, limit):
        """At most so many lines: the title, the reasons, then of each log what is notable, as far as there is room."""
        lines = [clipped(self.title(), COLUMNS)]
        for reason in self.reasons:
            lines += [f"  {line}" for line in wrapped(reason)]
        if len(lines) > limit:
            return [*lines[:limit - 1], "  …"] if limit > 1 else lines[:1]
        logs = [log for log in self.logs if log[1]]
        for number, (program, log) in enumerate(logs):
            room = (limit - len(lines)) // (len(logs) - number) - 1
            if room > 0:
                lines.append(f"  log of {program}:")
                lines += [f"  | {clipped(line, COLUMNS)}" for line in notable(log, min(room, LINES_OF_A_LOG))]
        return lines


def notable(lines, count):
    """So many lines of a log in their order: the last ones with warnings or errors, filled up with the last others."""
    numbered = [(number, line) for number, line in enumerate(lines) if line.strip()]
    first = [entry for entry in numbered if NOTABLE.search(entry[1])][-count:]
    others = [entry for entry in numbered if entry not in first]
    chosen = first + others[len(others) - min(len(others), count - len(first)):]
    return [line for _, line in sorted(chosen)]


def wrapped(reason):
    """A reason in lines that fit; of a long one the beginning and the end."""
    if len(reason) > LENGTH_OF_A_REASON:
        half = LENGTH_OF_A_REASON // 2
        reason = f"{reason[:half]} […] {reason[-half:]}"
    return [part for line in reason.splitlines() for part in textwrap.wrap(line, COLUMNS, drop_whitespace=False) or [""]]


def clipped(text, columns):
    return text if len(text) <= columns else text[:columns - 1] + "…"


def merged(failures):
    """One failure for each name, with the reasons and logs of all that have it."""
    by_name = {}
    for failure in failures:
        if known := by_name.get(failure.name):
            at = f"at {failure.place}: " if failure.place != known.place else ""
            known.reasons += [at + reason for reason in failure.reasons if at + reason not in known.reasons]
            known.logs += failure.logs
        else:
            by_name[failure.name] = failure
    return list(by_name.values())
