"""The machine that figures are taken on."""

import os
import pathlib
import platform
import subprocess
import tempfile
import time

from .figures import digits, percentile


def load():
    """The load average of the last minute: how many processes want a core, those that were measured included."""
    return os.getloadavg()[0]


def ticks():
    """Clock ticks of all cores since the start: idle, and in all."""
    fields = [int(field) for field in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return fields[3] + fields[4], sum(fields)


def busy(seconds=1):
    """Percent of all cores that was used within some seconds, in which nothing of the benchmark runs."""
    idle, total = ticks()
    time.sleep(seconds)
    idle_then, total_then = ticks()
    return 100 * (1 - (idle_then - idle) / max(total_then - total, 1))


def await_quiet(limit, seconds):
    """Waits until less than the limit of the cores is used by others, or no longer than so many seconds.

    Returns percent of the cores in use at the end.
    """
    deadline = time.monotonic() + seconds
    while (used := busy()) > limit and time.monotonic() < deadline:
        pass
    return used


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def sync_cost(folder, count=60, size=120_000):
    """Nanoseconds that writing and fsync of a file of the size of a still take in a folder."""
    times = []
    with tempfile.TemporaryDirectory(dir=folder) as place:
        for number in range(count):
            start = time.monotonic_ns()
            with open(f"{place}/{number}", "wb") as file:
                file.write(os.urandom(1) * size)
                file.flush()
                os.fsync(file.fileno())
            times.append(time.monotonic_ns() - start)
    return times


def describe():
    """One sentence on processor and kernel."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    virtual = " of a virtual machine" if "hypervisor" in pathlib.Path("/proc/cpuinfo").read_text() else ""
    kernel = ".".join(platform.release().split(".")[:2])
    return f"{os.cpu_count()} cores{virtual}, {processor()}, {memory:.0f} GB, Linux {kernel}"


def describe_sync(folder):
    times = sync_cost(folder)
    median, tail = (digits(percentile(times, percent) / 1e6) for percent in (50, 95))
    return f"write and fsync of 120 kB: {median} ms, p95 {tail} ms"


def version():
    """The commit that the programs were built from."""
    try:
        described = subprocess.run(
            ["git", "-C", pathlib.Path(__file__).parent, "describe", "--always", "--dirty", "--exclude", "*"], check=True,
            capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "of a tree without git"
    return f"commit {described}"
