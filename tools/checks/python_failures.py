"""Failed tests of Python's unittest, and programs in Python that ended with an exception, by what they have printed."""

import re

from .failure import Failure, merged

BAR, RULE = re.compile(r"={60,}$"), re.compile(r"-{60,}$")
HEADER = re.compile(r"(?:FAIL|ERROR): (?P<test>\S.*)$")
NAME = re.compile(r"(?P<method>\S+)(?: \((?P<id>[^)]*)\))?(?P<part>.*)", re.DOTALL)
TRACEBACK = "Traceback (most recent call last):"
FRAME = re.compile(r'  File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>\S+)')
MOST_LINES_OF_A_MESSAGE = 8


def python_failures(lines):
    """One for each failed test, and for each exception outside of tests."""
    found, rest = [], []
    blocks = iter(enumerate(lines))
    for number, line in blocks:
        header = HEADER.match(lines[number + 1]) if BAR.match(line) and number + 1 < len(lines) else None
        if not header:
            rest.append(line)
            continue
        block = block_after(lines, number + 2)
        found.append(failure_of(header, block))
        for _ in range(1 + len(block)):
            next(blocks, None)
    return merged([*found, *exceptions(rest)])


def block_after(lines, start):
    """The lines of a failed test up to the next one, or to the rule after the last one."""
    block = []
    for line in lines[start:]:
        if BAR.match(line) or RULE.match(line) and TRACEBACK in block:
            break
        block.append(line)
    return block


def failure_of(header, block):
    return Failure(name_of(header["test"]), *told_by(block, NAME.match(header["test"])["method"]))


def name_of(test):
    """`Class.test_method` and what a part of it says of itself, for what unittest prints of a test."""
    name = NAME.match(test)
    parts = [part for part in (name["id"] or "").split(".") if part not in ("", "__main__")]
    return ".".join(parts if name["method"] in parts else [*parts, name["method"]]) + name["part"]


def told_by(block, method):
    """The place and the reasons: the exception and the test's own line."""
    frames = [(number, frame) for number, line in enumerate(block) if (frame := FRAME.match(line))]
    if not frames:
        return "", ["\n".join(line for line in block if line.strip() and not RULE.match(line))]
    # Of an exception that was raised while another was handled, the last one.
    beginning = max(number for number, line in enumerate(block) if line == TRACEBACK)
    frames = [entry for entry in frames if entry[0] > beginning] or frames
    number, frame = next((entry for entry in frames if entry[1]["function"] == method), frames[-1])
    place = f"{frame['file'].rsplit('/', 1)[-1]}:{frame['line']}"
    message = message_after(block, frames[-1][0])
    source = block[number + 1].strip() if number + 1 < len(block) else ""
    return place, ["\n".join([*message, f"in: {source}" if source else ""]).strip()]


def message_after(block, frame):
    """The exception, which begins with the first line that is not indented, without empty lines and the end of a long one."""
    start = next((number for number in range(frame + 1, len(block)) if block[number][:1].strip()), len(block))
    lines = [line for line in block[start:] if line.strip()]
    return lines if len(lines) <= MOST_LINES_OF_A_MESSAGE else [*lines[:MOST_LINES_OF_A_MESSAGE], "…"]


def exceptions(lines):
    """Exceptions that ended a program, with what it has said behind them."""
    for number, line in enumerate(lines):
        if line == TRACEBACK:
            following = lines[number:]
            end = next((n for n, text in enumerate(following[1:], 1) if text[:1].strip()), len(following) - 1)
            place, reasons = told_by(following[:end + 1], "main")
            rest = following[end + 1:]
            yield Failure(f"exception in {place.split(':')[0] or 'a program'}", place, reasons, [("the program", rest)])
