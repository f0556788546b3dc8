"""Logs of programs within the output of the tests that started them.

Tests print them where they fail, in this form:

    ⎙ Log of capcoordd in "Keeps the frame nearest to T":
      2026-01-01T00:00:00+0000 warning capcoordd: a line of the log
"""

import re

HEADER = re.compile(r"⎙ Log of (?P<program>.+?) in (?P<test>.+):$")
MOST_LINES = 200


def printed(program, test, lines):
    """The form above."""
    return "\n".join([f"⎙ Log of {program} in {test}:", *(f"  {line}" for line in lines[-MOST_LINES:])])


def split(lines):
    """The other lines, and for each test a list of (program, lines)."""
    others, logs, log = [], {}, None
    for line in lines:
        if header := HEADER.match(line):
            log = []
            logs.setdefault(header["test"], []).append((header["program"], log))
        elif log is not None and line.startswith("  "):
            log.append(line[2:])
        else:
            log = None
            others.append(line)
    return others, logs
