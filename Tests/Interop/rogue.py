#!/usr/bin/env python3
"""A rig under attack goes on taking pictures: python rogue.py FOLDER-OF-RELEASE-PROGRAMS [SECONDS [ATTACK...]]

A process of its own floods every port of a coordinator and two agents on loopback, and stops by itself. It has the keys of a
viewer, an operator and a node that the rig has admitted. Meanwhile the rig is triggered every second. It prints what it has measured and fails where a promise below is broken. docs/fuzzing.md
says what is sent.
"""

import collections
import json
import os
import pathlib
import re
import resource
import socket as sockets
import statistics
import subprocess
import sys
import threading
import time

import zmq

import hostile
import resets
from caprig_client import (
    CLIENT_LIMIT, PB, PROTOCOL_VERSION, Keys, NoAnswer, Place, Refused, all_cameras, client, clock, collect, common, connect, control,
    send_if_connected, trigger_request,
)
from curve_peer import raw
from frames_channel import place as frames_place
from joining import LIMIT as JOIN_LIMIT
from local_rig import LocalRig
from manifest_schema import manifest_of
from stranger import CONTROL_LIMIT, Stranger

# What is promised, whatever a peer sends.
LATEST_ANSWER = 5.0  # seconds from the request to the answer
LARGEST_LEAD = 1.0  # seconds from the request to T
LARGEST_SKEW = 1 / 15  # seconds from T to the picture: an interval of the cameras
GROWTH = 24 << 20  # bytes a daemon may have grown by, from the second quarter of the attack to the last
CEILING = 256 << 20  # bytes a daemon may take: queues of every attack at once are full after some 20 s
HELD = 40  # connections that each kind of attack keeps open
FLOOD = 128 << 20  # bytes that one peer sends at once: far more than any queue of one peer may hold
LONGEST_FLOOD = 3.0  # seconds, on a machine that is too busy to encrypt as much
HANDSHAKE_LIMIT = 1024  # bytes of a message that any port takes before it ends the connection, since CURVE needs as many
MEMBERS = {"rogue-viewer": "viewer", "rogue-operator": "operator", "rogue": "node"}  # roles of the rogue's keys, by their names
NODE = "rogue"
# Whose keys are admitted to a port; to join, everybody's are.
ADMITTED = {
    **{port: ["rogue"] for port in ("control", "clock", "collect")},
    **{port: ["rogue-viewer", "rogue-operator"] for port in ("client", "feed", "frames")}, "join": ["unknown"],
}
join = PB["join"]


class Attack(threading.Thread):
    """One kind of attack, over and over until the time is up, with the keys of its places in turn; a short pause after each round
    bounds its rate."""

    PAUSE = 0.05

    def __init__(self, act, places, until):
        super().__init__(daemon=True, name=act.__qualname__.split(".")[0])
        self.act, self.places, self.until = act, places, until
        self.rounds, self.errors = 0, {}

    def run(self):
        while time.monotonic() < self.until:
            try:
                self.act(self.places[self.rounds % len(self.places)], self.rounds)
            except (OSError, zmq.ZMQError, TimeoutError) as error:  # what the other side may do to a rogue
                self.errors[type(error).__name__] = self.errors.get(type(error).__name__, 0) + 1
            self.rounds += 1
            time.sleep(self.PAUSE)


def address(endpoint):
    host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
    return host, int(port)


def half_open(place, number):
    """Connections that say nothing, or a part of a greeting, and stay as long as they are let."""
    held = []
    for index in range(HELD):
        connection = sockets.create_connection(address(place.endpoint), timeout=2)
        connection.sendall((b"", b"\xff", hostile.GREETING[:11], hostile.GREETING)[index % 4])
        held.append(connection)
    time.sleep(1)
    for connection in held:
        connection.close()


def come_and_go(place, number):
    """Connections that end at once, some by a reset."""
    for index in range(HELD):
        connection = sockets.create_connection(address(place.endpoint), timeout=2)
        if index % 2:
            connection.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()


def no_protocol(place, number):
    hostile.raw_connections(place.endpoint)


