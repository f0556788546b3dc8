"""Processor time and memory of running processes."""

import contextlib
import pathlib
import re
import time


def processor_time(pid):
    """Nanoseconds in user and kernel mode, of all threads, those that have ended too."""
    # The number that clock_getcpuclockid(3) gives: exact, where /proc/PID/stat counts hundredths of a second.
    return time.clock_gettime_ns((~pid << 3) | 2)


class Meter:
    """Processor time of groups of processes, from its making on."""

    def __init__(self, groups):
        self.groups, self.start = groups, time.monotonic_ns()
        self.used = {pid: processor_time(pid) for pids in groups.values() for pid in pids}

    def shares(self):
        """Percent of a core of each group; a process that has ended meanwhile counts for nothing."""
        spent, elapsed = {}, time.monotonic_ns() - self.start
        for group, pids in self.groups.items():
            spent[group] = 0
            for pid in pids:
                with contextlib.suppress(OSError):
                    spent[group] += processor_time(pid) - self.used[pid]
        return {group: 100 * used / elapsed for group, used in spent.items()}


def family(pid):
    """A process and all that descend from it."""
    found = [pid]
    for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        # A thread may end between being listed and being read.
        with contextlib.suppress(OSError):
            found += [each for child in children.read_text().split() for each in family(int(child))]
    return found


def name(pid):
    """The first 15 bytes of the program's name; nothing of a process that has ended."""
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def resident(pid):
    """Bytes of memory that the process sees, what it shares with others included."""
    return _bytes(pid, "status", "VmRSS")


def proportional(pid):
    """Bytes of memory, those shared with other processes divided by their number."""
    return _bytes(pid, "smaps_rollup", "Pss")


def _bytes(pid, file, field):
    return int(re.search(rf"^{field}:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/{file}").read_text(), re.M)[1]) * 1024
