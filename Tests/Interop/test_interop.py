#!/usr/bin/env python3
"""What programs in other languages can rely on: python test_interop.py FOLDER-OF-RELEASE-PROGRAMS [TEST]..."""

import hashlib
import json
import pathlib
import statistics
import subprocess
import sys
import time
import unittest

import zmq

import hostile
import timecode_decode
from caprig_client import CLIENT_LIMIT, NoAnswer, Refused, all_cameras, client, clock, collect, common, connect, control
from caprig_client import feed as feed_messages
from caprig_client import new_shot_id, trigger_request
from frames_viewer import KINDS, Viewer
from frames_viewer import endpoint as frames_endpoint
from local_rig import LocalRig
from stranger import CONTROL_LIMIT, Stranger, collect_say, probe

RIG = None


class Case(unittest.TestCase):
    def setUp(self):
        self.rig = RIG.client()
        self.addCleanup(self.rig.close)

    def trigger(self, **fields):
        return self.rig.trigger(trigger_request(all_cameras(nodes=RIG.nodes), **fields))

    def nodes(self):
        """What the coordinator says of the rig's own nodes."""
        return [node for node in self.rig.status().nodes if node.node in RIG.nodes]

    def await_true(self, problem, condition, seconds=30):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, problem)
            time.sleep(0.1)

    def assert_works(self):
        """The rig takes a picture with every camera of its own."""
        for program in RIG.programs:
            self.assertTrue(program.runs(), f"{program.name} has ended:\n{program.tail()}")
        document = self.trigger()
        self.assertEqual(document.status, "complete", document.manifest_json.decode())


class ClientChannel(Case):
    def test_every_camera_is_listed_with_what_the_configuration_says(self):
        devices = {f"{d.device.id.node}/{d.device.id.device}": d for d in self.rig.devices()}
        for name in RIG.numbers:
            described, condition = devices[name].device, devices[name].condition
            self.assertEqual((described.media_type, described.type, described.driver), ("video", "wide", "virtual"))
            self.assertEqual(list(described.labels), ["test"])
            self.assertEqual(condition.state, "running")
            self.assertEqual((condition.format.width, condition.format.height), (640, 360))

    def test_a_shot_is_answered_when_every_picture_is_durable(self):
        seen = []
        request = trigger_request(all_cameras(nodes=RIG.nodes))
        document = self.rig.trigger(request, seen.append)
        self.assertEqual(document.status, "complete")
        self.assertEqual(document.shot_id, request.shot_id)
        self.assertTrue(seen, "no progress was told")
        for progress in seen:
            self.assertEqual((progress.shot_id, progress.expected), (request.shot_id, len(RIG.numbers)))
        for name, _, path, file in pictures(document):
            data = path.read_bytes()
            self.assertEqual(len(data), file["byteCount"], name)
            self.assertEqual(hashlib.sha256(data).hexdigest(), file["digest"], name)
            self.assertEqual((data[:2], data[-2:]), (b"\xff\xd8", b"\xff\xd9"), name)
        self.assertEqual({name for name, *_ in pictures(document)}, set(RIG.numbers))

    def test_the_skew_in_the_manifest_is_what_the_pixels_say(self):
        document = self.trigger()
        shot = json.loads(document.manifest_json)
        pair = shot["wallClock"]
        realtime_of_t = pair["realtimeNanoseconds"] + shot["time"] - pair["monotonic"]
        for name, capture, path, _ in pictures(document):
            code = timecode_decode.decode(str(path))
            timing = capture["timing"]
            error = (code["realtimeNanoseconds"] - realtime_of_t) - timing["skewNanoseconds"]
            self.assertLessEqual(abs(error), timing["midExposure"]["boundNanoseconds"], name)
            self.assertEqual(code["cameraNumber"], RIG.numbers[name], name)

    def test_the_same_request_again_gets_the_same_shot(self):
        request = trigger_request(all_cameras(nodes=RIG.nodes))
        first = self.rig.trigger(request)
        again = self.rig.trigger(request)
        self.assertEqual(json.loads(again.manifest_json), json.loads(first.manifest_json))
        shots = [shot.shot_id for shot in self.rig.shots()]
        self.assertEqual(shots.count(request.shot_id), 1)

    def test_the_same_id_with_other_content_is_refused(self):
        first = self.trigger()
        with self.assertRaises(Refused) as refused:
            self.trigger(shot_id=first.shot_id, require_all=True)
        self.assertEqual(refused.exception.code, "conflict")
        self.assertEqual(self.rig.shot(first.shot_id).manifest_json, first.manifest_json)

    def test_a_selection_without_cameras_is_refused_and_says_what_there_is(self):
        with self.assertRaises(Refused) as refused:
            self.rig.trigger(trigger_request(all_cameras(labels=["nowhere"])))
        self.assertEqual(refused.exception.code, "emptySelection")
        self.assertIn("node1/cam1", refused.exception.message)

    def test_an_instant_out_of_reach_is_refused(self):
        for nanoseconds, code in ((3600 * 10**9, "tooFarAhead"), (-3600 * 10**9, "beforeRing")):
            with self.assertRaises(Refused) as refused:
                self.trigger(relative_ns=nanoseconds)
            self.assertEqual(refused.exception.code, code)

    def test_an_instant_just_gone_by_is_taken_from_the_ring(self):
        self.await_true("the rings are empty", lambda: min(n.ring_depth_ns for n in self.nodes()) > 10**9)
        document = self.trigger(relative_ns=-500_000_000)
        self.assertEqual(document.status, "complete", document.manifest_json.decode())

    def test_a_shot_is_found_and_verified_later(self):
        taken = self.trigger()
        self.assertEqual(self.rig.shot(taken.shot_id).folder, taken.folder)
        self.assertEqual({file.finding for file in self.rig.verify(taken.shot_id)}, {"ok"})
        next(pictures(taken))[2].write_bytes(b"something else")
        self.assertEqual({file.finding for file in self.rig.verify(taken.shot_id)}, {"ok", "altered"})

    def test_shots_are_listed_newest_first_and_page_by_page(self):
        taken = [self.trigger().shot_id for _ in range(3)]
        newest = [shot.shot_id for shot in self.rig.shots(limit=2)]
        self.assertEqual(newest, [taken[2], taken[1]])
        self.assertEqual(self.rig.shots(limit=1, before=taken[1])[0].shot_id, taken[0])

    def test_an_unknown_shot_is_said_to_be_unknown(self):
        for ask in (self.rig.shot, self.rig.verify):
            with self.assertRaises(Refused) as refused:
                ask(new_shot_id())
            self.assertEqual(refused.exception.code, "unknownShot")


