"""Arming and manifests while a take is collected, and how fast collecting is beside a pipe of pyzmq that does the same.

A camera of large pictures records a take; the coordinator ends meanwhile, so that the take lies in the node's spool. What the
next coordinator needs for it is the rate of collecting; how long the shots of another node take meanwhile, and without a take
to collect, is the rest.
"""

import contextlib
import dataclasses
import importlib
import json
import pathlib
import socket
import subprocess
import sys
import threading
import time

from . import daemons
from .figures import digits, percentile, spread, table
from .places import MEMORY, scratch

PIPE = [sys.executable, pathlib.Path(__file__).parent.parent / "pyzmq_pipe.py"]
WIDTH, HEIGHT, RATE, PICTURES = 3840, 2160, 30, 30
ALONE, BESIDE = 900_000_000, 2_000_000_000  # bytes of a take: collected alone, and beside shots
PATIENCE = 180  # seconds for a take to be recorded, or collected
PACE = 0.25  # seconds from shot to shot
SHOTS = 20  # without a take
QUIET, COLLECTING = "nothing to collect", "a take being collected"
TIME_HEADER = ["shots of one camera", "span", "n", "min", "p50", "p95", "max"]
RATE_HEADER = ["program", "n", "MB", "MB/s: min", "p50", "max"]


def interop():
    """The Python client of the interop tests, which is written from proto/."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Interop"))
    return importlib.import_module("caprig_client")


@dataclasses.dataclass
class Series:
    """What has been measured so far: nanoseconds by state and span, bytes per second by program."""

    times: dict = dataclasses.field(default_factory=dict)
    rates: dict = dataclasses.field(default_factory=dict)
    problems: list = dataclasses.field(default_factory=list)


def film(folder):
    """Writes the pictures that the large camera plays, about 3 MB each."""
    path = folder / "film.mjpeg"
    picture = f"testsrc2=size={WIDTH}x{HEIGHT}:rate={RATE},noise=alls=24:allf=t"
    command = ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", picture, "-frames:v", str(PICTURES), "-pix_fmt", "yuvj422p",
               "-c:v", "mjpeg", "-q:v", "2", "-f", "mjpeg", path]
    try:
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise RuntimeError("ffmpeg, which makes the camera's pictures, is not installed; Debian's package is ffmpeg") from None
    return path


def free_base_port():
    """A port with five free ones after it, for coordinators one after another; another program may still take them first."""
    for base in range(21_000, 60_000, 10):
        with contextlib.ExitStack() as sockets, contextlib.suppress(OSError):
            for port in range(base, base + 6):
                sockets.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return base
    raise RuntimeError("no six free ports in a row")


def configuration(node, source):
    return (
        f"node: {node}\nspool: {{ limit: 16 GiB, reserve: 1 MiB }}\nring: {{ depth: 500 ms, memory: 1 GiB }}\n"
        f"frames: {{ enabled: false }}\ndevices:\n  - {{ name: cam, purpose: Is measured, source: {{ {source} }} }}\n"
    )


class Rig:
    """Two nodes, `large` and `small`, and the coordinators that come and go."""

    def __init__(self, programs, folder, pictures, stack, keys=True):
        self.interop, self.programs, self.folder, self.keys = interop(), programs, folder, keys
        self.port = free_base_port()
        self.current = None  # the coordinator that runs
        sources = {"large": f"file: {{ path: {pictures}, framesPerSecond: {RATE} }}",
                   "small": "virtual: { number: 1, width: 1280, height: 720, framesPerSecond: 30 }"}
        with self.coordinator() as rig:
            for node, source in sources.items():
                place = folder / node
                place.mkdir()
                stack.enter_context(daemons.agent(rig, place, configuration(node, source), shift=0))

    @contextlib.contextmanager
    def coordinator(self):
        """A coordinator with the state and the ports of the one before."""
        with daemons.coordinator(self.programs, self.folder, self.keys, self.port) as self.current:
            yield self.current

    def client(self):
        """A client of the coordinator that runs."""
        announced, keys = self.current.announced, None
        if self.keys:
            keys = self.interop.Keys(*(key.encode() for key in (*self.current.admin_pair, announced["key"])))
        return self.interop.Rig(announced["client"], keys=keys)

    def await_cameras(self, client):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with contextlib.suppress(self.interop.NoAnswer):
                running = [status for status in client.devices() if status.condition.state == "running"]
                if len(running) == 2:
                    return
            # Pacing: the roster tells of every camera within a heartbeat.
            threading.Event().wait(0.1)
        raise RuntimeError("the cameras do not run within 20 s")

    def record(self, size):
        """Leaves a take of so many bytes in the spool of the large camera's node, and no coordinator."""
        with self.coordinator() as rig:
            with self.client() as client:
                self.await_cameras(client)
            rig.ask("record", "start", "--node", "large", "--max-size", f"{size} B")
        self.await_spooled(size)

    def await_spooled(self, size):
        deadline = time.monotonic() + PATIENCE
        spool = self.folder / "large" / "spool"
        while time.monotonic() < deadline:
            movies = [path for path in spool.glob("**/*.mov") if path.parent.name != "recordings"]
            if movies and not any((spool / "recordings").glob("*")):
                return
            threading.Event().wait(0.2)  # Pacing
        raise RuntimeError(f"a take of {size} bytes is not recorded within {PATIENCE} s")

    def stored_take(self, feed):
        """Waits for the take's movie; how many bytes it has, and how long that took from the node's return."""
        connected = {}
        while True:
            event = feed.next(PATIENCE).event
            if event.name == "node.connected":
                connected[event.details["node"]] = event.rig_ns
            if event.name == "take.settled" and "large" in connected:
                with self.client() as client:
                    manifest = json.loads(client.shot(event.shot_id).manifest.content)
                movie = [file for capture in manifest["captures"] for file in capture["files"] if file["kind"] == "movie"]
                if movie and movie[0]["outcome"] in ("done", "late"):
                    return movie[0]["byteCount"], movie[0]["storedAt"] - connected["large"]
                if movie:
                    raise RuntimeError(f"the take's movie is {movie[0]['outcome']}: {movie[0].get('problem')}")

    def shot(self, client, state, series):
        """One shot of the small camera: until it is armed, and from T until the answer, which a durable manifest precedes."""
        armed = []
        began = time.monotonic_ns()

        def note(progress):
            if progress.captures.armed == progress.captures.expected and not armed:
                armed.append(time.monotonic_ns())

        document = client.trigger(self.interop.trigger_request(self.interop.all_cameras(nodes=["small"])), note)
        ended = time.monotonic_ns()
        manifest = json.loads(document.manifest.content)
        if manifest["status"] != "complete":
            series.problems += [capture["phase"] for capture in manifest["captures"]]
        elif armed:
            series.times.setdefault((state, "request → armed"), []).append(armed[0] - began)
            series.times.setdefault((state, "T → answered"), []).append(ended - manifest["time"])

    def shots(self, state, series, go_on):
        """Shots at a steady pace while `go_on(number of shots)` says so."""
        with self.client() as client:
            self.await_cameras(client)
            begun, number = time.monotonic(), 0
            while go_on(number):
                self.shot(client, state, series)
                number += 1
                threading.Event().wait(max(0, begun + number * PACE - time.monotonic()))  # Pacing


