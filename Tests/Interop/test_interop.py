#!/usr/bin/env python3
"""What programs in other languages can rely on: python test_interop.py FOLDER-OF-RELEASE-PROGRAMS [TEST]..."""

import hashlib
import json
import pathlib
import secrets
import sys
import unittest
import uuid

import zmq

import hostile
import rogue
import timecode_decode
from caprig_client import CLIENT_LIMIT, PB, Feed, Place, Refused, all_cameras, client, clock, collect, common, connect
from caprig_client import PROTOCOL_VERSION, control, new_shot_id, trigger_request
from caprig_client import feed as feed_messages
from case import Case
from local_rig import Coordinator, LocalRig
from manifest_schema import manifest_of
from run_tests import run_tests
from stranger import CONTROL_LIMIT, Stranger, collect_say, probe
from test_aborts import ControlOfTheAttack, LinkedLibrary, NoAbort  # noqa: F401, run with the tests of this file
from test_frames import FramesChannel  # noqa: F401
from test_previews import SmallPictures  # noqa: F401
from test_sound import SoundChannel  # noqa: F401
from test_titles import Titles  # noqa: F401, so are these

device = PB["device"]


class ClientChannel(Case):
    def test_every_camera_is_listed_with_what_the_configuration_says(self):
        devices = {f"{d.device.id.node}/{d.device.id.device}": d for d in self.rig.devices()}
        for name in self.local.numbers:
            described, condition = devices[name].device, devices[name].condition
            self.assertEqual((described.media_type, described.type, described.driver), ("video", "wide", "virtual"))
            self.assertEqual(list(described.labels), ["test"])
            self.assertEqual(condition.state, "running")
            self.assertEqual((condition.format.width, condition.format.height), (640, 360))

    def test_a_shot_is_answered_when_every_picture_is_durable(self):
        seen = []
        request = trigger_request(all_cameras(nodes=self.local.nodes))
        document = self.rig.trigger(request, seen.append)
        self.assertEqual(document.status, "complete")
        self.assertEqual(document.shot_id, request.shot_id)
        self.assertTrue(seen, "no progress was told")
        for progress in seen:
            self.assertEqual((progress.shot_id, progress.captures.expected), (request.shot_id, len(self.local.numbers)))
        self.assertEqual(seen[-1].captures.done, len(self.local.numbers))
        for name, _, path, file in pictures(document):
            data = path.read_bytes()
            self.assertEqual(len(data), file["byteCount"], name)
            self.assertEqual(hashlib.sha256(data).hexdigest(), file["digest"], name)
            self.assertEqual((data[:2], data[-2:]), (b"\xff\xd8", b"\xff\xd9"), name)
        self.assertEqual({name for name, *_ in pictures(document)}, set(self.local.numbers))

    def test_the_skew_in_the_manifest_is_what_the_pixels_say(self):
        document = self.trigger()
        shot = manifest_of(document)
        pair = shot["wallClock"]
        realtime_of_t = pair["realtimeNanoseconds"] + shot["time"] - pair["monotonic"]
        for name, capture, path, _ in pictures(document):
            code = timecode_decode.decode(str(path))
            timing = capture["timing"]
            error = (code["realtimeNanoseconds"] - realtime_of_t) - timing["skewNanoseconds"]
            self.assertLessEqual(abs(error), timing["midExposure"]["boundNanoseconds"], name)
            self.assertEqual(code["cameraNumber"], self.local.numbers[name], name)

    def test_the_same_request_again_gets_the_same_shot(self):
        request = trigger_request(all_cameras(nodes=self.local.nodes))
        first = self.rig.trigger(request)
        again = self.rig.trigger(request)
        self.assertEqual(manifest_of(again), manifest_of(first))
        shots = [shot.shot_id for shot in self.rig.shots()]
        self.assertEqual(shots.count(request.shot_id), 1)

    def test_the_manifest_names_the_key_that_asked(self):
        anna = self.client("anna", "operator")
        request = trigger_request(all_cameras(nodes=self.local.nodes))
        first = anna.trigger(request)
        self.assertEqual(manifest_of(first)["triggeredBy"], {"name": "anna", "isAuthenticated": True})
        for claimed in ("ben@studio-1", "", "a\nb", "x" * 129):
            anna.name = claimed
            self.assertEqual(manifest_of(anna.trigger(request)), manifest_of(first))
        with self.assertRaises(Refused) as refused:
            self.rig.trigger(request)
        self.assertEqual(refused.exception.code, "conflict")

    def test_the_manifest_of_an_answer_is_the_file_that_the_library_has(self):
        document = self.trigger()
        stored = pathlib.Path(document.library, document.folder, "shot.json").read_bytes()
        self.assertEqual(self.rig.manifest(document), stored)
        self.assertEqual(self.rig.manifest(self.rig.shot(document.shot_id)), stored)

    def test_a_client_of_another_protocol_version_is_refused(self):
        for version in (0, PROTOCOL_VERSION + 1):
            socket = connect(zmq.DEALER, self.rig.endpoint, CLIENT_LIMIT, self.rig.keys)
            request = client.ClientRequest(request_id=1, protocol_version=version, get_status={})
            socket.send(request.SerializeToString())
            self.assertTrue(socket.poll(5000), "no answer")
            reply = client.ClientReply.FromString(socket.recv())
            socket.close()
            self.assertEqual(reply.failure.problem.code, "protocolViolation")
            self.assertIn(f"is {version}, the coordinator speaks {PROTOCOL_VERSION}", reply.failure.problem.message)

    def test_the_same_id_with_other_content_is_refused(self):
        first = self.trigger()
        with self.assertRaises(Refused) as refused:
            self.trigger(shot_id=first.shot_id, require_all=True)
        self.assertEqual(refused.exception.code, "conflict")
        self.assertEqual(self.rig.shot(first.shot_id).manifest, first.manifest)

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
        self.assertEqual(document.status, "complete", document.manifest.content.decode())

    def test_a_shot_is_found_and_verified_later(self):
        taken = self.trigger()
        self.assertEqual(self.rig.shot(taken.shot_id).folder, taken.folder)
        self.assertEqual({file.finding for file in self.rig.verify(taken.shot_id)}, {"ok"})
        next(pictures(taken))[2].write_bytes(b"something else")
        self.assertEqual({file.finding for file in self.rig.verify(taken.shot_id)}, {"ok", "altered"})

    def test_a_stored_file_is_read_and_verified_without_the_library(self):
        taken = self.trigger()
        for name, _, path, file in pictures(taken):
            data = self.rig.read(taken.shot_id, file["path"], part=10_000)
            self.assertEqual(hashlib.sha256(data).hexdigest(), file["digest"], name)
            self.assertEqual(data, path.read_bytes(), name)
        for name in ("../x", "shot.json", "/etc/passwd", file["path"] + "/", "node1.cam1/preview.jpg"):
            with self.assertRaises(Refused) as refused:
                self.rig.read(taken.shot_id, name)
            self.assertEqual(refused.exception.code, "unknownFile", name)
        path.write_bytes(bytes(len(data)))
        with self.assertRaises(ValueError):
            self.rig.read(taken.shot_id, file["path"])
        path.unlink()
        with self.assertRaises(Refused) as refused:
            self.rig.read(taken.shot_id, file["path"])
        self.assertEqual(refused.exception.code, "fileLost")

    def test_shots_are_listed_newest_first_and_page_by_page(self):
        taken = [self.trigger().shot_id for _ in range(3)]
        newest = [shot.shot_id for shot in self.rig.shots(limit=2)]
        self.assertEqual(newest, [taken[2], taken[1]])
        self.assertEqual(self.rig.shots(limit=1, before=taken[1])[0].shot_id, taken[0])

    def test_a_request_about_a_device_is_carried_out_once_on_whatever_connection_it_is_repeated(self):
        def turn(degrees, request_id=0):
            request = device.DeviceRequest(
                device=common.DeviceId(node="node1", device="cam1"),
                set_connection=device.SetConnection(orientation_degrees=degrees),
                id=request_id,
            )
            return list(self.rig.ask(device_request=request).device_reply.session.changes)

        self.addCleanup(turn, 0)
        request_id = secrets.randbits(63) + 1
        first = turn(90, request_id)
        self.assertEqual(len(first), 1, first)
        self.rig.reconnect()
        self.assertEqual(turn(90, request_id), first)
        self.assertEqual(turn(90), [], "without an id it is carried out again, and changes nothing")
        with self.assertRaises(Refused) as refused:
            turn(180, request_id)
        self.assertEqual(refused.exception.code, "conflict")

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
            while (finished := finished_devices(events, document.shot_id)) != set(self.local.numbers):
                events.append(feed.next())
        sequences = [event.sequence for event in events]
        self.assertEqual(sequences, list(range(sequences[0], sequences[0] + len(events))))
        self.assertEqual(len({event.coordinator_epoch for event in events}), 1)
        names = [event.event.name for event in events if event.event.shot_id == document.shot_id]
        self.assertEqual(names[0], "shot.accepted")
        self.assertEqual(len(finished), len(self.local.numbers))

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


    def test_a_life_of_the_coordinator_that_told_nothing_is_known_to_the_next(self):
        def live(name):
            coordinator = Coordinator(self.local.folder, self.local.programs_folder, self.local.folder / "lives", name=name)
            self.addCleanup(coordinator.stop)
            return coordinator

        first = live("first")
        keys = first.admin.member("stranger", "node")
        with Stranger(first.endpoints["control"], "stranger", keys) as agent, first.admin.client() as rig:
            agent.join()
            self.await_true("nothing is told of the agent", lambda: rig.replay()[1].events)
        first.stop()
        silent = live("silent")
        with silent.admin.client() as rig:
            epoch, log = rig.replay()
            self.assertTrue(log.events, "what the first life has told is gone")
            self.assertEqual(log.last_sequence, 0)
        silent.stop()
        with live("last").admin.client() as rig:
            _, log = rig.replay(epoch, 0)
            self.assertEqual((list(log.events), log.truncated), ([], False))


