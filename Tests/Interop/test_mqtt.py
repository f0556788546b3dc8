#!/usr/bin/env python3
"""The gateway as a bridge to MQTT: python test_mqtt.py FOLDER-OF-RELEASE-PROGRAMS [TEST]...

A mosquitto broker, a rig of virtual cameras with its gateways, and a small client of paho-mqtt and mosquitto_pub. Templates of Home Assistant's
discovery are rendered as Home Assistant does, with Jinja.
"""

import datetime
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import uuid

import jinja2.sandbox
import paho.mqtt.client as mqtt
from paho.mqtt.subscribeoptions import SubscribeOptions

from case import Case
from local_rig import LocalRig, Program
from run_tests import run_tests

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "Sources" / "Interfaces" / "WebGateway" / "Page"
LOGIN = ("caprig", "a pass:word")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Broker:
    """mosquitto with two listeners on loopback: plain text for everybody, TLS for those who sign in."""

    def __init__(self, folder):
        self.folder = folder / "broker"
        self.folder.mkdir()
        self.port, self.tls_port, self.process = free_port(), free_port(), None
        self.make_certificates()
        passwords = self.folder / "passwords"
        passwords.touch(mode=0o600)
        subprocess.run(["mosquitto_passwd", "-b", passwords, *LOGIN], check=True, capture_output=True)
        user = "user root\n" if os.geteuid() == 0 else ""
        (self.folder / "mosquitto.conf").write_text(
            f"{user}per_listener_settings true\nlistener {self.port} 127.0.0.1\nallow_anonymous true\n"
            f"listener {self.tls_port} 127.0.0.1\nallow_anonymous false\npassword_file {passwords}\n"
            f"certfile {self.folder}/broker.pem\nkeyfile {self.folder}/broker.key\n")
        self.start()

    @property
    def authority(self):
        return self.folder / "authority.pem"

    def make_certificates(self):
        def openssl(*words):
            subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=self.folder)
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        openssl("req", "-x509", *key, "-keyout", "authority.key", "-out", "authority.pem", "-days", "2", "-subj", "/CN=test")
        openssl("req", *key, "-keyout", "broker.key", "-out", "broker.csr", "-subj", "/CN=localhost")
        (self.folder / "names").write_text("subjectAltName=DNS:localhost")
        openssl("x509", "-req", "-in", "broker.csr", "-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial",
                "-out", "broker.pem", "-days", "2", "-extfile", "names")

    def start(self):
        program = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [program, "-c", self.folder / "mosquitto.conf"], stdout=log, stderr=log)
        deadline = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.tls_port), 1).close()
                return
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise RuntimeError((self.folder / "log").read_text()) from None
                time.sleep(0.02)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(10)