class FeedChannel(Case):
    def events_until(self, feed, shot_id, name):
        events = []
        while not (events and events[-1].event.name == name and events[-1].event.shot_id == shot_id):
            events.append(feed.next())
        return events

    def test_the_events_of_a_shot_arrive_in_order_without_gaps(self):
        with self.rig.feed() as feed:
            document = self.trigger()
            events = self.events_until(feed, document.shot_id, "shot.settled")
            while (finished := finished_devices(events, document.shot_id)) != set(RIG.numbers):
                events.append(feed.next())
        sequences = [event.sequence for event in events]
        self.assertEqual(sequences, list(range(sequences[0], sequences[0] + len(events))))
        self.assertEqual(len({event.coordinator_epoch for event in events}), 1)
        names = [event.event.name for event in events if event.event.shot_id == document.shot_id]
        self.assertEqual(names[0], "shot.accepted")
        self.assertEqual(len(finished), len(RIG.numbers))

    def test_a_late_subscriber_gets_what_it_has_missed(self):
        document = self.trigger()
        with self.rig.feed() as feed:
            events = self.events_until(feed, document.shot_id, "shot.accepted")
        self.assertEqual([event.sequence for event in events], list(range(1, len(events) + 1)))

    def test_a_subscriber_that_has_lost_events_gets_them_by_replay(self):
        with self.rig.feed() as feed:
            before = feed.sequence
            lost = self.trigger()
            while feed.socket.poll(500):
                feed.socket.recv()  # as a full queue would lose them
            self.assertEqual(feed.sequence, before)
            replays = feed.replays
            events = self.events_until(feed, lost.shot_id, "shot.settled")
        self.assertGreater(feed.replays, replays)
        self.assertEqual(feed.lost, 0)
        missed = [event.sequence for event in events if event.sequence > before]
        self.assertEqual(missed, list(range(before + 1, before + 1 + len(missed))))

    def test_another_life_of_the_coordinator_is_replayed_whole(self):
        self.trigger()
        epoch, log = self.rig.replay(epoch=12345, after=10**9)
        self.assertNotEqual(epoch, 12345)
        self.assertEqual(log.events[0].sequence, 1)


