"""Runs a file's tests against one rig, and says how they went in the words of the other stages."""

import functools
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

from checks import program_logs  # noqa: E402
from checks.explanation import explanation, failures_of  # noqa: E402
from checks.python_failures import name_of  # noqa: E402


def run_tests(rig, names):
    """Ends the rig, each program of which has to end with 0. Returns the status to exit with.

    What a failed test expected, and what the rig's programs logged during it, is in the last lines of the output.
    """
    output = Output(sys.stdout)
    suite = unittest.defaultTestLoader.loadTestsFromNames(names or ["__main__"])
    logs = {name: open(log, errors="replace") for name, log in rig.logs().items()}
    try:
        result = unittest.TextTestRunner(stream=output, verbosity=2, resultclass=functools.partial(RigResult, rig)).run(suite)
    finally:
        statuses = rig.stop()
    unclean = {name: status for name, status in statuses.items() if status != 0}
    for name, status in unclean.items():
        problem = f"{name} ended with status {status}"
        log = logs[name].read().splitlines() if name in logs else []
        output.write(f"FAIL {problem}\n{program_logs.printed(name, problem, log)}\n")
    for log in logs.values():
        log.close()
    # A test counts once, however many parts of it fail.
    broken = len({getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors})
    failed = broken + len(unclean)
    skipped = len(result.skipped)
    if failed:
        print(*explanation(failures_of(output.lines())), sep="\n")
    print(f"{result.passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not result.testsRun else 0


class NoRig:
    """For tests that share no rig."""

    def logs(self):
        return {}

    def stop(self):
        return {}


class Output:
    """A stream that remembers what was written to it."""

    def __init__(self, stream):
        self.stream, self.written = stream, []

    def write(self, text):
        self.written.append(text)
        return self.stream.write(text)

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def lines(self):
        return "".join(self.written).splitlines()


class RigResult(unittest.TextTestResult):
    """Prints what the programs of a rig have logged during a test that failed."""

    def __init__(self, rig, stream, descriptions, verbosity):
        super().__init__(stream, descriptions, verbosity)
        self.rig, self.beginnings, self.passed = rig, {}, 0

    def startTest(self, test):
        self.beginnings = {log: os.path.getsize(log) for log in self.rig.logs().values() if os.path.exists(log)}
        super().startTest(test)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.tell_logs(test)

    def addError(self, test, error):
        super().addError(test, error)
        self.tell_logs(test)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error:
            self.tell_logs(subtest)

    def tell_logs(self, test):
        for program, log in self.rig.logs().items():
            lines = self.lines_since_beginning(log)
            if lines:
                self.stream.writeln(program_logs.printed(program, name_of(str(test)), lines))

    def lines_since_beginning(self, log):
        try:
            with open(log, "rb") as file:
                beginning = self.beginnings.get(log, 0)
                # The log of a program that was started again is a new one.
                file.seek(beginning if beginning <= os.path.getsize(log) else 0)
                return file.read().decode(errors="replace").splitlines()
        except OSError:
            return []