class Gateway(Program):
    """`capwebd` with a key of its own."""

    def __init__(self, rig, name, *options):
        home = rig.folder / name
        if not home.exists():
            code = rig.admin.invite(name, "dashboard")
            joined = subprocess.run(
                [rig.programs_folder / "capctl", "join", code, "--context", "rig"], capture_output=True, timeout=60,
                env={**os.environ, "XDG_CONFIG_HOME": str(home)})
            if joined.returncode != 0:
                raise RuntimeError(joined.stderr.decode())
        command = [rig.programs_folder / "capwebd", "--context", "rig", "--port", 0, "--page", PAGE, *options]
        super().__init__(rig.folder, name, [str(word) for word in command], {"XDG_CONFIG_HOME": str(home)})
        rig.programs.append(self)
        self.rig = rig
        self.port = urllib.parse.urlsplit(self.announcement()["address"]).port

    def metrics(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {self.rig.viewer}"})
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    def figure(self, name):
        """A figure of the bridge without labels."""
        return int(next(line.split()[1] for line in self.metrics().splitlines() if line.startswith(f"caprig_mqtt_{name} ")))

    def end(self, kill=False):
        self.rig.programs.remove(self)
        if kill:
            self.process.kill()
            return self.process.wait()
        return self.stop()


class MQTTRig(LocalRig):
    """A rig with a broker and a gateway that is a bridge to it."""

    def __init__(self, programs):
        self.broker = self.gateway = None
        super().__init__(programs, nodes=1, cameras=2, rate=30)
        try:
            self.viewer, _ = self.token("view")
            self.broker = Broker(self.folder)
            self.start_gateway()
        except BaseException:
            self.stop()
            raise

    def token(self, permission):
        """A token, and the id of its session."""
        made = self.admin.capctl("web", "token", "--label", "mqtt", "--may", permission)
        return made["token"], made["session"]["id"]

    def private(self, name, text):
        path = self.folder / name
        path.touch(mode=0o600)
        path.write_text(text + "\n")
        return path

    def start_gateway(self):
        token, self.session = self.token("trigger")
        token = self.private("trigger.token", token)
        self.gateway = Gateway(
            self, "web", "--mqtt", f"127.0.0.1:{self.broker.port}", "--mqtt-token", token, "--mqtt-pictures", 1)

    def start_other(self):
        """A gateway that reaches the broker over TLS and signs in."""
        return Gateway(
            self, "other", "--mqtt", f"localhost:{self.broker.tls_port}", "--mqtt-ca", self.broker.authority,
            "--mqtt-login", self.private("login", ":".join(LOGIN)), "--mqtt-token", self.folder / "trigger.token")

    def stop(self):
        if self.broker:
            self.broker.stop()
        return super().stop()


class Client:
    """Somebody who reads everything, with what was published as retained marked so."""

    def __init__(self, port):
        self.messages, self.change = [], threading.Condition()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.on_message = self.note
        self.client.on_connect = lambda client, *_: client.subscribe("#", options=SubscribeOptions(qos=1, retainAsPublished=True))
        self.client.connect("127.0.0.1", port)
        self.client.reconnect_delay_set(1, 1)
        self.client.loop_start()

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()

    def note(self, _client, _context, message):
        with self.change:
            self.messages.append(message)
            self.change.notify_all()

    @property
    def position(self):
        return len(self.messages)

    def publish(self, topic, document, retain=False):
        payload = document if isinstance(document, (str, bytes)) else json.dumps(document)
        self.client.publish(topic, payload, qos=1, retain=retain).wait_for_publish(10)

    def await_message(self, topic, matches=lambda payload: True, after=0, seconds=10):
        """The first message of a topic, from a position on, for which this is so."""
        deadline = time.monotonic() + seconds
        with self.change:
            while True:
                for message in self.messages[after:]:
                    if message.topic == topic and matches(message.payload):
                        return message
                if not self.change.wait(deadline - time.monotonic()) and time.monotonic() >= deadline:
                    topics = sorted({message.topic for message in self.messages[after:]})
                    raise AssertionError(f"no such message of {topic} came; of these some did: {topics}")

    def await_result(self, state, id, after=0, topic="caprig/rig/trigger/result"):
        is_meant = lambda payload: (lambda result: (result["state"], result.get("id")) == (state, id))(json.loads(payload))
        return json.loads(self.await_message(topic, is_meant, after, seconds=20).payload)


def rendered(template, **values):
    """A template as Home Assistant renders it."""
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined)
    environment.globals["utcnow"] = lambda: datetime.datetime.now(datetime.timezone.utc)
    return environment.from_string(template).render(**values)


def request(id=None, **members):
    sent = datetime.datetime.now(datetime.timezone.utc).isoformat()
    return {"id": id or str(uuid.uuid4()), "sent": sent, "selection": {"choice": {"all": {}}}, **members}


