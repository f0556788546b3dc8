"""Processes that are started for stages, and how they are ended with all that they have started."""

import ctypes
import os
import pathlib
import signal
import subprocess
import time

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans():
    """Makes this process the parent of what its children leave behind, so that it finds and ends them."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Run:
    """A command in a session of its own, whose output goes to a file."""

    def __init__(self, stage, command, log, environment):
        self.stage, self.log, self.began, self.start = stage, log, time.time(), time.monotonic()
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment, start_new_session=True)

    def signal(self, number):
        """To all processes of the session's first group."""
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def ended(self, status, usage):
        """Takes what `wait4` has said; the exit status as shells give it, the seconds, and the processors that were busy."""
        self.process.returncode = code = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - self.start
        return 128 - code if code < 0 else code, seconds, (usage.ru_utime + usage.ru_stime) / max(seconds, 0.001)


def descendants():
    """The processes below this one."""
    parents = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name in parentheses may contain anything.
            parents[int(stat.parent.name)] = int(stat.read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue  # It has ended.
    found, added = set(), {os.getpid()}
    while added:
        added = {process for process, parent in parents.items() if parent in added} - found
        found |= added
    return found


def kill_descendants():
    """Kills everything below this process; what it has started meanwhile too."""
    killed = set()
    while left := descendants() - killed:
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        killed |= left


def reap_all():
    """Waits until there is no process below this one."""
    try:
        while True:
            os.wait4(-1, 0)
    except ChildProcessError:
        pass