def peers(place, number):
    """Complete connections that say nothing and answer pings."""
    held = [connect(zmq.DEALER, place.endpoint, -1, place.keys) for _ in range(HELD)]
    time.sleep(1)
    for socket in held:
        socket.close()


class Crowd(threading.Thread):
    """More peers at once than a process has descriptors to begin with, all the time, who only answer pings."""

    COUNT = 1200

    def __init__(self, place):
        super().__init__(daemon=True)
        self.place, self.leave = place, threading.Event()

    def run(self):
        context = zmq.Context()
        context.set(zmq.MAX_SOCKETS, 2 * self.COUNT)
        held = []
        for _ in range(self.COUNT):
            socket = context.socket(zmq.DEALER)
            socket.linger = 0
            socket.curve_publickey, socket.curve_secretkey, socket.curve_serverkey = self.place.keys
            socket.connect(self.place.endpoint)
            held.append(socket)
            time.sleep(0.001)
        self.leave.wait()
        context.destroy(linger=0)


def malformed(valid):
    def act(place, number):
        hostile.send_all(place, hostile.bad_messages(valid))
    return act


def oversized(limit):
    """More bytes than a connection may carry at once; the connection ends, and the next round makes another."""
    def act(place, number):
        hostile.is_disconnected_after(place, bytes(limit + 1))
    return act


def largest(limit):
    """As many bytes as a message may have, none of them to any purpose."""
    def act(place, number):
        with Unread(place) as socket:
            for filling in (b"\0", b"\xff", b"\x0b"):
                socket.send(filling * limit)
    return act


class Unread:
    """A peer that sends and never reads, and has no room for what comes."""

    def __init__(self, place, kind=zmq.DEALER):
        self.socket = connect(kind, place.endpoint, -1, place.keys, rcvhwm=1, sndhwm=10, sndtimeo=500, rcvbuf=4096)

    def __enter__(self):
        return self.socket

    def __exit__(self, *_):
        self.socket.close(linger=200)


def never_reading(requests):
    def act(place, number):
        with Unread(place) as socket:
            for data in requests * 20:
                socket.send(data)
            time.sleep(1)
    return act


def strangers(place, number):
    """What an agent says before its hello, under hundreds of names each time, which are not that of its key."""
    with Unread(place) as socket:
        for index in range(500):
            message = control.AgentMessage(node=f"rogue-{number}-{index}", epoch=1 + index)
            message.heartbeat.sequence = index
            socket.send(message.SerializeToString())


def large_stranger(name):
    """A well-formed message of nearly the largest size, before the hello of its node."""
    event = common.Event(name="x", details={"k": "v" * 512})
    batch = control.EventBatch(events=[control.NumberedEvent(epoch=1, sequence=1, event=event)] * 1500)
    return control.AgentMessage(node=name, epoch=1, events=batch).SerializeToString()


def large_strangers(place, number):
    """Under the name of its key and four others."""
    with Unread(place) as socket:
        for index in range(20):
            socket.send(large_stranger(f"large-{index % 5}" if index % 5 else NODE))