class HeldNoMore(unittest.TestCase):
    """A follower of a coordinator that holds less than it has told."""

    def test_events_lost_behind_the_last_one_held_are_not_missed(self):
        events = [client.FeedEvent(coordinator_epoch=7, sequence=number) for number in (1, 2, 5)]

        class Coordinator:
            endpoint, keys = "tcp://127.0.0.1:1", None

            def status(self):
                return client.RigStatus(feed_port=1)

            def replay(self, epoch=0, after=0):
                return 7, client.EventLog(events=[e for e in events if e.sequence > after], last_sequence=9)

        with Feed(Coordinator()) as feed:
            self.assertEqual([feed.next().sequence for _ in events], [1, 2, 5])
            self.assertEqual((feed.sequence, feed.lost), (9, 2 + 4))

    def test_events_of_a_left_life_are_told_once_where_its_successor_is_not_known(self):
        def life(epoch, count):
            return [client.FeedEvent(coordinator_epoch=epoch, sequence=number + 1) for number in range(count)]

        class Coordinator:
            """Holds what its lives have told, 3 events to a page; of one that is not held it begins with the oldest."""

            endpoint, keys = "tcp://127.0.0.1:1", None
            epoch, events = 7, life(7, 4)

            def status(self):
                return client.RigStatus(feed_port=1)

            def replay(self, epoch=0, after=0):
                held = [(event.coordinator_epoch, event.sequence) for event in self.events]
                start = held.index((epoch, after)) + 1 if (epoch, after) in held else 0
                if (epoch, after) == (self.epoch, 0):
                    start = len([event for event in self.events if event.coordinator_epoch != epoch])
                last = len([event for event in self.events if event.coordinator_epoch == self.epoch])
                return self.epoch, client.EventLog(events=self.events[start : start + 3], last_sequence=last)

        coordinator = Coordinator()
        with Feed(coordinator) as feed:
            coordinator.epoch = 8  # which tells nothing, and of which nothing is held
            feed.catch_up()
            coordinator.epoch, coordinator.events = 10, life(7, 4) + life(9, 2) + life(10, 1)
            feed.catch_up()
            told = [feed.next() for _ in range(7)]
            self.assertEqual(
                [(event.coordinator_epoch, event.sequence) for event in told],
                [(7, 1), (7, 2), (7, 3), (7, 4), (9, 1), (9, 2), (10, 1)],
            )
            self.assertEqual((feed.ready, feed.lost), ([], 0))


