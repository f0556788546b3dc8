#!/usr/bin/env python3
"""Whether the benchmark's cameras still pass for V4L2 devices: check_camera.py TOOLS PROGRAMS [TEST]...

TOOLS is what Benchmarks/Camera builds, PROGRAMS the folder of the release programs. Needs ffmpeg, and no camera.
"""

import contextlib
import errno
import http.server
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from caprig_bench import cameras, daemons
from caprig_bench.streaming import agent_configuration
from caprig_bench.v4l2 import Device

TOOLS = PROGRAMS = FILM = None
INTERVAL = 1_000_000 / cameras.RATE


def mark(image):
    """Camera and frame number that a picture carries."""
    words = image[6:50].decode().split()
    return int(words[2]), int(words[4])


class Case(unittest.TestCase):
    # Frames per second that the cameras deliver; None for those that they state.
    actual = None

    def setUp(self):
        self.contexts = contextlib.ExitStack()
        self.addCleanup(self.contexts.close)
        self.folder = pathlib.Path(self.enter(tempfile.TemporaryDirectory(prefix="caprig-check-")))
        self.cameras = self.enter(cameras.running(TOOLS, self.folder, FILM, 2, actual=self.actual))
        os.environ["CAPRIG_BENCH_CAMERAS"] = str(self.folder)

    def enter(self, context):
        return self.contexts.enter_context(context)

    def open(self, number=0, buffers=4, start=True, **options):
        device = Device(self.cameras.nodes[number], **options)
        self.addCleanup(device.close)
        if buffers:
            device.make_buffers(buffers)
        if start:
            device.start()
        return device

    def await_true(self, problem, condition, seconds=20):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, problem)
            time.sleep(0.02)

    def take(self, device, count):
        """So many frames, each buffer queued again."""
        frames = []
        for _ in range(count):
            frames.append(device.dequeue())
            device.queue(frames[-1].index)
        return frames


