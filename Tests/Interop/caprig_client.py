"""A client of a Caprig rig, written from proto/ and docs/protocol/ alone.

    rig = Rig("tcp://127.0.0.1:7713", keys=Keys.read("anna.key_secret", coordinator_key))
    for status in rig.devices():
        print(status.device.id.node, status.device.id.device, status.condition.state)
    document = rig.trigger(all_cameras())
    with rig.feed() as feed:
        print(feed.next().event.name)

It needs pyzmq, protobuf and `protoc`. One thread uses a Rig and its feeds.
"""

import atexit
import contextlib
import hashlib
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import typing

import zmq
import zmq.auth

PROTO = pathlib.Path(__file__).resolve().parents[2] / "proto"
PROTOCOL_VERSION = 4
CLIENT_LIMIT = 4 << 20  # bytes of a message on the client channel
PART = 1 << 18  # bytes of a file in one answer
FEED_LIMIT = (1 << 16) + 65  # bytes of a message on the feed: topic, NUL, protobuf


def generate(folder=PROTO):
    """Python modules of the package caprig.v1, generated into a temporary folder; by channel name."""
    out = tempfile.mkdtemp(prefix="caprig-pb2-")
    atexit.register(shutil.rmtree, out, ignore_errors=True)
    files = sorted(str(path.relative_to(folder)) for path in folder.glob("caprig/v1/*.proto"))
    subprocess.run(["protoc", f"-I{folder}", f"--python_out={out}", *files], check=True)
    sys.path.insert(0, out)
    return {name: importlib.import_module(f"caprig.v1.{name}_pb2") for name in (pathlib.Path(f).stem for f in files)}


PB = generate()
common, client, control, clock, collect, feed, frames = (
    PB[name] for name in ("common", "client", "control", "clock", "collect", "feed", "frames")
)


class Refused(Exception):
    """The coordinator has answered with a problem."""

    def __init__(self, problem):
        super().__init__(f"{problem.code}: {problem.message}")
        self.code, self.message = problem.code, problem.message


class NoAnswer(Exception):
    """Nobody has answered in time; every request may be repeated."""


def new_shot_id(seconds=None):
    """A UUIDv7: 48 bits of milliseconds since 1970 (by default this machine's), version, variant, random."""
    data = bytearray(int((time.time() if seconds is None else seconds) * 1000).to_bytes(6, "big") + os.urandom(10))
    data[6] = 0x70 | data[6] & 0x0F
    data[8] = 0x80 | data[8] & 0x3F
    return bytes(data)


def all_cameras(**filters):
    """Every camera of the roster, or those of the given nodes, devices or labels: `selection` of a request."""
    return {"choice": {"all": {}}, **filters}


def trigger_request(selection, shot_id=None, settings=None, require_all=False, timeout_ns=0, **instant):
    """One picture by the selected cameras, as soon as possible unless `lead_ns`, `relative_ns` or `realtime_ns` says otherwise."""
    times = {
        "lead_ns": lambda ns: {"soon": {"lead": ns}}, "relative_ns": lambda ns: {"relative": {"nanoseconds": ns}},
        "realtime_ns": lambda ns: {"absolute": {"realtimeNanoseconds": ns}},
    }
    time = next((times[name](ns) for name, ns in instant.items()), {"soon": {}})
    request = {"selection": selection, "settings": settings or {}, "time": time, "requireAll": require_all}
    return client.Trigger(shot_id=shot_id or new_shot_id(), request=json.dumps(request), timeout_ns=timeout_ns)


def changed(trigger, **members):
    """The same trigger with other members of its request, which docs/schema/shot-request-v1.json describes."""
    return client.Trigger(
        shot_id=trigger.shot_id, request=json.dumps({**json.loads(trigger.request), **members}),
        timeout_ns=trigger.timeout_ns)


