"""How far the nodes' estimate of rig time is off over cables that delay, with clocks that gain or lose; Lab Streaming Layer beside it.

The coordinator and the nodes are on two machines, which are network namespaces with a cable of Benchmarks/Clock between them. Both have one
kernel, so the truth is known: it is the kernel's clock, and what the nodes' clocks are made to gain.
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import secrets
import subprocess
import sys
import time

from . import daemons, lsl_peer
from .figures import digits, percentile, table
from .places import scratch

RATES = (100_000, -100_000, 40_000, -7_000)  # of the nodes' clocks, parts in a billion
SECOND = 1_000_000_000
WARM = 12  # seconds from the last node's start until shots count
SHOTS, PACE = 50, 0.4  # and seconds from shot to shot
RECORDED = 90  # seconds of the takes that are collected beside shots: enough for collecting to outlast the shots
NEAR, FAR = "10.77.0.1", "10.77.0.2"
HERE = "one host"
LAN = "delay=100000,jitter=200000"
HEADER = ["one way", "n", "error µs: p50", "p99", "max", "bound µs: p50", "max", "errors beyond bound", "LSL, µs: n", "p50", "p99", "max"]


@dataclasses.dataclass(frozen=True)
class Course:
    """A cable, by the laws of the ways to the nodes and back, and what happens on it."""

    name: str
    out: str | None = None  # None: no cable
    back: str | None = None
    is_collecting: bool = False
    is_saturated: bool = False
    has_peer: bool = True


COURSES = (
    Course(HERE),
    Course("0.2 ± 0.1 ms", LAN, LAN),
    Course("the same, 100 Mbit/s, takes being collected at 85 Mbit/s", f"{LAN},rate=100000000", f"{LAN},rate=100000000", is_collecting=True,
           has_peer=False),
    Course("2 ± 1 ms", "delay=1000000,jitter=2000000", "delay=1000000,jitter=2000000"),
    Course("0.5 ms there, 1.5 ms back", "delay=500000", "delay=1500000"),
    Course("0.2 ± 0.1 ms, 100 Mbit/s, filled by others", f"{LAN},rate=100000000", f"{LAN},rate=100000000", is_saturated=True, has_peer=False),
)


def problem():
    """Why there can be no such cables; None where there can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    return None if pathlib.Path("/dev/net/tun").exists() else "there is no /dev/net/tun"


class Machine:
    """A network namespace, until `remove`."""

    def __init__(self):
        self.name = f"cb{secrets.token_hex(4)}"
        subprocess.run(["ip", "netns", "add", self.name], check=True, capture_output=True)
        self.path = f"/run/netns/{self.name}"
        self.inside = ("nsenter", f"--net={self.path}", "--")

    def remove(self):
        subprocess.run(["ip", "netns", "delete", self.name], check=False, capture_output=True)