class FramesChannel(Case):
    DEVICE = "node1/cam1"
    INTERVAL_NS = 10**9 // 15

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
            self.assertEqual(header.orientation_degrees, 0)

    def test_the_pixels_show_the_instant_that_the_header_says(self):
        # A shot's manifest pairs the rig's clock with the wall clock that virtual cameras draw.
        pair = json.loads(self.trigger().manifest_json)["wallClock"]
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
                    self.assertEqual(code["cameraNumber"], RIG.numbers[self.DEVICE])

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
        ages = []
        with Viewer(self.rig, self.DEVICE, "full") as viewer:
            viewer.next()
            for _ in range(15):
                time.sleep(3 * self.INTERVAL_NS / 1e9)  # what a slow viewer does with a frame
                ages.append(viewer.next().received_ns - viewer.newest.local_dequeued_ns)
            self.assertGreater(viewer.missed, 15)
        # The newest frame is at most one interval old.
        self.assertLess(statistics.median(ages), self.INTERVAL_NS + 50_000_000)

    def test_a_viewer_that_does_not_read_costs_the_node_no_memory(self):
        agent = next(program for program in RIG.programs if program.name == "node1")
        idle = zmq.Context.instance().socket(zmq.SUB)  # its connection lives, and answers pings
        idle.setsockopt(zmq.RCVHWM, 1)
        idle.setsockopt(zmq.RCVBUF, 4096)
        self.addCleanup(idle.close, linger=0)
        idle.subscribe(f"{self.DEVICE}/full\0".encode())
        idle.connect(frames_endpoint(self.rig, "node1"))
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
        socket = connect(zmq.XSUB, frames_endpoint(self.rig, "node2"), -1)
        for number in range(12_000):
            socket.send(b"\x01node2/cam1/full/%d" % number)
        for topic in (b"x" * 64, b"x" * 250, b"node2/cam9/full\0", b"node2/cam1/fullest\0"):
            socket.send(b"\x01" + topic)
        socket.send(b"node2/cam1/full\0 not a subscription")
        hostile.raw_connections(frames_endpoint(self.rig, "node2"))
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


class AgentChannels(Case):
    def test_an_agent_in_another_language_is_welcomed_and_told_the_time(self):
        with Stranger(RIG.endpoints["control"], "stranger") as agent:
            kind, welcome = agent.join()
            self.assertEqual((kind, welcome.protocol_version), ("welcome", 1))
            agent.say(heartbeat=control.Heartbeat(sequence=7))
            self.assertEqual(agent.hear("heartbeat_ack")[1].sequence, 7)
            socket = agent.connect_clock(welcome)
            replies = [probe(socket, number) for number in range(1, 6)]
            socket.close()
        self.assertEqual([reply.sequence for reply in replies], [1, 2, 3, 4, 5])
        self.assertEqual({reply.t1_local_ns for reply in replies}, {123})
        self.assertEqual({reply.rig_clock_id for reply in replies}, {welcome.rig_clock_id})
        stamps = [stamp for reply in replies for stamp in (reply.t2_rig_ns, reply.t3_rig_ns)]
        self.assertEqual(stamps, sorted(stamps))

    def test_an_agent_that_has_not_said_hello_is_asked_to(self):
        with Stranger(RIG.endpoints["control"], "stranger") as agent:
            agent.say(heartbeat=control.Heartbeat(sequence=1))
            agent.hear("hello_required")
            _, welcome = agent.join()
            socket = agent.connect_collect(welcome)
            # A hello of another life of the agent binds nothing, so what follows it is not taken either.
            self.assertIsNone(collect_say(socket, agent.node, agent.epoch + 2, hello=collect.CollectHello()))
            answer = collect_say(socket, agent.node, agent.epoch, released=collect.Released())
            self.assertEqual(answer.WhichOneof("body"), "hello_required")
            self.assertIsNone(collect_say(socket, agent.node, agent.epoch, hello=collect.CollectHello()))
            self.assertIsNone(collect_say(socket, agent.node, agent.epoch, released=collect.Released()))
            socket.close()

    def test_a_second_machine_with_the_name_of_a_living_node_is_refused(self):
        with Stranger(RIG.endpoints["control"], RIG.nodes[0]) as clone:
            kind, refused = clone.join(boot_id="cloned-card")
        self.assertEqual((kind, refused.problem.code), ("refused", "conflict"))
        self.assert_works()

    def test_an_agent_of_another_protocol_version_is_refused(self):
        with Stranger(RIG.endpoints["control"], "stranger") as agent:
            kind, refused = agent.join(version=2)
        self.assertEqual((kind, refused.problem.code), ("refused", "protocolViolation"))


