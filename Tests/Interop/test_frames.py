"""What viewers in other languages can rely on; run by test_interop.py."""

import pathlib
import subprocess
import time

import zmq

import hostile
import timecode_decode
from caprig_client import NoAnswer, connect
from case import Case
from frames_channel import place as frames_place
from frames_viewer import KINDS, Viewer
from local_rig import RATE
from manifest_schema import manifest_of


class FramesChannel(Case):
    DEVICE = "node1/cam1"

    def channel(self, node="node1"):
        return next(status.frames for status in self.nodes() if status.node == node)

    def test_every_kind_is_a_picture_of_the_size_its_header_says(self):
        divisors = {"full": 1, "half": 2, "quarter": 4, "eighth": 8}
        self.assertEqual(set(KINDS), {"preview", *divisors})
        for kind in KINDS:
            with Viewer(self.rig, self.DEVICE, kind) as viewer:
                frame = viewer.next()
            header = frame.header
            size = (640 // divisors.get(kind, 1), 360 // divisors.get(kind, 1))  # 640x360 is what a preview may have
            self.assertEqual((header.width, header.height, header.format), (*size, "JPEG"), kind)
            gray = subprocess.run(["djpeg", "-grayscale", "-pnm"], input=frame.payload, check=True, capture_output=True)
            self.assertEqual(gray.stdout.split()[1:3], [b"%d" % side for side in size], kind)
            self.assertEqual((header.orientation_degrees, header.mirrored), (0, False))

    def test_the_pixels_show_the_instant_that_the_header_says(self):
        # A shot's manifest pairs the rig's clock with the wall clock that virtual cameras draw.
        pair = manifest_of(self.trigger())["wallClock"]
        rig_clock = self.rig.status().rig_clock_id
        for kind in ("full", "preview", "half"):
            with Viewer(self.rig, self.DEVICE, kind) as viewer:
                for _ in range(3):
                    frame = viewer.next()
                    header = frame.header
                    self.assertTrue(header.HasField("rig"))
                    self.assertEqual(header.rig.rig_clock_id, rig_clock)
                    code = timecode_decode.decode_bytes(frame.payload)
                    shown = code["realtimeNanoseconds"] - pair["realtimeNanoseconds"] + pair["monotonic"]
                    error = abs(shown - header.rig.rig_mid_exposure_ns)
                    self.assertLessEqual(error, header.rig.bound_ns, kind)
                    self.assertEqual(header.rig.bound_ns, header.rig.clock_bound_ns + header.stamp_bound_ns)
                    self.assertEqual(code["cameraNumber"], self.local.numbers[self.DEVICE])

    def test_stamps_are_in_the_order_of_what_they_stamp(self):
        with Viewer(self.rig, self.DEVICE, "full", newest_only=False) as viewer:
            headers = [viewer.next() for _ in range(5)]
        for frame in headers:
            stamps = [
                frame.header.local_mid_exposure_ns, frame.header.local_dequeued_ns, frame.header.local_published_ns,
                frame.received_ns,
            ]
            self.assertEqual(stamps, sorted(stamps))
        for before, after in zip(headers, headers[1:]):
            self.assertEqual(after.header.number, before.header.number + 1)
            drops = after.header.drops
            lost = drops.before_output + drops.superseded
            self.assertEqual(after.header.sequence, before.header.sequence + 1 + lost)
            self.assertEqual(after.header.epoch, before.header.epoch)

    def test_nothing_is_made_that_nobody_watches(self):
        self.await_true("somebody is still subscribed", lambda: self.channel().watched == 0)
        before = self.channel()
        with Viewer(self.rig, self.DEVICE, "half") as viewer:
            viewer.next()
            self.await_true("the stream is not told of", lambda: self.channel().scaled > before.scaled)
        self.await_true("the stream goes on without a viewer", lambda: self.channel().watched == 0)
        first, start = self.channel(), self.rig.status().rig_now_ns
        self.await_true("rig time stands still", lambda: self.rig.status().rig_now_ns > start + 2 * 10**9)
        self.assertEqual(self.channel().scaled, first.scaled)
        self.assertEqual(self.channel().published, first.published)

    def test_a_viewer_of_a_third_of_the_frames_sees_none_that_is_old(self):
        # What keeps old frames for a slow viewer does so every time; a busy machine does not.
        rounds = []
        while len(rounds) < 3 and (not rounds or rounds[-1] >= 50):
            rounds.append(self.age_at_a_third_of_the_rate())
        self.assertLess(rounds[-1], 50, f"95 of 100 frames are younger, ms: {rounds}")

    def age_at_a_third_of_the_rate(self, frames=60):
        """The 95th percentile of the time from the camera to a viewer that is busy for three frames after each, ms."""
        ages = []
        with Viewer(self.rig, self.DEVICE, "full") as viewer:
            viewer.next()
            for _ in range(frames):
                time.sleep(3 / RATE)  # what a slow viewer does with a frame
                ages.append((viewer.next().received_ns - viewer.newest.local_dequeued_ns) / 1e6)
            self.assertGreater(viewer.missed, frames)
        return sorted(ages)[frames * 95 // 100 - 1]

    def test_a_viewer_that_does_not_read_costs_the_node_no_memory(self):
        agent = next(program for program in self.local.programs if program.name == "node1")
        place = frames_place(self.rig, "node1")
        idle = connect(zmq.SUB, place.endpoint, -1, place.keys, rcvhwm=1, rcvbuf=4096)  # its connection lives, and answers pings
        self.addCleanup(idle.close, linger=0)
        idle.subscribe(f"{self.DEVICE}/full\0".encode())
        with Viewer(self.rig, self.DEVICE, "full") as viewer:
            size = len(viewer.next().payload)
            for _ in range(30):
                viewer.next()  # until every buffer on the way to the idle one is full
            before = resident(agent.process.pid)
            first = viewer.next().header.number
            while viewer.newest.number < first + 150:
                viewer.next()
            self.assertLess(resident(agent.process.pid) - before, 150 * size / 3)
        self.assertTrue(idle.poll(0), "the idle viewer has nothing, so the test shows nothing")
        self.assert_works()

    def test_subscriptions_that_nothing_is_published_under_make_nothing(self):
        self.await_true("somebody is still subscribed", lambda: self.channel("node2").watched == 0)
        before = self.channel("node2")
        place = frames_place(self.rig, "node2")
        socket = connect(zmq.XSUB, place.endpoint, -1, place.keys)
        for number in range(12_000):
            socket.send(b"\x01node2/cam1/full/%d" % number)
        # A topic of 246 to 255 bytes reaches the node as a subscription to everything: libzmq 4.3.5 sends its length modulo 256.
        for topic in (b"x" * 64, b"x" * 240, b"node2/cam9/full\0", b"node2/cam1/fullest\0"):
            socket.send(b"\x01" + topic)
        socket.send(b"node2/cam1/full\0 not a subscription")
        hostile.raw_connections(place.endpoint)
        start = self.rig.status().rig_now_ns
        self.await_true("rig time stands still", lambda: self.rig.status().rig_now_ns > start + 2 * 10**9)
        self.assertEqual((self.channel("node2").published, self.channel("node2").watched), (before.published, 0))
        socket.close(linger=0)
        self.await_true("frames stay away after a flood of subscriptions", lambda: self.sees("node2/cam1"))
        self.assert_works()

    def sees(self, device):
        with Viewer(self.rig, device, "full") as viewer:
            try:
                return viewer.next(patience=2.0)
            except NoAnswer:
                return None


def resident(pid):
    """Bytes of a process that are in memory."""
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