class AgentChannels(Case):
    def test_an_agent_in_another_language_is_welcomed_and_told_the_time(self):
        with self.agent("stranger") as agent:
            kind, welcome = agent.join()
            self.assertEqual((kind, welcome.protocol_version), ("welcome", PROTOCOL_VERSION))
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
        with self.agent("stranger") as agent:
            agent.say(heartbeat=control.Heartbeat(sequence=1))
            agent.hear("hello_required")
            _, welcome = agent.join()
            socket = agent.connect_collect(welcome)
            # A hello of another life of the agent binds nothing, so what follows it is not taken either.
            self.assertIsNone(collect_say(socket, agent.node, agent.epoch + 2, hello=collect.CollectHello()))
            answer = collect_say(socket, agent.node, agent.epoch, released=collect.Released())
            self.assertEqual(answer.WhichOneof("body"), "hello_required")
            answer = collect_say(socket, agent.node, agent.epoch, keep_alive=collect.CollectKeepAlive())
            self.assertEqual(answer.WhichOneof("body"), "hello_required")
            self.assertIsNone(collect_say(socket, agent.node, agent.epoch, hello=collect.CollectHello()))
            self.assertIsNone(collect_say(socket, agent.node, agent.epoch, released=collect.Released()))
            answer = collect_say(socket, agent.node, agent.epoch, keep_alive=collect.CollectKeepAlive())
            self.assertEqual((answer.WhichOneof("body"), answer.agent_epoch), ("keep_alive", agent.epoch))
            socket.close()

    def test_a_second_machine_with_the_name_of_a_living_node_is_refused(self):
        node = self.local.nodes[0]
        with Stranger(self.local.endpoints["control"], node, self.local.node_keys(node)) as clone:
            kind, refused = clone.join(boot_id="cloned-card")
        self.assertEqual((kind, refused.problem.code), ("refused", "conflict"))
        self.assert_works()

    def test_an_agent_of_another_protocol_version_is_refused(self):
        with self.agent("stranger") as agent:
            kind, refused = agent.join(version=PROTOCOL_VERSION + 1)
        self.assertEqual((kind, refused.problem.code), ("refused", "protocolViolation"))