class BadPeers(Case):
    """Whatever is sent to a socket, the coordinator goes on and the next shot is complete."""

    @classmethod
    def setUpClass(cls):
        with Stranger(RIG.endpoints["control"], "scout") as agent:
            cls.welcome = agent.join()[1]
            cls.host = agent.host

    def send_bad_messages(self, endpoint, valid):
        hostile.send_all(endpoint, hostile.bad_messages(valid.SerializeToString()))
        hostile.raw_connections(endpoint)
        self.assert_works()

    def test_bad_messages_on_the_client_channel_are_counted_and_do_no_harm(self):
        before = self.rig.status().dropped_messages["client.malformed"]
        request = client.ClientRequest(request_id=1, trigger=trigger_request(all_cameras(nodes=["nobody"])))
        self.send_bad_messages(RIG.endpoints["client"], request)
        self.assertGreater(self.rig.status().dropped_messages["client.malformed"], before)

    def test_bad_messages_on_the_control_channel_do_no_harm(self):
        hello = control.Hello(protocol_version=1, boot_id="b", ring_depth_ns=1)
        self.send_bad_messages(RIG.endpoints["control"], control.AgentMessage(node="noise", epoch=1, hello=hello))

    def test_bad_messages_on_the_clock_channel_do_no_harm(self):
        endpoint = f"{self.host}:{self.welcome.clock_port}"
        self.send_bad_messages(endpoint, clock.ClockProbe(sequence=1, t1_local_ns=1))

    def test_bad_messages_on_the_collect_channel_do_no_harm(self):
        endpoint = f"{self.host}:{self.welcome.collect_port}"
        key = common.FileKey(
            shot_id=new_shot_id(), device=common.DeviceId(node=RIG.nodes[0], device="cam1"), kind="photo"
        )
        chunk = collect.Chunk(file=key, offset=1 << 62, count=1 << 62)
        for body in ({"chunk": chunk}, {"released": collect.Released(file=key)}):
            self.send_bad_messages(endpoint, collect.CollectFromAgent(node=RIG.nodes[0], epoch=1, **body))

    def test_bad_messages_on_the_feed_do_no_harm(self):
        endpoint = RIG.endpoints["feed"]
        socket = connect(zmq.XSUB, endpoint, -1)
        message = feed_messages.FeedMessage(beat=feed_messages.FeedBeat(coordinator_epoch=1, last_sequence=1 << 63))
        for number in range(1000):
            socket.send(b"\x01topic" + str(number).encode())  # a subscription
            socket.send(b"\x00never subscribed")
            socket.send(b"event/x\0" + message.SerializeToString())  # XPUB hands this to its user
        socket.close(linger=2000)
        hostile.raw_connections(endpoint)
        self.assert_works()
        with self.rig.feed() as feed:
            document = self.trigger()
            while feed.next().event.shot_id != document.shot_id:
                pass

    def test_an_oversized_message_ends_its_connection_and_nothing_else(self):
        sizes = {
            RIG.endpoints["client"]: CLIENT_LIMIT,
            RIG.endpoints["control"]: CONTROL_LIMIT,
            f"{self.host}:{self.welcome.clock_port}": 256,
            f"{self.host}:{self.welcome.collect_port}": 1 << 20,
        }
        for endpoint, limit in sizes.items():
            self.assertTrue(hostile.is_disconnected_after(endpoint, bytes(limit + 1)), endpoint)
        self.assert_works()

    def test_a_lying_agent_costs_the_others_nothing(self):
        extremes = (-(1 << 63), -1, 0, 1, (1 << 63) - 1)
        with Stranger(RIG.endpoints["control"], "liar") as liar:
            cameras = [liar.camera(f"cam{number}", phase_rig_ns=ns, period_ns=1) for number, ns in enumerate(extremes)]
            self.assertEqual(liar.join(cameras, ring_depth_ns=-(1 << 63))[0], "welcome")
            for number, extreme in enumerate(extremes):
                liar.say(heartbeat=lying_heartbeat(number, extreme))
                liar.say(events=lying_events(liar.epoch, extreme))
                liar.say(captured=lying_report(liar.node, extreme))
            document = self.rig.trigger(trigger_request(all_cameras(), timeout_ns=3 * 10**9))
            self.assertEqual(document.status, "partial")
            outcomes = {c["device"]["id"]: c["phase"] for c in json.loads(document.manifest_json)["captures"]}
            for name in RIG.numbers:
                self.assertEqual(outcomes[name], "done", name)
            for camera in cameras:
                self.assertEqual(outcomes[f"liar/{camera.device.id.device}"], "missed")
        self.await_true(
            "the liar has left and is still listed as connected",
            lambda: not any(node.node == "liar" and node.connected for node in self.rig.status().nodes),
        )
        self.rig.forget([camera.device.id for camera in cameras])
        self.assertNotIn("liar", {status.device.id.node for status in self.rig.devices()})
        self.assert_works()