class Channel:
    """What has one socket, which is closed behind a `with`."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()


class Rig(Channel):
    """The client channel of a coordinator."""

    def __init__(self, endpoint, patience=5.0, name="", keys=None):
        self.endpoint, self.patience, self.name, self.keys = endpoint, patience, name, keys
        self.socket = connect(zmq.DEALER, endpoint, CLIENT_LIMIT, keys)
        self.last_request = 0

    def ask(self, on_progress=None, patience=None, **body):
        """Sends one request and returns its ClientReply; progress on the way goes to `on_progress`."""
        self.last_request += 1
        request = client.ClientRequest(
            request_id=self.last_request, client_name=self.name, protocol_version=PROTOCOL_VERSION, **body)
        self.socket.send(request.SerializeToString())
        patience = patience or self.patience
        deadline = time.monotonic() + patience
        while (left := deadline - time.monotonic()) > 0:
            if not self.socket.poll(left * 1000):
                break
            reply = client.ClientReply.FromString(self.socket.recv())
            if reply.request_id != self.last_request:
                continue  # the answer to a request that was given up
            kind = reply.WhichOneof("body")
            if kind == "failure":
                raise Refused(reply.failure.problem)
            if kind != "progress":
                return reply
            if on_progress:
                on_progress(reply.progress)
            deadline = time.monotonic() + patience
        self.reconnect()
        raise NoAnswer(f"{self.endpoint} has not answered {next(iter(body))} within {patience} s")

    def reconnect(self):
        """Makes the connection again: one that has fallen silent may never end."""
        self.socket.close()
        self.socket = connect(zmq.DEALER, self.endpoint, CLIENT_LIMIT, self.keys)

    def devices(self):
        return self.ask(list_devices=client.ListDevices()).device_list.devices

    def forget(self, devices):
        return self.ask(forget_devices=client.ForgetDevices(devices=devices)).forgotten.devices

    def status(self):
        return self.ask(get_status=client.GetStatus()).status

    def trigger(self, request, on_progress=None):
        """Takes the picture and returns its ShotDocument; repeats itself once on silence, which the id makes safe."""
        patience = self.patience + (request.timeout_ns / 1e9 or 10)
        try:
            return self.ask(on_progress, patience, trigger=request).shot
        except NoAnswer:
            return self.ask(on_progress, patience, trigger=request).shot

    def shots(self, limit=0, before=b""):
        return self.ask(list_shots=client.ListShots(limit=limit, before_shot_id=before)).shot_list.shots

    def shot(self, shot_id):
        return self.ask(get_shot=client.GetShot(shot_id=shot_id)).shot

    def manifest(self, document):
        """The manifest of an answer about a shot, byte for byte; pages that did not come with it are asked for."""
        manifest, content = document.manifest, document.manifest.content
        while len(content) < manifest.byte_count:
            asked = client.GetManifest(shot_id=document.shot_id, sha256=manifest.sha256, offset=len(content))
            try:
                page = self.ask(get_manifest=asked).manifest_page
            except Refused as refusal:
                if refusal.code != "conflict":
                    raise
                return self.manifest(self.shot(document.shot_id))  # There is a newer one.
            if page.offset != len(content) or not page.content:
                raise AssertionError(f"asked for the manifest from byte {len(content)} on, got {page.offset}")
            content += page.content
        if hashlib.sha256(content).digest() != manifest.sha256:
            raise AssertionError("the manifest has another digest than its answer says")
        return content

    def verify(self, shot_id):
        return self.ask(verify_shot=client.VerifyShot(shot_id=shot_id)).verification.files

    def read(self, shot_id, file, part=PART):
        """A stored file, part by part, compared with the length and digest that the coordinator names."""
        data, digest = b"", None
        while True:
            request = client.ReadAsset(shot_id=shot_id, file=file, offset=len(data), count=part)
            reply = self.ask(read_asset=request).asset_part
            data, digest = data + reply.data, reply.sha256
            if len(data) >= reply.byte_count:
                break
        if hashlib.sha256(data).digest() != digest:
            raise ValueError(f"{file} does not match its manifest")
        return data

    def replay(self, epoch=0, after=0):
        """One page of past events, those of earlier lives first, as (coordinator epoch, EventLog)."""
        reply = self.ask(get_events=client.GetEvents(coordinator_epoch=epoch, after_sequence=after))
        return reply.epoch, reply.events

    def feed(self):
        """Every event the coordinator holds, then every further one."""
        return Feed(self)


class Feed(Channel):
    """Events in order, each once, by the gap rule: subscribe, replay, and replay again after every gap."""

    SILENCE = 4.0  # seconds; a beat comes every second

    def __init__(self, rig):
        self.rig = rig
        self.epoch = self.sequence = 0  # the newest event seen
        self.left = set()  # the epochs that were followed before
        self.told = 0  # the newest event of this epoch that the coordinator has spoken of
        self.lost = 0  # events that the coordinator no longer held when they were asked for
        self.replays = 0
        self.ready = []
        self.socket = self.port = None
        self.find()

    def next(self, patience=10.0):
        """The next FeedEvent."""
        deadline = time.monotonic() + patience
        while not self.ready:
            left = deadline - time.monotonic()
            if left <= 0:
                raise NoAnswer(f"no event within {patience} s")
            if self.socket.poll(min(left, self.SILENCE) * 1000):
                self.take(self.socket.recv())
            elif left > self.SILENCE:
                self.find(after_silence=True)
        return self.ready.pop(0)

    def find(self, after_silence=False):
        """Subscribes where the coordinator says that the feed is, after a silence by a new connection, and catches up."""
        port = self.rig.status().feed_port
        if after_silence or port != self.port:
            if self.socket:
                self.socket.close()
            host = self.rig.endpoint.rsplit(":", 1)[0]
            self.socket, self.port = connect(zmq.SUB, f"{host}:{port}", FEED_LIMIT, self.rig.keys), port
            self.socket.subscribe(b"")
        self.catch_up()

    def take(self, data):
        topic, _, payload = data.partition(b"\0")
        message = feed.FeedMessage.FromString(payload)
        if message.WhichOneof("body") == "beat":
            beat = message.beat
            if beat.coordinator_epoch == self.epoch:
                self.told = max(self.told, beat.last_sequence)
            if beat.coordinator_epoch != self.epoch or beat.last_sequence > self.sequence:
                self.catch_up()
            return
        event = message.event
        if topic.decode() != f"event/{event.event.name}":
            raise ValueError(f"topic {topic} carries {event.event.name}")
        if (event.coordinator_epoch, event.sequence) == (self.epoch, self.sequence + 1):
            self.keep(event)
        elif event.coordinator_epoch != self.epoch or event.sequence > self.sequence:
            self.catch_up()

    def catch_up(self):
        """Asks for what is missing, page by page."""
        passed = None  # the last event of a page, where it is one of an epoch that was left
        while True:
            self.replays += 1
            epoch, log = self.rig.replay(*(passed or (self.epoch, self.sequence)))
            last = log.events[-1] if log.events else None
            passed = (last.coordinator_epoch, last.sequence) if last and last.coordinator_epoch in self.left else None
            for event in log.events:
                if event.coordinator_epoch in self.left:
                    continue
                self.follow(event.coordinator_epoch)
                if event.sequence > self.sequence:
                    self.lost += event.sequence - 1 - self.sequence if self.sequence or not log.truncated else 0
                    self.keep(event)
            if not log.events:
                self.follow(epoch)
                # What comes behind the last event that is held is lost too, and no later event need ever tell.
                self.lost += max(0, log.last_sequence - self.sequence)
                self.sequence = max(self.sequence, log.last_sequence)
            if epoch == self.epoch:
                self.told = max(self.told, log.last_sequence)
            if not log.events or epoch == self.epoch and self.sequence >= log.last_sequence:
                return

    def follow(self, epoch):
        """Begins with another life of the coordinator; of the one before, all that it has spoken of should be here."""
        if epoch != self.epoch:
            self.lost += max(0, self.told - self.sequence)
            self.left.add(self.epoch)
            self.epoch, self.sequence, self.told = epoch, 0, 0

    def keep(self, event):
        self.sequence = event.sequence
        self.told = max(self.told, event.sequence)
        self.ready.append(event)


class Keys(typing.NamedTuple):
    """A key pair and the public key of the server, each as 32 bytes or as Z85."""

    public: bytes
    secret: bytes
    server: bytes

    @classmethod
    def read(cls, file, server):
        """The key pair of a key file, for connections to a server."""
        return cls(*zmq.auth.load_certificate(file), server)


class Place(typing.NamedTuple):
    """Where a channel is, and the keys to connect with."""

    endpoint: str
    keys: Keys


def connect(kind, endpoint, limit, keys=None, **options):
    """A socket that takes messages of at most `limit` bytes, and whose system notices within 4 s that the other machine has gone."""
    socket = zmq.Context.instance().socket(kind)
    if keys:
        # libzmq counts the handshake and what CURVE adds to a message.
        limit = max(limit + 64, 1024) if limit > 0 else limit
        socket.curve_publickey, socket.curve_secretkey, socket.curve_serverkey = keys
    socket.linger, socket.maxmsgsize, socket.reconnect_ivl_max = 0, limit, 400
    socket.tcp_keepalive, socket.tcp_keepalive_idle, socket.tcp_keepalive_intvl, socket.tcp_keepalive_cnt = 1, 1, 1, 3
    for name, value in options.items():
        setattr(socket, name, value)
    socket.connect(endpoint)
    return socket


def send_if_connected(socket, message):
    """Sends to a port that may have refused the socket already: then a DEALER has nobody to send to."""
    with contextlib.suppress(zmq.Again):
        socket.send(message, zmq.NOBLOCK)
