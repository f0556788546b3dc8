"""Why a section could not be measured, as a sentence."""

import pathlib
import subprocess
import traceback


def reason(problem):
    """What a person reads of an exception: the program or file, what it said, and for a defect of the benchmark the place."""
    if isinstance(problem, subprocess.CalledProcessError):
        return f"{_program(problem.cmd)} ended with {problem.returncode}{_said(problem.stderr)}."
    if isinstance(problem, subprocess.TimeoutExpired):
        return f"{_program(problem.cmd)} had not ended after {problem.timeout:g} s{_said(problem.stderr)}."
    if isinstance(problem, FileNotFoundError) and problem.filename:
        return f"{problem.filename} is not there; `make bench` builds and installs what the sections need."
    if isinstance(problem, (OSError, RuntimeError)):
        return f"{problem}."
    place = traceback.extract_tb(problem.__traceback__)[-1]
    return f"{type(problem).__name__}: {problem} ({pathlib.Path(place.filename).name}:{place.lineno})."


def _program(command):
    words = [command] if isinstance(command, (str, bytes)) else list(map(str, command))
    return pathlib.Path(words[0]).name


def _said(stderr):
    text = stderr.decode(errors="replace") if isinstance(stderr, bytes) else stderr or ""
    lines = text.strip().splitlines()
    return f": {lines[-1]}" if lines else ""