def large_request():
    """A well-formed request of nearly the largest size."""
    devices = [common.DeviceId(node="n" * 60, device="d" * 60)] * (CLIENT_LIMIT // 130)
    request = client.ClientRequest(
        request_id=1, protocol_version=PROTOCOL_VERSION, forget_devices={"devices": devices})
    return request.SerializeToString()


def flood(*parts):
    """One peer that sends the same as fast as it is taken, and again some seconds later: the cameras need a processor too."""
    def act(place, number):
        time.sleep(8)
        end, left = time.monotonic() + LONGEST_FLOOD, FLOOD
        with Unread(place) as socket:
            while left > 0 and time.monotonic() < end:
                socket.send_multipart(parts)
                left -= sum(map(len, parts))
    return act


def subscriptions(place, number):
    """Many topics at a time: of every length that may be sent, among them those that libzmq 4.3.4 mistakes for all, and of no
    more than a publisher takes, in turn."""
    lengths = (256, 64)[number % 2]
    socket = connect(zmq.XSUB, place.endpoint, -1, place.keys)
    socket.sndtimeo = 500
    for index in range(1000):
        topic = f"{number}.{index}.".encode()
        socket.send(b"\x01" + topic + b"x" * (index % lengths - min(len(topic), index % lengths)))
    socket.close(linger=200)


def viewers(topics):
    """Subscribers of what is published that never read."""
    def act(place, number):
        held = [Unread(place, zmq.SUB) for _ in range(5)]
        for index, one in enumerate(held):
            one.socket.subscribe(topics[index % len(topics)])
        time.sleep(2)
        for one in held:
            one.socket.close()
    return act


def left_unread(kind, message):
    """Peers that leave bytes behind which must not be answered, and again a second later: the daemons read them all."""
    def act(place, number):
        resets.leave_unread(place, kind, message)
        resets.leave_unread_without_keys(place.endpoint, kind, message)
        time.sleep(1)
    return act


def refused(port, message, strange):
    """Peers with no key, with a user's name, with a key that nobody knows, and with those of other roles. None is told anything."""
    def act(place, number):
        kind = zmq.SUB if port in ("feed", "frames") else zmq.DEALER
        user = {"plain_username": b"admin", "plain_password": b"admin"}
        held = [connect(kind, place.endpoint, -1, keys) for keys in (None, *strange)] + [connect(kind, place.endpoint, -1, **user)]
        for socket in held:
            if kind == zmq.SUB:
                socket.subscribe(message)
            else:
                send_if_connected(socket, message)
        time.sleep(1.5)  # of a stream, a beat comes every second
        TOLD.extend(socket.recv() for socket in held if socket.poll(0))
        for socket in held:
            socket.close()
    return act


TOLD = []  # what peers were told that must not be told anything


def attacks(ports, until):
    """Every kind of attack on every port it fits, each with the keys that the port admits."""
    ask = [{"list_devices": {}}, {"get_status": {}}, {"list_shots": {"limit": 1000}}, {"get_events": {}}]
    requests = [
        client.ClientRequest(request_id=number, protocol_version=PROTOCOL_VERSION, **body).SerializeToString()
        for number, body in enumerate(ask, 1)
    ]
    hello = control.AgentMessage(node=NODE, epoch=1, hello={"protocol_version": 9}).SerializeToString()
    probe = clock.ClockProbe(sequence=1, t1_local_ns=1).SerializeToString()
    chunk = collect.CollectFromAgent(node=NODE, epoch=1, hello={}).SerializeToString()
    token, approval = (
        join.Join(request_id=1, protocol_version=PROTOCOL_VERSION, **means).SerializeToString()
        for means in ({"token": bytes(16)}, {"approval": {"name": "n" * (JOIN_LIMIT - 100), "role": "viewer"}}))
    kinds = {
        "control": [malformed(hello), oversized(CONTROL_LIMIT), largest(CONTROL_LIMIT), never_reading([hello]), strangers,
                    large_strangers, flood(large_stranger(NODE))],
        "clock": [malformed(probe), oversized(HANDSHAKE_LIMIT), largest(256), never_reading([probe])],
        "collect": [malformed(chunk), oversized(1 << 20), largest(1 << 20), never_reading([chunk]),
                    flood(chunk, bytes(1 << 20))],
        "client": [malformed(requests[0]), oversized(CLIENT_LIMIT), largest(CLIENT_LIMIT), never_reading(requests),
                   flood(large_request())],
        "feed": [subscriptions, viewers([b""])],
        "join": [malformed(token), oversized(JOIN_LIMIT), largest(JOIN_LIMIT), never_reading([token]), flood(approval)],
    }
    frames = [subscriptions, viewers([f"node1/cam1/{kind}".encode() for kind in ("full", "half", "preview")])]
    valid = {"control": hello, "clock": probe, "collect": chunk, "client": requests[1], "feed": b"", "join": token,
             "frames": b"node1/cam1/preview\0"}
    for name, places in ports.items():
        port = name.split("-")[0]
        unread = left_unread(*resets.MESSAGES[port])
        strange = [] if port == "join" else [place.keys for member, place in places.items() if member not in ADMITTED[port]]
        for act in kinds.get(name, frames) + [half_open, come_and_go, no_protocol, peers, unread, refused(port, valid[port], strange)]:
            yield name, Attack(act, admitted(name, places), until)


def admitted(name, places):
    """The places of a port with keys that it admits."""
    return [place for member, place in places.items() if member in ADMITTED[name.split("-")[0]]]


def written(ports):
    """For the command line of the rogue's process."""
    return json.dumps({name: {member: (place.endpoint, *(raw(key).hex() for key in place.keys)) for member, place in places.items()}
                       for name, places in ports.items()})


def read(text):
    return {name: {member: Place(endpoint, Keys(*map(bytes.fromhex, keys))) for member, (endpoint, *keys) in places.items()}
            for name, places in json.loads(text).items()}


def ports(rig):
    """Every port of the rig by name, with the keys of each member; those that only a hello tells are found by one."""
    keys = {name: rig.admin.member(name, role) for name, role in MEMBERS.items()}
    public, secret = zmq.curve_keypair()
    keys["unknown"] = Keys(public, secret, rig.admin.server)
    with Stranger(rig.endpoints["control"], NODE, keys[NODE]) as scout:
        _, welcome = scout.join()
    host = rig.endpoints["control"].rsplit(":", 1)[0]
    endpoints = {
        **{name: rig.endpoints[name] for name in ("control", "client", "feed", "join")},
        "clock": f"{host}:{welcome.clock_port}", "collect": f"{host}:{welcome.collect_port}",
    }
    found = {name: {member: Place(endpoint, own) for member, own in keys.items()} for name, endpoint in endpoints.items()}
    with rig.client() as asking:
        for node in rig.nodes:
            place = frames_place(asking, node)
            found[f"frames-{node}"] = {
                member: Place(place.endpoint, own._replace(server=place.keys.server)) for member, own in keys.items()}
    return found


def libraries(status, nodes):
    """What the coordinator and these nodes tell of their libzmq."""
    of_nodes = {node.node: node.bus_library for node in status.nodes if node.node in nodes}
    return {"coordinator": status.bus_library, **of_nodes}


def set_descriptor_limit(soft):
    """Sets the limit that processes begin with; None for as many as may be."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft or hard, hard), hard))


def attack(ports, seconds, only, without):
    """The rogue's own process: prints how often each attack was made. It begins with the crowd, and waits for a line before
    the others, so that the connections which stay are there from the first second on."""
    os.nice(15)  # an attacker has a processor of its own, where the rig has both of this machine
    set_descriptor_limit(None)
    crowd = Crowd(ports["client"]["rogue-viewer"])
    if has_crowd(only):
        crowd.start()
    sys.stdin.readline()
    end = time.monotonic() + seconds
    running = [
        one for port, one in attacks(ports, end)
        if one.name not in without and (not only or {one.name, f"{port}.{one.name}"} & set(only))
    ]
    for one in running:
        one.start()
    time.sleep(seconds)
    for one in running:
        one.join()
    crowd.leave.set()
    rounds = collections.Counter()
    for one in running:
        rounds[one.name] += one.rounds
    print(json.dumps({"rounds": rounds, "told": [data.hex() for data in TOLD]}))


def has_crowd(only):
    return not only or "crowd" in only


class Daemon:
    """What a daemon takes of the machine."""

    def __init__(self, program):
        self.program, self.samples = program, []

    def sample(self):
        pages = pathlib.Path(f"/proc/{self.program.process.pid}/statm").read_text().split()[1]
        self.samples.append(int(pages) * 4096)

    def descriptors(self):
        """What each descriptor is, such as `socket` or a path, and how many are."""
        folder, kinds = f"/proc/{self.program.process.pid}/fd", collections.Counter()
        for descriptor in os.listdir(folder):
            try:
                # Files come one after another, such as the journal's: a number in a name does not make another kind.
                kinds[re.sub(r"\d+", "N", os.readlink(f"{folder}/{descriptor}").split(":[")[0])] += 1
            except FileNotFoundError:
                pass
        return kinds

    def steady_descriptors(self):
        """What is open once nothing of the shot before is any more, such as a file of which a small picture is made."""
        last, same = self.descriptors(), 0
        deadline = time.monotonic() + 10
        while same < 5 and time.monotonic() < deadline:
            time.sleep(0.1)
            now = self.descriptors()
            last, same = now, same + 1 if now == last else 0
        return last

    def connections(self, port):
        """TCP connections to a port of this machine that a program has accepted: others have no inode."""
        found = 0
        for table in ("tcp", "tcp6"):
            for line in pathlib.Path(f"/proc/{self.program.process.pid}/net/{table}").read_text().splitlines()[1:]:
                fields = line.split()
                is_established = fields[3] == "01" and fields[9] != "0"
                found += is_established and int(fields[1].rsplit(":", 1)[1], 16) == port
        return found

    def growth(self):
        """From the median of the second quarter to that of the last, since floods make peaks."""
        quarter = max(len(self.samples) // 4, 1)
        second = self.samples[quarter:][:quarter] or self.samples
        return int(statistics.median(self.samples[-quarter:]) - statistics.median(second))


class Trial:
    """A rig that is triggered every second while it is attacked."""

    def __init__(self, rig, seconds, only=()):
        """`only`: names of attacks, such as `largest` or `control.largest`; all where there are none."""
        self.rig, self.seconds, self.only = rig, seconds, only
        self.problems, self.starved, self.leads, self.answers, self.skews = [], [], [], [], []
        self.daemons = [Daemon(program) for program in rig.programs]

    def run(self):
        with self.rig.client() as asking:
            known = ports(self.rig)
            self.trigger(asking)
            asking.shots()  # opens the index of the library, which stays open
            before = [daemon.steady_descriptors() for daemon in self.daemons]
            rogue = subprocess.Popen(
                [sys.executable, __file__, "attack", written(known), str(self.seconds),
                 json.dumps(self.only), json.dumps(self.fatal(asking))],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
            try:
                self.await_crowd(self.rig.endpoints["client"])
                print("begin", file=rogue.stdin, flush=True)
                self.trigger_until_it_ends(asking, rogue)
            finally:
                rogue.kill()
            self.check_told(json.loads(rogue.stdout.read()))
            self.check_descriptors(before)
            self.check_memory()
            self.check_starvation()
            self.check_openness()
            self.trigger(asking)

    def check_told(self, outcome):
        print(f"attacks: {outcome['rounds']}")
        if outcome["told"]:
            self.problems.append(f"{len(outcome['told'])} peers that no port admits were told something, such as {outcome['told'][0][:80]}")

    def fatal(self, asking):
        """Attacks that end a daemon of this rig, because of its libzmq, and are left out."""
        weak = [name for name, library in libraries(asking.status(), self.rig.nodes).items() if not library.hardened]
        if not weak:
            return []
        why = f"left_unread is left out: {', '.join(weak)} linked with the system's libzmq, which any peer can abort"
        print(f"skipped: {why}")
        if os.environ.get("CI") == "true":
            self.problems.append(why)
        return ["left_unread"]

    def await_crowd(self, endpoint):
        """Until everybody who stays has come to the coordinator."""
        port = int(endpoint.rsplit(":", 1)[1])
        deadline = time.monotonic() + 60
        while has_crowd(self.only) and self.daemons[0].connections(port) < Crowd.COUNT:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self.daemons[0].connections(port)} of a crowd of {Crowd.COUNT} are let in")
            time.sleep(0.1)

    def trigger_until_it_ends(self, asking, rogue):
        due = time.monotonic()
        while rogue.poll() is None:
            self.trigger(asking)
            for daemon in self.daemons:
                daemon.sample()
            due = max(due + 1, time.monotonic())
            time.sleep(max(due - time.monotonic(), 0))

    def trigger(self, asking):
        number, begin = len(self.answers) + 1, time.monotonic()
        try:
            now = asking.status().rig_now_ns
            document = asking.trigger(trigger_request(all_cameras(nodes=self.rig.nodes)))
        except (NoAnswer, Refused) as error:
            self.answers.append(time.monotonic() - begin)
            return self.problems.append(f"shot {number}: {error}")
        self.answers.append(time.monotonic() - begin)
        shot = manifest_of(document)
        self.leads.append((shot["time"] - now) / 1e9)
        if document.status != "complete":
            self.note_incomplete(number, document.status, shot)
        skews = [abs(c["timing"]["skewNanoseconds"]) / 1e9 for c in shot["captures"] if "timing" in c]
        self.skews.append(max(skews, default=0))
        for what, value, limit in (
            ("answered after", self.answers[-1], LATEST_ANSWER), ("has a lead of", self.leads[-1], LARGEST_LEAD),
            ("has a skew of", self.skews[-1], LARGEST_SKEW),
        ):
            if value > limit:
                self.problems.append(f"shot {number} {what} {value:.3f} s, more than {limit:.3f}")

    def note_incomplete(self, number, status, shot):
        """A machine that stands still for a moment has no frames of it; each camera must say just that."""
        missed = [c["problem"] for c in shot["captures"] if "problem" in c]
        if missed and {problem["code"] for problem in missed} == {"noFrameNearTime"}:
            self.starved.append(f"shot {number}: {[problem['message'] for problem in missed]}")
        else:
            self.problems.append(f"shot {number} is {status}: {[problem['message'] for problem in missed]}")

    def check_starvation(self):
        allowed = max(1, len(self.answers) // 100)
        if len(self.starved) > allowed:
            self.problems.append(f"{len(self.starved)} shots have no frame near T, more than {allowed}: {self.starved}")

    def check_descriptors(self, before):
        deadline = time.monotonic() + 15
        while any(kept := self.kept(before)) and time.monotonic() < deadline:
            time.sleep(0.2)
        for daemon, first, more in zip(self.daemons, before, kept):
            print(f"{daemon.program.name}: descriptors {first.total()} before, {more.total()} more after")
            if more:
                self.problems.append(f"{daemon.program.name} keeps {more.total()} descriptors: {dict(more)}")

    def kept(self, before):
        return [daemon.descriptors() - first for daemon, first in zip(self.daemons, before)]

    def check_openness(self):
        """The attack has taken no place from nodes that join and come later."""
        keys = self.rig.admin.member("newcomer", "node")
        with Stranger(self.rig.endpoints["control"], "newcomer", keys) as newcomer:
            try:
                verdict, _ = newcomer.join()
            except TimeoutError as error:
                verdict = error
        if verdict != "welcome":
            self.problems.append(f"a node that comes after the attack is not taken in: {verdict}")

    def check_memory(self):
        for daemon in self.daemons:
            mebibytes = [round(size / (1 << 20)) for size in daemon.samples[:: max(1, len(daemon.samples) // 12)]]
            print(f"{daemon.program.name}: MiB in memory {mebibytes}, growth {daemon.growth() / (1 << 20):.1f}")
            if daemon.growth() > GROWTH:
                self.problems.append(f"{daemon.program.name} grew by {daemon.growth() >> 20} MiB")
            if max(daemon.samples) > CEILING:
                self.problems.append(f"{daemon.program.name} took {max(daemon.samples) >> 20} MiB")

    def report(self):
        for name, values in (("lead", self.leads), ("answer", self.answers), ("skew", self.skews)):
            values = sorted(values)
            print(f"{name}: median {values[len(values) // 2] * 1e3:.1f} ms, largest {values[-1] * 1e3:.1f} ms")
        print(f"{len(self.answers)} shots in {self.seconds} s of attack, {len(self.starved)} without a frame near T")
        for shot in self.starved:
            print(f"  {shot}")
        for problem in self.problems:
            print(f"FAIL rogue: {problem}")


def main(programs, seconds=25.0, *only):
    set_descriptor_limit(1024)  # as under systemd
    rig = LocalRig(pathlib.Path(programs).resolve(), nodes=2, cameras=1)
    try:
        trial = Trial(rig, float(seconds), only)
        trial.run()
        trial.report()
        if trial.problems:
            print(rig.tails())
    finally:
        statuses = rig.stop()
    failed = len(trial.problems) + sum(status != 0 for status in statuses.values())
    print(f"{1 if not failed else 0} passed, {failed} failed")
    return 1 if failed or not trial.answers else 0


if __name__ == "__main__":
    if sys.argv[1] == "attack":
        attack(read(sys.argv[2]), float(sys.argv[3]), json.loads(sys.argv[4]), json.loads(sys.argv[5]))
    else:
        sys.exit(main(*sys.argv[1:]))
