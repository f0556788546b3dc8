"""Failed tests of Swift Testing, by its output on the console."""

import re

from .failure import Failure, merged

ISSUE = re.compile(
    r" *✘ (?:Test|Suite) (?P<test>.+?) recorded an issue"
    r"(?: with (?P<arguments>\d+ arguments? .*?))?(?: at (?P<place>[^\s:]+:\d+:\d+))?: (?P<what>.*)$")
STARTED = re.compile(r" *◇ Test (?!run started)(?!case )(?P<test>.+) started\.$")
ENDED = re.compile(r" *(?:✔|✘|━|➜) Test (?!run with )(?P<test>.+?)(?: with \d+ test cases?)? (?:passed|failed|skipped)")
RUN_STARTED = re.compile(r"\W*Test run started\.")
RUN_ENDED = re.compile(r"\W*Test run with \d+ tests? in ")
SYMBOL = re.compile(r" *[◇✔✘➜━⎙⚠]")
CRASH = re.compile(r"(.*Fatal error: .*|\*\*\* Program crashed: .*)")
FRAME = re.compile(r" +\d+ (?!.*swift-generated-sources).* at (?P<place>/\S+\.swift:\d+:\d+)$")
# Lines that follow an issue: its comments, or a text of several lines.
MOST_FURTHER_LINES = 12


def swift_failures(lines):
    """One for each failed test, and one for the tests that ran when a run did not come to its end."""
    return merged([*issues(lines), *crashes(lines)])


def issues(lines):
    for number, line in enumerate(lines):
        if issue := ISSUE.match(line):
            of = f"with {issue['arguments']}: " if issue["arguments"] else ""
            reason = "\n".join([of + issue["what"], *further_lines(lines, number)])
            yield Failure(issue["test"], issue["place"] or "", [reason])


def further_lines(lines, number):
    """What belongs to the issue in this line; comments are marked with ↳, differences with ±."""
    for line in lines[number + 1:number + 1 + MOST_FURTHER_LINES]:
        if SYMBOL.match(line):
            return
        yield line


def crashes(lines):
    """The tests that ran where a run has no end."""
    running, said, frame, is_running = [], [], "", False
    for line in lines:
        if RUN_STARTED.match(line):
            if is_running:
                yield crash(running, said, frame)
            running, said, frame, is_running = [], [], "", True
        elif RUN_ENDED.match(line):
            is_running = False
        elif started := STARTED.match(line):
            running.append(started["test"])
        elif ended := ENDED.match(line):
            running = [test for test in running if test != ended["test"]]
        elif crashed := CRASH.match(line):
            said.append(crashed[1].strip("* "))
        elif said and not frame and (found := FRAME.match(line)):
            frame = found["place"].rsplit("/", 1)[1]
    if is_running:
        yield crash(running, said, frame)


def crash_after_tests(lines):
    """The crash of a program whose tests all have passed; none if there was none."""
    said = [crashed[1].strip("* ") for line in lines if (crashed := CRASH.match(line))]
    return [Failure("the run of the tests", "", ["\n".join(["The program crashed after its tests.", *said])])] if said else []


def crash(running, said, frame):
    name = " and ".join(running) or "the run of the tests"
    return Failure(name, frame, ["\n".join(["The run ended while this test was running.", *said])])