class BadPeers(Case):
    """Whatever is sent to a socket, the coordinator goes on and the next shot is complete."""

    NODE = "scout"

    def setUp(self):
        super().setUp()
        with self.agent(self.NODE) as agent:
            welcome, host = agent.join()[1], agent.host
        self.control = Place(self.local.endpoints["control"], agent.keys)
        self.clock = Place(f"{host}:{welcome.clock_port}", agent.keys)
        self.collect = Place(f"{host}:{welcome.collect_port}", agent.keys)
        self.channel = Place(self.rig.endpoint, self.rig.keys)
        self.feed = Place(self.local.endpoints["feed"], self.rig.keys)

    def send_bad_messages(self, place, valid):
        hostile.send_all(place, hostile.bad_messages(valid.SerializeToString()))
        hostile.raw_connections(place.endpoint)
        self.assert_works()

    def test_bad_messages_on_the_client_channel_are_counted_and_do_no_harm(self):
        before = self.rig.status().dropped_messages["client.malformed"]
        request = client.ClientRequest(
            request_id=1, protocol_version=PROTOCOL_VERSION, trigger=trigger_request(all_cameras(nodes=["nobody"])))
        self.send_bad_messages(self.channel, request)
        self.assertGreater(self.rig.status().dropped_messages["client.malformed"], before)

    def test_bad_messages_on_the_control_channel_do_no_harm(self):
        hello = control.Hello(protocol_version=PROTOCOL_VERSION, boot_id="b", ring_depth_ns=1)
        self.send_bad_messages(self.control, control.AgentMessage(node=self.NODE, epoch=1, hello=hello))

    def test_bad_messages_on_the_clock_channel_do_no_harm(self):
        self.send_bad_messages(self.clock, clock.ClockProbe(sequence=1, t1_local_ns=1))

    def test_bad_messages_on_the_collect_channel_do_no_harm(self):
        key = common.FileKey(
            shot_id=new_shot_id(), device=common.DeviceId(node=self.local.nodes[0], device="cam1"), kind="photo"
        )
        chunk = collect.Chunk(file=key, offset=1 << 62, count=1 << 62)
        for body in ({"chunk": chunk}, {"released": collect.Released(file=key)}):
            for node in (self.local.nodes[0], self.NODE):
                self.send_bad_messages(self.collect, collect.CollectFromAgent(node=node, epoch=1, **body))

    def test_bad_messages_on_the_feed_do_no_harm(self):
        socket = connect(zmq.XSUB, self.feed.endpoint, -1, self.feed.keys)
        message = feed_messages.FeedMessage(beat=feed_messages.FeedBeat(coordinator_epoch=1, last_sequence=1 << 63))
        for number in range(1000):
            socket.send(b"\x01topic" + str(number).encode())  # a subscription
            socket.send(b"\x00never subscribed")
            socket.send(b"event/x\0" + message.SerializeToString())  # XPUB hands this to its user
        socket.close(linger=2000)
        hostile.raw_connections(self.feed.endpoint)
        self.assert_works()
        with self.rig.feed() as feed:
            document = self.trigger()
            while feed.next().event.shot_id != document.shot_id:
                pass

    def test_the_status_tells_of_connections_that_were_refused(self):
        def refused(cause):
            return self.rig.status().refused_connections[cause]

        before = {cause: refused(cause) for cause in ("feed.topicLimit", "control.protocolError")}
        socket = connect(zmq.XSUB, self.feed.endpoint, -1, self.feed.keys)
        for number in range(257):
            socket.send(b"\x01topic" + str(number).encode())
        hostile.ask_for_another_mechanism(self.local.endpoints["control"])
        for cause, count in before.items():
            self.await_true(f"{cause} is not counted", lambda: refused(cause) > count)
        socket.close()
        self.assert_works()

    def test_an_oversized_message_ends_its_connection_and_nothing_else(self):
        limits = {self.channel: CLIENT_LIMIT, self.control: CONTROL_LIMIT, self.clock: rogue.HANDSHAKE_LIMIT, self.collect: 1 << 20}
        for place, limit in limits.items():
            self.assertTrue(hostile.is_disconnected_after(place, bytes(limit + 1)), place.endpoint)
        self.assert_works()

    def test_a_lying_agent_costs_the_others_nothing(self):
        extremes = (-(1 << 63), -1, 0, 1, (1 << 63) - 1)
        with self.agent("liar") as liar:
            cameras = [liar.camera(f"cam{number}", phase_rig_ns=ns, period_ns=1) for number, ns in enumerate(extremes)]
            self.assertEqual(liar.join(cameras, ring_depth_ns=-(1 << 63))[0], "welcome")
            for number, extreme in enumerate(extremes):
                liar.say(heartbeat=lying_heartbeat(number, extreme))
                liar.say(events=lying_events(liar.epoch, extreme))
                liar.say(captured=lying_report(liar.node, extreme))
            document = self.rig.trigger(trigger_request(all_cameras(), timeout_ns=3 * 10**9))
            self.assertEqual(document.status, "partial")
            outcomes = {c["device"]["id"]: c["phase"] for c in manifest_of(document)["captures"]}
            for name in self.local.numbers:
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


