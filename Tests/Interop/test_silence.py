#!/usr/bin/env python3
"""Each channel's connection falls silent alone, for ever: python test_silence.py FOLDER-OF-PROGRAMS [TEST]...

Between a rig's programs stands a proxy that lets the connections there are carry nothing any more, as a half-open connection does: nobody is told,
TCP acknowledges, and only a new connection works. What must happen within which time is the table of docs/protocol/README.md.
"""

import json
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

from zmq.utils import z85

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Faults"))

from caprig_client import PB, NoAnswer, Rig, all_cameras, common, trigger_request  # noqa: E402
from case import Case  # noqa: E402
from frames_viewer import Viewer  # noqa: E402
from local_rig import LocalRig  # noqa: E402
from proxy import Proxy  # noqa: E402
from rig import free_base_port  # noqa: E402
from run_tests import run_tests  # noqa: E402

device = PB["device"]
CHANNELS = ("control", "clock", "collect", "client", "feed", "join", "frames")  # in the order of their ports
NODE = "node1"
CAMERA = "node1/cam1"
BUSY = 3.0  # seconds that a busy machine may add to what the table says


class SilenceRig(LocalRig):
    """A rig of one node whose every channel goes through a proxy."""

    def __init__(self, programs):
        self.base_port = free_base_port(len(CHANNELS))
        self.proxy = Proxy([NODE], self.base_port, channels=CHANNELS)
        super().__init__(programs, nodes=1, cameras=1, rate=30, base_port=self.base_port)

    def control_endpoint(self, node):
        return self.proxy.endpoint(node)

    def further_settings(self, node):
        port = self.base_port + CHANNELS.index("frames")
        return f"frames: {{ listen: {{ port: {port} }}, advertise: {self.proxy.addresses[node]} }}\n"

    @property
    def far_client(self):
        """The client endpoint through the proxy."""
        return f"tcp://{self.proxy.addresses[NODE]}:{self.base_port + CHANNELS.index('client')}"

    def far_keys(self):
        """A folder of the admin key for which the coordinator is behind the proxy."""
        far = self.folder / "far"
        if not far.exists():
            shutil.copytree(self.admin.folder, far)
            path = far / "coordinator.key"
            path.write_text(path.read_text().replace(self.endpoints["client"], self.far_client))
        return far

    def stop(self):
        statuses = super().stop()
        self.proxy.stop()
        return statuses


