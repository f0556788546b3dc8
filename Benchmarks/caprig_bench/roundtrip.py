"""Round trips of the ZeroMQ library over TCP loopback, beside pyzmq's DEALER and ROUTER."""

import contextlib
import importlib.util
import pathlib
import subprocess
import sys

from .figures import spread, table

SIZES = {64: 2_000, 200_000: 400}
PYZMQ = [sys.executable, pathlib.Path(__file__).parent.parent / "pyzmq_roundtrip.py"]
HEADER = ["both ends", "bytes", "n", "min", "p50", "p95", "p99"]


@contextlib.contextmanager
def server(command):
    """The endpoint of a process that echoes."""
    process = subprocess.Popen([*command, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def ask(command, size, count, *options):
    with server(command) as endpoint:
        asked = subprocess.run(
            [*command, "ask", endpoint, str(size), str(count), *options], check=True, stdout=subprocess.PIPE,
            text=True, timeout=120,
        )
    return [int(line) for line in asked.stdout.split()]


def measure(context):
    contenders = {
        "Caprig, actor on the socket's thread": ([context.roundtrip], ["actor"]),
        "Caprig, ordinary task": ([context.roundtrip], ["task"]),
    }
    if importlib.util.find_spec("zmq"):
        contenders["pyzmq"] = (PYZMQ, [])
    series = {}
    for number in range(context.rounds):
        context.say(f"roundtrip: round {number + 1} of {context.rounds}")
        context.settle()
        for size, count in SIZES.items():
            for name, (command, options) in contenders.items():
                series.setdefault((size, name), []).extend(ask(command, size, count, *options))
    rows = [
        [name, size, len(values), *spread(values, (50, 95, 99), scale=1e-3)] for (size, name), values in series.items()
    ]
    return table(HEADER, rows) + "\n\nMicroseconds."
