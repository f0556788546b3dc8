"""Cameras for programs that know V4L2 (Benchmarks/Camera), and what they have written down of their frames."""

import contextlib
import os
import pathlib
import struct
import subprocess

WIDTH, HEIGHT, RATE = 1280, 720, 30
FILM_FRAMES = 60
# With which a viewer of a frames channel connects: its public and its secret key, and the public key of the node.
KEYS = ("CAPRIG_BENCH_PUBLIC_KEY", "CAPRIG_BENCH_SECRET_KEY", "CAPRIG_BENCH_SERVER_KEY")
# camera_state.h: two counters, and from 4096 on entries of frame, stamp, delivered and dequeued.
COUNTERS, LOG, ENTRY, ENTRIES = struct.Struct("<QQ"), 4096, struct.Struct("<Qqqq"), 8192


def film(folder, width=WIDTH, height=HEIGHT, frames=FILM_FRAMES, drawn=""):
    """Writes the pictures that the cameras deliver: noisy enough to be as large as a webcam's, about 85 kB at 720p.

    `drawn`: filters of FFmpeg that draw over them, each behind a comma.
    """
    path = folder / "film.mjpeg"
    picture = f"testsrc2=size={width}x{height}:rate={RATE},noise=alls=8:allf=t{drawn}"
    command = ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", picture, "-frames:v", str(frames),
               "-pix_fmt", "yuvj422p", "-c:v", "mjpeg", "-q:v", "6", "-f", "mjpeg", path]
    try:
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise RuntimeError("ffmpeg, which makes the cameras' pictures, is not installed; Debian's package is ffmpeg") from None
    return path


class Cameras:
    """Running cameras: their device nodes, and the instants of their last frames."""

    def __init__(self, folder, count, shim):
        self.nodes = [folder / f"video{number}" for number in range(count)]
        # What a program must be started with to see them.
        self.environment = {"LD_PRELOAD": str(shim), "CAPRIG_BENCH_CAMERAS": str(folder)}

    def lost(self):
        """Frames that found no free buffer, of all cameras."""
        return sum(COUNTERS.unpack(self._state(node, COUNTERS.size))[1] for node in self.nodes)

    def dequeued(self):
        """For every frame that a program has taken, by camera and number: when it was due, and when it was taken."""
        taken = {}
        for number, node in enumerate(self.nodes):
            log = self._state(node, LOG + ENTRY.size * ENTRIES)[LOG:]
            for frame, stamp, _, dequeued in ENTRY.iter_unpack(log):
                if dequeued:
                    taken[number, frame] = (stamp, dequeued)
        return taken

    @staticmethod
    def _state(node, size):
        with open(f"{node}.state", "rb") as file:
            return file.read(size)


@contextlib.contextmanager
def running(tools, folder, film, count, rate=RATE, actual=None):
    """Cameras whose nodes are in a folder; nobody streams from them yet. They state `rate`, and deliver `actual`."""
    process = subprocess.Popen(
        [tools / "cameras", folder, film, str(count), str(rate), str(actual or rate)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        if process.stdout.readline() != b"ready\n":
            raise RuntimeError("the cameras did not start")
        yield Cameras(pathlib.Path(folder), count, tools / "shim.so")
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


class Viewer:
    """A program that watches streams until it is asked what it has seen."""

    def __init__(self, tools, *sources, environment=None):
        self.process = subprocess.Popen(
            [tools / "viewer", *map(str, sources)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **(environment or {})})

    def seen(self):
        """When each marked picture was here, by camera and frame. Ends the viewer."""
        output, _ = self.process.communicate(timeout=30)
        if self.process.returncode != 0:
            raise RuntimeError("the viewer failed; what it said stands above")
        lines = [line.split() for line in output.splitlines()]
        return {(int(camera), int(frame)): int(received) for camera, frame, received in lines if frame != "-"}

    def end(self):
        """Ends the viewer where nobody has asked it."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


@contextlib.contextmanager
def viewer(tools, *sources, environment=None):
    watching = Viewer(tools, *sources, environment=environment)
    try:
        yield watching
    finally:
        watching.end()