class Silence(Case):
    def setUp(self):
        super().setUp()
        self.proxy = self.local.proxy

    def link(self, channel):
        return self.proxy.links[NODE, channel]

    def node(self):
        return self.nodes()[0]

    def deafen(self, channel):
        """Returns when, and how many connections there were."""
        self.proxy.deafen(NODE, [channel])
        return time.monotonic(), self.link(channel).accepted

    def await_within(self, seconds, since, problem, condition):
        """Returns how long it took."""
        while not condition():
            self.assertLess(time.monotonic() - since, seconds + BUSY, problem)
            time.sleep(0.05)
        print(f"{self.id().split('.')[-1]}: {time.monotonic() - since:.1f} s", flush=True)

    def capctl(self, *arguments):
        process = subprocess.Popen(
            [self.local.programs_folder / "capctl", *arguments, "--admin", self.local.far_keys()],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(end, process)
        return process

    def test_a_node_comes_back_whose_control_connection_is_silent(self):
        since, accepted = self.deafen("control")
        start = self.rig.status().rig_now_ns
        self.await_within(2.5, since, "no other connection is made", lambda: self.link("control").accepted > accepted)
        # What was on its way may have been heard since.
        self.await_within(3.0, since, "the node does not come back",
                          lambda: self.node().connected and self.node().last_heard_rig_ns > start + 2 * 10**9)
        self.assert_works()

    def test_a_node_reads_the_clock_again_whose_clock_connection_is_silent(self):
        since, accepted = self.deafen("clock")
        start = self.rig.status().rig_now_ns
        self.await_within(3.0, since, "no other connection is made", lambda: self.link("clock").accepted > accepted)
        # What was on its way may have been received since.
        self.await_within(5.0, since, "the clock is not read",
                          lambda: self.node().clock.newest_rig_ns > start + 2 * 10**9)
        self.assert_works()

    def test_files_come_by_another_connection_when_that_of_collect_is_silent(self):
        since, accepted = self.deafen("collect")
        document = self.rig.trigger(trigger_request(all_cameras(nodes=[NODE]), timeout_ns=30 * 10**9))
        self.assertEqual(document.status, "complete", document.manifest.content.decode())
        self.await_within(9.0, since, "the file comes late", lambda: self.link("collect").accepted > accepted)
        self.assert_works()

    def test_a_silent_collect_connection_is_replaced_though_no_file_waits(self):
        since, accepted = self.deafen("collect")
        self.await_within(6.0, since, "nobody notices", lambda: self.link("collect").accepted > accepted)
        self.assert_works()

    def test_a_shot_is_answered_whose_client_has_a_silent_connection(self):
        begun = len(self.events("shot.accepted"))
        trigger = self.capctl("trigger", "--all", "--at", "+4s", "--format", "json")
        self.await_true("the shot is not taken on", lambda: len(self.events("shot.accepted")) > begun)
        since, accepted = self.deafen("client")
        self.await_within(6.5, since, "no other connection is made", lambda: self.link("client").accepted > accepted)
        out, err = trigger.communicate(timeout=30)
        self.assertEqual(trigger.returncode, 0, err.decode())
        self.await_within(9.5, since, "the answer comes late", lambda: True)
        self.assertEqual(json.loads(out)["shot"]["status"], "complete")

    def test_a_client_in_another_language_can_ask_on_after_a_silence(self):
        far = Rig(self.local.far_client, patience=2.0, keys=self.rig.keys)
        self.addCleanup(far.close)
        far.status()
        self.deafen("client")
        request = trigger_request(all_cameras(nodes=[NODE]), timeout_ns=10**9)
        self.assertEqual(far.trigger(request).status, "complete")

    def test_events_come_by_another_connection_when_that_of_the_feed_is_silent(self):
        before = self.link("feed").accepted
        events = self.capctl("events", "--format", "json")
        names = []
        reader = threading.Thread(target=lambda: names.extend(json.loads(line)["name"] for line in events.stdout), daemon=True)
        reader.start()
        far = Rig(self.local.far_client, keys=self.rig.keys)
        self.addCleanup(far.close)
        feed = far.feed()
        self.addCleanup(feed.close)
        feed.ready.clear()  # what happened before
        self.await_true("somebody does not follow the feed", lambda: self.link("feed").accepted == before + 2)
        since, accepted = self.deafen("feed")
        self.trigger()
        self.await_within(5.0, since, "capctl does not hear of the shot", lambda: "shot.settled" in names)
        while feed.next().event.name != "shot.settled":
            pass
        self.await_within(9.0, since, "no other connections are made", lambda: self.link("feed").accepted >= accepted + 2)
        self.await_within(12.0, since, "the new connection brings nothing", lambda: self.events_come_without_replay(feed))

    def events_come_without_replay(self, feed):
        """Whether the feed brings all events of a shot itself. It need not those sent before it knows of a new subscription."""
        replays = feed.replays
        self.trigger()
        while feed.next().event.name != "shot.settled":
            pass
        return feed.replays == replays

    def test_pictures_come_by_another_connection_when_that_of_frames_is_silent(self):
        preview = self.capctl("preview", CAMERA, "--count", "200", "--timeout", "20s", "--output", "/dev/null")
        accepted = self.link("frames").accepted
        self.await_true("capctl does not watch", lambda: self.link("frames").accepted > accepted)
        with Viewer(self.rig, CAMERA, "preview") as viewer:
            viewer.next()
            since, accepted = self.deafen("frames")
            self.await_within(4.0, since, "the viewer stays", lambda: self.link("frames").accepted > accepted)
            # What was on its way may come first.
            for _ in range(30):
                viewer.next(patience=10)
        self.assertEqual(preview.wait(40), 0, "capctl has no more pictures")

    def test_a_viewer_of_a_camera_without_frames_keeps_its_connection(self):
        accepted = self.link("frames").accepted
        with Viewer(self.rig, CAMERA, "preview") as viewer:
            viewer.next()
            self.addCleanup(self.command, start_session=device.StartSession())
            self.command(stop_session=device.StopSession())
            with self.assertRaises(NoAnswer):
                while True:
                    viewer.next(patience=8)
        self.assertEqual(self.link("frames").accepted, accepted + 1)

    def command(self, **command):
        node, name = CAMERA.split("/")
        self.rig.ask(device_request=device.DeviceRequest(device=common.DeviceId(node=node, device=name), **command))

    def test_the_previews_of_a_viewer_that_is_stopped_end(self):
        self.await_true("somebody is still subscribed", lambda: self.node().frames.watched == 0)
        # Straight from the node: the proxy would read on for the viewer.
        direct = f"tcp://127.0.0.1:{self.local.base_port + CHANNELS.index('frames')}"
        program = pathlib.Path(__file__).with_name("frames_viewer.py")
        viewer = subprocess.Popen(
            [sys.executable, program, direct, z85.encode(self.node().frames.public_key), self.local.admin.folder / "admin.key_secret",
             CAMERA, "full", "1000000"], stdout=subprocess.DEVNULL)
        self.addCleanup(end, viewer)
        self.await_true("nobody watches", lambda: self.node().frames.watched == 1)
        published = self.node().frames.published
        self.await_true("nothing is watched", lambda: self.node().frames.published > published + 60)
        viewer.send_signal(signal.SIGSTOP)
        since = time.monotonic()
        self.await_within(10.0, since, "the stream of a viewer that stands still goes on", lambda: self.node().frames.watched == 0)
        first = self.node().frames.published
        start = self.rig.status().rig_now_ns
        self.await_true("rig time stands still", lambda: self.rig.status().rig_now_ns > start + 2 * 10**9)
        self.assertEqual(self.node().frames.published, first)
        viewer.send_signal(signal.SIGCONT)
        self.await_true("a viewer that goes on does not come back", lambda: self.node().frames.watched == 1)

    def events(self, name):
        _, log = self.rig.replay()
        return [event for event in log.events if event.event.name == name]


def end(process):
    process.kill()
    process.wait()


def main(programs, names):
    Case.local = rig = SilenceRig(pathlib.Path(programs).resolve())
    return run_tests(rig, names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [f"__main__.{name}" for name in sys.argv[2:]]))