def collected_alone(rig, series, size):
    rig.record(size)
    with rig.coordinator(), rig.client() as client, client.feed() as feed:
        note_rate(series, *rig.stored_take(feed), "capcoordd, nothing else")


def collected_beside_shots(rig, series, size):
    rig.record(size)
    with rig.coordinator():
        found = []

        def follow():
            with rig.client() as client, client.feed() as feed:
                found.append(rig.stored_take(feed))

        waiting = threading.Thread(target=follow)
        waiting.start()
        rig.shots(COLLECTING, series, lambda _: waiting.is_alive())
        waiting.join()
        if not found:
            raise RuntimeError("the take was not collected")
        note_rate(series, *found[0], f"capcoordd, beside {1 / PACE:.0f} shots a second")
        rig.shots(QUIET, series, lambda number: number < SHOTS)


def note_rate(series, size, nanoseconds, program):
    series.rates.setdefault(program, []).append((size, size / nanoseconds * 1e9))


def measure_pipe(folder, series, size):
    """pyzmq sends a file in chunks, hashes, writes and syncs it."""
    sent = folder / "sent"
    with open(sent, "wb") as file:
        block = bytes(range(256)) * 4096
        for _ in range(size // len(block)):
            file.write(block)
    done = subprocess.run([*PIPE, sent, folder / "received"], check=True, capture_output=True, text=True, timeout=PATIENCE)
    note_rate(series, sent.stat().st_size, int(done.stdout), "pyzmq, a pipe of 256 KiB chunks")


def measure(context):
    place = str(MEMORY) if MEMORY.is_dir() else context.disk
    scale = 8 if context.rounds == 1 else 1
    series = Series()
    with scratch(place) as shared:
        pictures = film(shared)
        for number in range(context.rounds):
            context.say(f"collect: round {number + 1} of {context.rounds}")
            for measure_one in (collected_alone, collected_beside_shots):
                context.settle()
                with scratch(context.disk) as folder, contextlib.ExitStack() as stack:
                    rig = Rig(context.programs, folder, pictures, stack)
                    measure_one(rig, series, (ALONE if measure_one is collected_alone else BESIDE) // scale)
            with scratch(context.disk) as folder:
                measure_pipe(folder, series, ALONE // scale)
    return text(series)


def text(series):
    times = [[state, span, len(values), *spread(values), digits(max(values) * 1e-6)]
             for (state, span), values in sorted(series.times.items())]
    rates = [[program, len(values), f"{values[0][0] / 1e6:.0f}", *rate_cells([rate for _, rate in values])]
             for program, values in series.rates.items()]
    notes = "none" if not series.problems else ", ".join(sorted(series.problems))
    return "\n\n".join([
        f"Milliseconds; shots that were not complete: {notes}.", table(TIME_HEADER, times),
        "From the node's return to the file in its place, durable:", table(RATE_HEADER, rates)])


def rate_cells(rates):
    return [digits(rate / 1e6) for rate in (min(rates), percentile(rates, 50), max(rates))]