class UnderAttack(Case):
    def test_a_rig_that_is_attacked_on_every_port_takes_every_picture_in_time(self):
        trial = rogue.Trial(self.local, seconds=45)
        trial.run()
        trial.report()
        self.assertEqual(trial.problems, [])


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
    """A capture that nobody asked for, as JSON."""
    frames = {"pixelFormat": "MJPG", "width": 1, "height": 1, "frameIntervalNanoseconds": 1}
    return json.dumps({
        "key": {"shot": str(uuid.UUID(bytes=new_shot_id())), "device": f"{node}/cam1"},
        "resolved": {"width": 1, "height": 1, "isCameraEncoded": True, "orientation": 0, "streamFormat": frames},
        "timing": {
            "sequence": extreme % (1 << 64), "localMidExposure": extreme, "skewNanoseconds": extreme, "dequeued": extreme,
            "midExposure": {"time": extreme, "boundNanoseconds": extreme},
        },
        "files": [{"kind": "photo", "byteCount": 1 << 40, "digest": "00" * 32}],
    })


def pictures(document):
    """(device id, capture, path, file) of every stored file of a shot."""
    folder = pathlib.Path(document.library) / document.folder
    for capture in manifest_of(document)["captures"]:
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
    Case.local = rig = LocalRig(pathlib.Path(programs).resolve())
    return run_tests(rig, names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [f"__main__.{name}" for name in sys.argv[2:]]))