def lying_heartbeat(sequence, extreme):
    return control.Heartbeat(
        sequence=sequence, clock_bound_ns=extreme, ring_depth_ns=extreme, spool_used_bytes=extreme,
        spool_free_bytes=extreme,
    )


def lying_events(epoch, extreme):
    event = common.Event(
        realtime_ns=extreme, local_ns=extreme, rig_ns=extreme, bound_ns=extreme, name="device.lying"
    )
    return control.EventBatch(
        events=[control.NumberedEvent(epoch=epoch, sequence=extreme % (1 << 64), event=event)]
    )


def lying_report(node, extreme):
    """A capture that nobody asked for."""
    frames = common.VideoFormat(pixel_format="MJPG", width=1, height=1, frame_interval_ns=1)
    return common.CaptureReport(
        shot_id=new_shot_id(), device=common.DeviceId(node=node, device="cam1"),
        resolved=common.ResolvedPhotoSettings(width=1, height=1, camera_encoded=True, stream_format=frames),
        timing=common.FrameTiming(
            sequence=extreme % (1 << 64), local_mid_exposure_ns=extreme, rig_mid_exposure_ns=extreme,
            bound_ns=extreme, skew_ns=extreme, rig_dequeued_ns=extreme,
        ),
        files=[common.SpooledFile(kind="photo", byte_count=1 << 40, sha256=bytes(32))],
    )


def pictures(document):
    """(device id, capture, path, file) of every stored file of a shot."""
    folder = pathlib.Path(document.library) / document.folder
    for capture in json.loads(document.manifest_json)["captures"]:
        for file in capture["files"]:
            if file["outcome"] == "done":
                yield capture["device"]["id"], capture, folder / file["path"], file


def finished_devices(events, shot_id):
    """Ids of the cameras whose agents have said that they are done with a shot."""
    return {
        f"{event.device.node}/{event.device.device}"
        for event in (numbered.event for numbered in events)
        if event.name == "capture.didFinishCapture" and event.shot_id == shot_id
    }


def main(programs, names):
    global RIG
    RIG = LocalRig(pathlib.Path(programs).resolve())
    suite = unittest.defaultTestLoader.loadTestsFromNames(names or ["__main__"])
    try:
        result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
        if not result.wasSuccessful():
            print(RIG.tails())
    finally:
        statuses = RIG.stop()
    unclean = {name: status for name, status in statuses.items() if status != 0}
    for name, status in unclean.items():
        print(f"FAIL interop: {name} ended with status {status}")
    failed = len(result.failures) + len(result.errors) + len(unclean)
    print(f"{result.testsRun - len(result.failures) - len(result.errors)} passed, {failed} failed")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [f"__main__.{name}" for name in sys.argv[2:]]))