class Driver(Case):
    def test_frames_come_in_order_marked_and_at_the_cameras_rate(self):
        frames = self.take(self.open(1), 20)
        self.assertEqual([frame.sequence for frame in frames], list(range(20)))
        self.assertEqual([mark(frame.image) for frame in frames], [(1, number) for number in range(20)])
        for before, after in zip(frames, frames[1:]):
            self.assertAlmostEqual(after.stamp - before.stamp, INTERVAL, delta=2)
        self.assertLessEqual(frames[-1].stamp, time.monotonic_ns() // 1000)

    def test_a_frame_without_a_free_buffer_is_lost_counted_and_missing_in_the_sequence(self):
        starved, clock = self.open(0, buffers=2), self.open(1)
        self.take(clock, 10)
        self.assertGreaterEqual(self.cameras.lost(), 6)
        first = self.take(starved, 2)
        self.assertEqual([frame.sequence for frame in first], [0, 1])
        self.assertGreaterEqual(starved.dequeue().sequence, 8)

    def test_a_taken_frame_is_written_down_with_its_instants(self):
        before = time.monotonic_ns()
        frames = self.take(self.open(0), 3)
        taken = self.cameras.dequeued()
        self.assertEqual(set(taken), {(0, 0), (0, 1), (0, 2)})
        for frame in frames:
            stamp, dequeued = taken[0, frame.sequence]
            self.assertEqual(stamp // 1000, frame.stamp)
            self.assertTrue(before < dequeued < time.monotonic_ns() and stamp <= dequeued)

    def test_a_second_program_gets_no_buffers_before_the_first_has_gone(self):
        first, second = self.open(start=False), self.open(buffers=0, start=False)
        with self.assertRaises(OSError) as refused:
            second.make_buffers(2)
        self.assertEqual(refused.exception.errno, errno.EBUSY)
        first.close()
        self.await_true("the camera stays taken", lambda: self.succeeds(second.make_buffers, 2))
        second.start()
        self.assertEqual(second.dequeue().sequence, 0)

    def test_a_stopped_stream_starts_again_without_frames_of_the_one_before(self):
        device = self.open()
        last = self.take(device, 3)[-1]
        device.stop()
        with self.assertRaises(OSError) as stopped:
            device.dequeue()
        self.assertEqual(stopped.exception.errno, errno.EINVAL)
        for index in range(4):
            device.queue(index)
        device.start()
        again = device.dequeue()
        self.assertEqual(again.sequence, 0)
        self.assertGreater(again.stamp, last.stamp)

    def test_polling_says_readable_with_a_frame_and_never_writable(self):
        # ustreamer takes "writable" for an unplugged camera.
        device = self.open(blocking=False)
        self.assertEqual(select.select([device.file], [device.file], [], 5), ([device.file], [], []))
        self.take(device, 1)
        with self.assertRaises(BlockingIOError):
            device.dequeue()

    def test_a_camera_has_no_controls(self):
        with self.assertRaises(OSError) as refused:
            self.open(buffers=0, start=False).query_control(0x009A0902)
        self.assertEqual(refused.exception.errno, errno.EINVAL)

    @staticmethod
    def succeeds(call, *arguments):
        with contextlib.suppress(OSError):
            call(*arguments)
            return True
        return False


class Programs(Case):
    def run_ffmpeg(self, *options):
        return subprocess.run(
            ["ffmpeg", "-hide_banner", "-nostdin", *map(str, options)], capture_output=True, text=True, timeout=30)

    def test_ffmpeg_is_told_the_format(self):
        said = self.run_ffmpeg("-f", "v4l2", "-list_formats", "all", "-i", self.cameras.nodes[0]).stderr
        self.assertRegex(said, r"mjpeg : +Motion-JPEG : 1280x720\n")

    def test_ffmpeg_takes_whole_pictures(self):
        taken = self.folder / "taken.mjpeg"
        self.run_ffmpeg(
            "-f", "v4l2", "-input_format", "mjpeg", "-i", self.cameras.nodes[0], "-frames:v", 20, "-c", "copy", "-f",
            "mjpeg", taken)
        decoded = self.run_ffmpeg("-v", "error", "-xerror", "-i", taken, "-f", "framemd5", "-")
        self.assertEqual((decoded.returncode, decoded.stderr), (0, ""))
        pictures = [line for line in decoded.stdout.splitlines() if not line.startswith("#")]
        self.assertEqual(len(pictures), 20)

    def test_capagentd_runs_every_camera_and_loses_no_frame(self):
        configuration = agent_configuration(self.cameras.nodes, None)
        rig = self.enter(daemons.coordinator(PROGRAMS, self.folder))
        agent = daemons.agent(rig, self.folder, configuration, shift=0, environment=self.cameras.environment)
        with agent as told:
            self.assertEqual(told["running"], 2)
            self.await_true("frames are not taken", lambda: self.fewest_taken() >= 40)
        self.assertEqual(self.cameras.lost(), 0)

    def fewest_taken(self):
        """Frames that a program has taken of the camera that it has taken fewest of."""
        cameras_of_frames = [camera for camera, _ in self.cameras.dequeued()]
        return min(map(cameras_of_frames.count, range(len(self.cameras.nodes))))


class DimLight(Case):
    """Cameras that state 30 frames per second and deliver 7.5, as automatic exposure makes them."""

    actual = 7.5

    def test_the_backend_for_v4l2_passes_every_conformance_check(self):
        first, second = map(str, self.cameras.nodes)
        command = [PROGRAMS / "v4l2-probe", "conformance", "--format", "MJPG", "--other", second, "--path", first]
        done = subprocess.run(
            command, env={**os.environ, **self.cameras.environment}, capture_output=True, text=True, timeout=300)
        checks = {line["check"]: line for line in map(json.loads, done.stdout.splitlines()) if "check" in line}
        self.assertEqual([line for line in checks.values() if not line["hasPassed"]], [], done.stderr)
        self.assertIn("trueInstants", checks)
        self.assertEqual(done.returncode, 0)


class Watching(Case):
    def test_the_viewer_sees_each_marked_picture_of_a_stream_over_http(self):
        images = [frame.image for frame in self.take(self.open(1), 5)]
        server = self.enter(http.server.ThreadingHTTPServer(("127.0.0.1", 0), stream_of(images)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        before = time.monotonic_ns()
        viewer = self.enter(cameras.viewer(TOOLS, "http", f"127.0.0.1:{server.server_port}/stream"))
        server.RequestHandlerClass.sent.wait(10)
        seen = viewer.seen()
        self.assertEqual(set(seen), {(1, number) for number in range(5)})
        self.assertTrue(all(before < instant < time.monotonic_ns() for instant in seen.values()))


def stream_of(images):
    """A handler that sends images as multipart, and then waits for the client to go."""

    class Handler(http.server.BaseHTTPRequestHandler):
        sent = threading.Event()

        def do_GET(self):
            self.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace;boundary=b\r\n\r\n--b\r\n")
            for image in images:
                head = f"Content-Type: image/jpeg\r\nContent-Length: {len(image)}\r\n\r\n".encode()
                self.wfile.write(head + image + b"\r\n--b\r\n")
            self.wfile.flush()
            Handler.sent.set()
            self.rfile.read()

        def log_message(self, *arguments):
            pass

    return Handler


def main(tools, programs, *names):
    global TOOLS, PROGRAMS, FILM
    TOOLS, PROGRAMS = pathlib.Path(tools).resolve(), pathlib.Path(programs).resolve()
    shim = str(TOOLS / "shim.so")
    if os.environ.get("LD_PRELOAD") != shim:
        # Once more, as a program that sees the cameras.
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "LD_PRELOAD": shim})
    suite = unittest.defaultTestLoader.loadTestsFromNames([f"__main__.{name}" for name in names] or ["__main__"])
    with tempfile.TemporaryDirectory(prefix="caprig-check-") as folder:
        FILM = cameras.film(pathlib.Path(folder))
        result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