class MQTT(Case):
    trigger = "caprig/rig/trigger"

    def setUp(self):
        super().setUp()
        self.client = Client(self.local.broker.port)
        self.addCleanup(self.client.close)
        # Everything that the broker keeps has come once this gateway publishes.
        self.client.await_message("caprig/rig/availability", lambda payload: payload == b"online", seconds=20)

    def shots(self):
        return {shot["id"] for shot in self.local.admin.capctl("shots", "list")["shots"]}

    def discovered(self):
        """The entities by component and object."""
        found = {}
        for message in self.client.messages:
            if message.topic.startswith("homeassistant/") and message.topic.endswith("/config"):
                _, component, node, entity, _ = message.topic.split("/")
                self.assertEqual(node, "caprig_rig")
                if message.payload:
                    found[component, entity] = json.loads(message.payload)
        return found

    def test_a_rig_is_discovered_with_its_cameras_sensors_and_button(self):
        wanted = {("button", "trigger"), ("sensor", "openShots"), ("sensor", "node1_desk_state")}
        for camera in ("cam1", "cam2"):
            wanted |= {("camera", f"node1_{camera}_picture")}
            wanted |= {("sensor", f"node1_{camera}_{word}") for word in ("state", "rate", "drops", "skew")}
        self.await_true("every entity is announced", lambda: set(self.discovered()) == wanted)
        entities = self.discovered()
        self.assertEqual(len({entity["unique_id"] for entity in entities.values()}), len(wanted))
        for entity in entities.values():
            self.assertEqual([place["topic"] for place in entity["availability"]], ["caprig/rig/availability", "caprig/rig/coordinator"])
            for place in entity["availability"]:
                self.client.await_message(place["topic"], lambda payload: payload == b"online")
            self.assertTrue(entity["name"] and entity["origin"]["name"] and entity["device"]["identifiers"])
        self.assertEqual(entities["sensor", "node1_cam1_state"]["device"]["via_device"], "caprig/rig")
        for key, entity in entities.items():
            if key[0] == "sensor":
                document = json.loads(self.client.await_message(entity["state_topic"]).payload)
                value = rendered(entity["value_template"], value_json=document)
                self.assertRegex(value, {
                    "node1_desk_state": "^(stopped|running)$", "node1_cam1_state": "^running$", "node1_cam2_state": "^running$",
                }.get(key[1], r"^(None|-?[0-9]+(\.[0-9]+)?)$"), key)
                if "json_attributes_topic" in entity:
                    attributes = json.loads(rendered(entity["json_attributes_template"], value_json=document))
                    # Nothing needs the microphone, which its reason says.
                    self.assertEqual(attributes["reason"] == "", key[1] != "node1_desk_state", attributes)
                    self.assertTrue(attributes["purpose"])
        for camera in ("cam1", "cam2"):
            picture = self.client.await_message(entities["camera", f"node1_{camera}_picture"]["topic"])
            self.assertEqual((picture.payload[:3], picture.payload[-2:]), (b"\xff\xd8\xff", b"\xff\xd9"))
            self.assertFalse(picture.retain)

    def test_pictures_of_a_turned_camera_stand_upright(self):
        turn = lambda degrees: self.local.admin.capctl("session", "turn", "node1/cam2", "--orientation", degrees)
        self.addCleanup(turn, "0")
        turn("90")
        path = self.local.folder / "turned.jpg"

        def stands_upright(payload):
            path.write_bytes(payload)
            said = subprocess.run(["exiftool", "-s3", "-n", "-ImageSize", "-Orientation", path], check=True, capture_output=True, text=True)
            return said.stdout.split() == ["360", "640"]

        self.client.await_message("caprig/rig/devices/node1/cam2/picture", stands_upright)

    def test_home_assistant_is_told_again_when_it_has_started(self):
        self.client.await_message("homeassistant/button/caprig_rig/trigger/config")
        before = self.client.position
        self.client.publish("homeassistant/status", "online")
        for topic in ("button/caprig_rig/trigger", "sensor/caprig_rig/node1_cam2_skew"):
            self.client.await_message(f"homeassistant/{topic}/config", after=before)

    def test_the_button_takes_a_picture(self):
        button = json.loads(self.client.await_message("homeassistant/button/caprig_rig/trigger/config").payload)
        pressed, before = rendered(button["command_template"]), self.client.position
        self.client.publish(button["command_topic"], pressed, retain=button["retain"])
        id = json.loads(pressed)["id"]
        accepted = self.client.await_result("accepted", id)
        result = self.client.await_result("complete", id)
        self.assertEqual((result["shot"], result["outcome"]), (accepted["shot"], "complete"))
        # With a clip of each camera, as `capctl trigger`.
        self.assertEqual(sorted((file["device"], file["kind"], file["outcome"]) for file in result["report"]["files"]),
                         [(f"node1/cam{number}", kind, "done") for number in (1, 2) for kind in ("pairedVideo", "photo")])
        for file in result["report"]["files"]:
            self.assertEqual(os.path.getsize(file["path"]), int(file["byteCount"]))
        # The audit log names the gateway, and the token that it acts with.
        records = self.local.admin.capctl("audit", "list")["records"]
        record = next(record for record in records if accepted["shot"] in json.dumps(record))
        self.assertEqual((record["details"]["gateway"], record["details"]["session"]), ("web", self.local.session))
        # Events and figures follow.
        settled = json.loads(self.client.await_message("caprig/rig/events/shot.settled", after=before).payload)
        self.assertEqual((settled["name"], settled["shot"]), ("shot.settled", accepted["shot"]))
        for file in result["report"]["files"]:
            skew = lambda payload: json.loads(payload).get("lastShot") == accepted["shot"]
            figures = json.loads(self.client.await_message(f"caprig/rig/devices/{file['device']}/figures", skew).payload)
            self.assertEqual(figures["lastSkewNanoseconds"], file["skewNanoseconds"])

    def test_mosquitto_pub_takes_a_picture_of_one_camera(self):
        message = request(selection={"devices": ["node1/cam2"]}, time={"soon": {"lead": 50000000}})
        subprocess.run(["mosquitto_pub", "-h", "127.0.0.1", "-p", str(self.local.broker.port), "-q", "1", "-t", self.trigger,
                        "-m", json.dumps(message)], check=True, timeout=10)
        result = self.client.await_result("complete", message["id"])
        self.assertEqual({file["device"] for file in result["report"]["files"]}, {"node1/cam2"})

    def test_an_id_is_one_shot(self):
        before, message = self.shots(), request()
        for _ in range(2):
            start = self.client.position
            self.client.publish(self.trigger, message)
            shot = self.client.await_result("complete", message["id"], start)["shot"]
            self.assertEqual(self.shots() - before, {shot})
        self.client.publish(self.trigger, request(message["id"]))
        self.assertEqual(self.client.await_result("refused", message["id"])["problem"]["code"], "conflict")
        # Another content with the same id and date is refused by the rig itself.
        start = self.client.position
        self.client.publish(self.trigger, {**message, "requireAll": True})
        self.assertEqual(self.client.await_result("refused", message["id"], start)["problem"]["code"], "conflict")
        self.assertEqual(self.shots() - before, {shot})

    def test_what_is_retained_old_or_unreadable_triggers_nothing(self):
        before, retained = self.shots(), request()
        self.client.publish(self.trigger, retained, retain=True)
        self.addCleanup(self.client.publish, self.trigger, b"", True)
        problem = self.client.await_result("refused", retained["id"])["problem"]
        self.assertIn("retained", problem["detail"])
        old = request(sent="2026-01-01T00:00:00Z")
        self.client.publish(self.trigger, old)
        self.assertEqual(self.client.await_result("refused", old["id"])["problem"]["code"], "expired")
        for text in ("PRESS", '{"id": "a"}', '{"sent": []}', b"\xff\xfe", "[" * 10_000):
            start = self.client.position
            self.client.publish(self.trigger, text)
            refused = self.client.await_message("caprig/rig/trigger/result", after=start)
            self.assertEqual(json.loads(refused.payload)["problem"]["code"], "badRequest", text)
        # Longer than the gateway takes, so the broker does not deliver it.
        self.client.publish(self.trigger, json.dumps(request()) + " " * 100_000)
        # A gateway that comes later does not get what is kept for it either.
        self.assertEqual(self.local.gateway.end(), 0)
        self.client.await_message("caprig/rig/availability", lambda payload: payload == b"offline")
        start = self.client.position
        self.local.start_gateway()
        self.client.await_message("caprig/rig/availability", lambda payload: payload == b"online", after=start)
        message = request()
        self.client.publish(self.trigger, message)
        shot = self.client.await_result("complete", message["id"])["shot"]
        self.assertEqual(self.shots() - before, {shot})

    def test_what_an_earlier_gateway_left_of_gone_devices_is_removed(self):
        kept = ("homeassistant/sensor/caprig_rig/node1_old_state/config", "caprig/rig/devices/node1/old/state")
        for topic in kept:
            start = self.client.position
            self.client.publish(topic, "{}", retain=True)
            self.client.await_message(topic, lambda payload: payload == b"", after=start)

    def test_without_the_permission_a_message_is_refused_by_name(self):
        token = self.local.private("view.token", self.local.viewer)
        broker = f"127.0.0.1:{self.local.broker.port}"
        gateway = Gateway(self.local, "viewer", "--mqtt", broker, "--mqtt-token", token, "--mqtt-prefix", "viewers", "--mqtt-discovery", "")
        try:
            self.client.await_message("viewers/rig/availability", lambda payload: payload == b"online")
            self.client.await_message("viewers/rig/state")
            message, before = request(), self.shots()
            self.client.publish("viewers/rig/trigger", message)
            problem = self.client.await_result("refused", message["id"], topic="viewers/rig/trigger/result")["problem"]
            self.assertEqual(problem["code"], "notPermitted")
            self.assertIn("'trigger'", problem["detail"])
            self.assertEqual(self.shots(), before)
        finally:
            self.assertEqual(gateway.end(), 0)
        self.assertFalse([topic for topic in self.discovered() if "viewers" in json.dumps(self.discovered()[topic])])

    def test_a_token_file_that_others_can_read_is_refused(self):
        path = self.local.private("open.token", self.local.viewer)
        path.chmod(0o644)
        done = subprocess.run(
            [self.local.programs_folder / "capwebd", "--context", "rig", "--mqtt", "localhost", "--mqtt-token", path],
            capture_output=True, text=True, timeout=20, env={**os.environ, "XDG_CONFIG_HOME": str(self.local.folder / "web")})
        self.assertEqual(done.returncode, 64)
        self.assertIn("chmod 600", done.stderr)

    def test_a_broker_that_does_not_admit_the_gateway_is_told(self):
        gateway = Gateway(
            self.local, "stranger", "--mqtt", f"localhost:{self.local.broker.tls_port}", "--mqtt-ca", self.local.broker.authority,
            "--mqtt-login", self.local.private("wrong.login", "caprig:wrong"), "--mqtt-prefix", "strangers")
        try:
            self.await_true("the reason is told", lambda: "it does not admit this client: Not authorized" in gateway.log.read_text())
            self.assertEqual(gateway.figure("connected"), 0)
        finally:
            self.assertEqual(gateway.end(), 0)

    def assert_one_publishes(self, owner, standby):
        """The standby is connected, and stays one for longer than the longest grace."""
        self.await_true("the standby is connected", lambda: standby.figure("connected") == 1)
        deadline = time.monotonic() + 1.8
        while time.monotonic() < deadline:
            self.assertEqual([gateway.figure("publishing") for gateway in (owner, standby)], [1, 0])
            time.sleep(0.1)

    def test_of_two_gateways_one_publishes_and_the_other_follows_it(self):
        other = self.local.start_other()
        first = self.local.gateway
        self.assert_one_publishes(first, other)
        for kill in (True, False):
            start = self.client.position
            first.end(kill)
            self.client.await_message("caprig/rig/availability", lambda payload: payload == b"offline", after=start)
            begun = time.monotonic()
            self.client.await_message("caprig/rig/availability", lambda payload: payload == b"online", after=start)
            self.assertLess(time.monotonic() - begun, 4)
            message, before = request(), self.shots()
            self.client.publish(self.trigger, message)
            taken = self.client.await_result("complete", message["id"])["shot"]
            self.assertEqual(self.shots() - before, {taken})
            first, other = other, None
            if kill:
                self.local.start_gateway()
                other = self.local.gateway
                self.assert_one_publishes(first, other)

    def test_the_bridge_comes_back_with_the_broker(self):
        gateway, start = self.local.gateway, self.client.position
        ended = gateway.figure("ended_connections_total")
        self.local.broker.stop()
        self.await_true("the gateway notices", lambda: gateway.figure("connected") == 0)
        self.await_true("the gateway tries again", lambda: gateway.figure("ended_connections_total") >= ended + 2)
        self.assertIn("caprig_coordinator_up 1\n", gateway.metrics())
        self.local.broker.start()
        self.client.await_message("caprig/rig/availability", lambda payload: payload == b"online", after=start, seconds=20)
        self.client.await_message("homeassistant/camera/caprig_rig/node1_cam1_picture/config", after=start)
        message = request()
        self.client.publish(self.trigger, message)
        self.assertEqual(self.client.await_result("complete", message["id"])["outcome"], "complete")
        said = [line for line in gateway.log.read_text().splitlines() if "Connection refused" in line]
        self.assertLessEqual(len(said), 1, "what has not changed is said once")

    def test_a_silent_coordinator_is_told(self):
        coordinator, start = self.local.coordinator.process, self.client.position
        coordinator.send_signal(signal.SIGSTOP)
        try:
            self.client.await_message("caprig/rig/coordinator", lambda payload: payload == b"offline", after=start)
            start = self.client.position
        finally:
            coordinator.send_signal(signal.SIGCONT)
        self.client.await_message("caprig/rig/coordinator", lambda payload: payload == b"online", after=start)
        self.local.await_readiness()

    def test_figures_of_the_bridge_are_what_prometheus_expects(self):
        text = self.local.gateway.metrics()
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=30)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""), text)
        self.assertIn("caprig_mqtt_connected 1\ncaprig_mqtt_publishing 1\n".splitlines()[0], text)
        self.assertGreater(self.local.gateway.figure("sent_messages_total"), 10)
        self.assertIn('caprig_mqtt_lost_messages_total{cause="tooMany"} 0\n', text)
        self.assertIn('caprig_mqtt_triggers_total{state="complete"} ', text)


def main(programs, names):
    Case.local = rig = MQTTRig(pathlib.Path(programs).resolve())
    return run_tests(rig, [f"__main__.{name}" for name in names])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