@contextlib.contextmanager
def cable(tools, near, far, course):
    process = subprocess.Popen(
        [tools / "link", near.path, f"{NEAR}/24", course.out, far.path, f"{FAR}/24", course.back],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        if process.stdout.readline() != b"ready\n":
            raise RuntimeError("the cable was not laid")
        yield
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


@contextlib.contextmanager
def machines(tools, course):
    """With what programs are started on the two machines, and at which address the near one listens."""
    if course.out is None:
        yield (), (), "127.0.0.1"
        return
    with contextlib.ExitStack() as stack:
        pair = []
        for _ in range(2):
            pair.append(Machine())
            stack.callback(pair[-1].remove)
        stack.enter_context(cable(tools, *pair, course))
        yield pair[0].inside, pair[1].inside, NEAR


class Clock:
    """Another clock for a program, and the truth of it."""

    def __init__(self, tools, place, rate):
        self.place, self.rate = place, rate
        self.command = ("env", f"LD_PRELOAD={tools / 'shim.so'}", f"CAPRIG_BENCH_CLOCK={rate} {place}")

    def truth(self, shown):
        """What the kernel's clock showed, without the shift of a time namespace."""
        start = int(self.place.read_text())
        kernel = (shown * SECOND + start * self.rate) // (SECOND + self.rate)
        return kernel - daemons.SHIFT_SECONDS * SECOND

    def shown(self, kernel):
        """The inverse."""
        start, own = int(self.place.read_text()), kernel + daemons.SHIFT_SECONDS * SECOND
        return own + (own - start) * self.rate // SECOND


def configuration(node):
    source = "virtual: { width: 1280, height: 720, framesPerSecond: 30, stampBoundMilliseconds: 0 }"
    return (
        f"node: {node}\nspool: {{ limit: 1 GiB, reserve: 1 MiB }}\nring: {{ depth: 500 ms }}\nframes: {{ enabled: false }}\n"
        f"devices:\n  - {{ name: cam, purpose: Is measured, source: {{ {source} }} }}\n"
    )


@contextlib.contextmanager
def filled(near, far, address):
    """Sends from the far machine to the near one, as fast as the cable carries."""
    read = "import socket, sys; s = socket.create_server((sys.argv[1], 7999)); print('ready', flush=True); c, _ = s.accept()\nwhile c.recv(1 << 20): pass"
    write = "import socket, sys; s = socket.create_connection((sys.argv[1], 7999)); data = bytes(1 << 20)\nwhile True: s.sendall(data)"
    with contextlib.ExitStack() as stack:
        for inside, program in ((near, read), (far, write)):
            process = subprocess.Popen([*inside, sys.executable, "-c", program, address], stdout=subprocess.PIPE)
            stack.callback(process.wait, 10)
            stack.callback(process.kill)
            if program is read:
                process.stdout.readline()
        yield


def samples(library, clocks, known):
    """Errors and bounds of the shots in a library that are not known already."""
    found = []
    for path in sorted(pathlib.Path(library).glob("**/shot.json")):
        if path in known:
            continue
        known.add(path)
        for capture in json.loads(path.read_text())["captures"]:
            if "timing" in capture:
                middle, local = capture["timing"]["midExposure"], capture["timing"]["localMidExposure"]
                truth = clocks[capture["device"]["id"].split("/")[0]].truth(int(local))
                found.append((int(middle["time"]) - truth, int(middle["boundNanoseconds"])))
    return found


def pictures(rig, count):
    """Shots of all cameras, one after another."""
    for _ in range(count):
        rig.ask("trigger", "--all", "--no-live", statuses=(0, 3))
        time.sleep(PACE)  # Pacing


@contextlib.contextmanager
def collecting(rig):
    """While the movies of all cameras are collected."""
    rig.ask("record", "start", "--all")
    time.sleep(RECORDED)  # Pacing
    with rig.asking("record", "stop") as stop:
        time.sleep(WARM / 4)  # Pacing: the recordings end
        yield
        if stop.poll() is not None:
            raise RuntimeError(f"movies of {RECORDED} s were collected before the last shot was taken: record for longer")


def run(context, course, shots):
    """Errors and bounds of the estimates, and errors of the peer."""
    with scratch(context.disk) as folder, contextlib.ExitStack() as stack:
        near, far, address = stack.enter_context(machines(context.clock, course))
        (folder / "coordinator.yaml").write_text("collect: { rate: 10625000 B/s }\n" if course.is_collecting else "{}\n")
        options = ["--listen", address, "--config", folder / "coordinator.yaml"]
        rig = stack.enter_context(daemons.coordinator(context.programs, folder, inside=near, options=options))
        clocks = {}
        for number, rate in enumerate(RATES):
            place = folder / f"node{number}"
            place.mkdir()
            clocks[place.name] = Clock(context.clock, place / "start", rate)
            stack.enter_context(daemons.agent(
                rig, place, configuration(place.name), inside=far, clock=clocks[place.name].command))
        time.sleep(WARM)  # Pacing: estimates settle
        known = set()
        if course.is_saturated:
            stack.enter_context(filled(near, far, address))
            time.sleep(WARM / 4)  # Pacing
        with collecting(rig) if course.is_collecting else contextlib.nullcontext():
            pictures(rig, shots)
        found = samples(folder / "library", clocks, known)
        peer = lsl_peer.errors(context, folder, near, far, Clock(context.clock, folder / "peer", RATES[2]), shots) if course.has_peer else []
    return found, peer


def measure(context):
    """The table of all cables."""
    if problem():
        return f"Cables could not be measured: {problem()}."
    seen = {course: ([], []) for course in COURSES}
    for number in range(context.rounds):
        for course in COURSES:
            context.say(f"clock: {course.name}, round {number + 1} of {context.rounds}")
            context.settle()
            for all_, new in zip(seen[course], run(context, course, 10 if context.is_quick else SHOTS)):
                all_ += new
    context.expect(not any(beyond(found) for found, _ in seen.values()), "an error over a cable is larger than its bound")
    return text(seen)


def cells(samples):
    """What a table tells of errors and bounds."""
    errors, bounds = [abs(error) for error, _ in samples], [bound for _, bound in samples]
    figures = [percentile(errors, 50), percentile(errors, 99), max(errors), percentile(bounds, 50), max(bounds)]
    return [*(digits(figure / 1e3) for figure in figures), beyond(samples)]


def beyond(samples):
    """How many errors are larger than their bounds."""
    return sum(abs(error) > bound for error, bound in samples)


def text(seen):
    rows = []
    for course, (found, peer) in seen.items():
        beside = [percentile(peer, 50), percentile(peer, 99), max(peer)] if peer else []
        rows.append([
            course.name, len(found), *cells(found), len(peer) or "–", *(digits(figure / 1e3) for figure in beside), *["–"] * (3 - len(beside))])
    rates = ", ".join(f"{rate / 1000:+g}" for rate in RATES)
    note = f" {lsl_peer.PROBLEM}." if lsl_peer.PROBLEM else f" {lsl_peer.version()}, {RATES[2] / 1000:+g} ppm."
    return table(HEADER, rows) + f"\n\nFour nodes, whose clocks gain {rates} ppm and are minutes off.{note}"
