#!/usr/bin/env python3
"""A rig with keys, seen from outside: python test_keys.py FOLDER-OF-RELEASE-PROGRAMS [TEST]...

A client that is written from the documents alone joins by code. Strangers of every kind try each port, and get nothing.
"""

import pathlib
import sys
import time

import zmq

from caprig_client import (
    CLIENT_LIMIT, PROTOCOL_VERSION, Keys, NoAnswer, Refused, Rig, all_cameras, client, collect, connect, send_if_connected,
    trigger_request)
from case import Case
from crowd import Crowd
from frames_viewer import Viewer
from joining import Code, NotACode, join
from joining import Refused as JoinRefused
from local_rig import LocalRig
from run_tests import run_tests
from stranger import Stranger, collect_say, probe
from test_frames import resident

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Faults"))
from rig import free_base_port  # noqa: E402

ATTEMPTS = 10_000
BATCH = 100


class Keyed(Case):
    def invited(self, name, role):
        return Code.read(self.local.admin.invite(name, role))

    def joined(self, name, role):
        """A client of the rig with a key of its own, and the key pair."""
        code = self.invited(name, role)
        keys, admission = join(code)
        self.assertEqual((admission.name, admission.role, admission.rig), (name, role, "rig"))
        rig = Rig(f"tcp://127.0.0.1:{admission.client_port}", keys=keys)
        self.addCleanup(rig.close)
        return rig, keys


class Joining(Keyed):
    def test_a_client_written_from_the_documents_joins_by_code(self):
        rig, _ = self.joined("anna", "operator")
        document = rig.trigger(trigger_request(all_cameras()))
        self.assertEqual(document.status, "complete")
        with Viewer(rig, "node1/cam1", "preview") as viewer:
            self.assertGreater(len(viewer.next().payload), 1000)
        with rig.feed() as feed:
            self.assertTrue(feed.next().event.name)

    def test_a_role_decides_what_a_key_may_do(self):
        rig, _ = self.joined("ben", "viewer")
        self.assertTrue(rig.devices())
        with self.assertRaises(Refused) as refusal:
            rig.trigger(trigger_request(all_cameras()))
        self.assertEqual(refusal.exception.code, "notPermitted")
        with self.assertRaises(Refused) as refusal:
            rig.ask(list_keys=client.ListKeys())
        self.assertIn("admin", refusal.exception.message)

    def test_a_repeated_request_about_keys_is_carried_out_once(self):
        rig = self.local.admin.client()
        self.addCleanup(rig.close)

        def invite(number, name="repeated"):
            return rig.ask(request_number=number, invite_key=client.InviteKey(name=name, role="viewer")).invitation.code

        code = invite(7)
        self.assertEqual(invite(7), code)
        with self.assertRaises(Refused) as refusal:
            invite(7, "another")
        self.assertEqual(refusal.exception.code, "conflict")
        keys, _ = join(Code.read(code))
        guest = Rig(rig.endpoint, keys=keys)
        self.addCleanup(guest.close)
        self.assertTrue(guest.devices())

        def revoke(**numbered):
            for _ in range(5):  # it ends the connections of the port, and the answers on them do not arrive
                try:
                    return rig.ask(revoke_key=client.RevokeKey(key="repeated"), patience=2, **numbered).key_holders.holders
                except NoAnswer:
                    pass
            self.fail("no revocation was answered")

        for _ in range(2):
            self.assertEqual(len(revoke(request_number=8)), 1)
        self.assertFalse(revoke())

    def test_the_name_in_a_request_counts_for_nothing(self):
        rig, _ = self.joined("clara", "operator")
        rig.name = "admin"
        document = rig.trigger(trigger_request(all_cameras()))
        self.assertIn(b'"clara"', rig.manifest(document))
        self.assertNotIn(b'"admin"', rig.manifest(document))

    def test_a_code_admits_one_key(self):
        code, pair = self.invited("dora", "viewer"), zmq.curve_keypair()
        first = join(code, pair)[1]
        self.assertEqual(join(code, pair)[1], first)
        with self.assertRaises(JoinRefused) as refusal:
            join(code)
        self.assertEqual(refusal.exception.code, "used")

    def test_a_code_that_is_cut_off_is_told_from_a_mistyped_one(self):
        text = self.local.admin.invite("emil", "operator")
        self.assertEqual(Code.read(f" <{text.upper()}>.\n"), Code.read(text))
        for broken, reason in ((text[:-4], "cut off"), (text[:30] + ("0" if text[30] != "0" else "1") + text[31:], "mistyped")):
            with self.assertRaises(NotACode) as problem:
                Code.read(broken)
            self.assertEqual(str(problem.exception), reason)


class Strangers(Keyed):
    """Peers without an admitted key, on every port."""

    def endpoints(self):
        """Every port of the rig, with a kind of socket that its channel expects."""
        ports, host = self.local.endpoints, "tcp://127.0.0.1"
        base = int(ports["control"].rsplit(":", 1)[1])
        frames = [(f"{host}:{node.frames.port}", zmq.SUB, node.frames.public_key) for node in self.nodes()]
        server = ports["key"].encode()
        return [(ports["control"], zmq.DEALER, server), (ports["client"], zmq.DEALER, server),
                (ports["feed"], zmq.SUB, server), (f"{host}:{base + 1}", zmq.DEALER, server),
                (f"{host}:{base + 2}", zmq.DEALER, server), *frames]

    def revoked(self):
        _, keys = self.joined("gone", "operator")
        revoked = self.local.admin.run("keys", "revoke", "gone")
        self.assertIn(revoked.returncode, (0, 3), revoked.stderr)  # 3: done, and a node has not confirmed it yet
        return keys

    def test_nobody_without_an_admitted_key_is_told_anything(self):
        revoked, other = self.revoked(), zmq.curve_keypair()[0]
        request = client.ClientRequest(
            request_id=1, protocol_version=PROTOCOL_VERSION, get_status=client.GetStatus()).SerializeToString()
        programs = [program.process.pid for program in self.local.programs]
        made, warm, before = 0, ATTEMPTS // 5, None
        while made < ATTEMPTS:
            sockets = []
            for endpoint, kind, server in self.endpoints() * (BATCH // 7):
                for keys in (None, Keys(*zmq.curve_keypair(), server), Keys(revoked.public, revoked.secret, server),
                             Keys(*zmq.curve_keypair(), other), "plain"):
                    socket = connect(kind, endpoint, CLIENT_LIMIT, None if keys == "plain" else keys, immediate=0,
                                     **({"plain_username": b"admin", "plain_password": b"admin"} if keys == "plain" else {}))
                    if kind == zmq.SUB:
                        socket.subscribe(b"")
                    else:
                        send_if_connected(socket, request)
                    sockets.append(socket)
            time.sleep(0.3)  # for answers, which must not come
            told = [socket for socket in sockets if socket.poll(0)]
            self.assertFalse(told)
            for socket in sockets:
                socket.close(linger=0)
            made += len(sockets)
            if before is None and made >= warm:
                before = [resident(pid) for pid in programs]
        grown = [resident(pid) - size for pid, size in zip(programs, before)]
        self.assertLess(max(grown), 8 << 20, f"after {made} attempts: {grown}")
        self.assert_works()


class Crowds(Keyed):
    """Strangers that occupy every connection of a port keep no peer out: it is in within five seconds."""

    LIMITS = {"control": 4096, "clock": 4096, "collect": 4096, "client": 2048, "feed": 2048, "join": 256}
    PATIENCE = 5  # seconds

    def within(self, port, limit, arrive):
        with Crowd(port, limit + 100) as crowd:
            full = time.monotonic() + 30
            while crowd.made < limit + 200 and time.monotonic() < full:
                time.sleep(0.05)  # until the first of them have been ended
            begun = time.monotonic()
            arrive()
            self.assertLess(time.monotonic() - begun, self.PATIENCE)
            self.assertGreater(crowd.made, limit + 100, "the port was never full")

    def test_a_node_is_in_while_strangers_fill_its_ports(self):
        control, keys = self.local.endpoints["control"], self.local.admin.member("late", "node")
        base = int(control.rsplit(":", 1)[1])

        def join():
            with Stranger(control, "late", keys) as node:
                self.assertEqual(node.join()[0], "welcome")

        with Stranger(control, "late", keys) as node:
            welcome = node.join()[1]
            for name, limit, arrive in (
                ("control", base, join),
                ("clock", welcome.clock_port, lambda: probe(node.connect_clock(welcome), 1)),
                ("collect", welcome.collect_port, lambda: collect_say(
                    node.connect_collect(welcome), "late", node.epoch, hello=collect.CollectHello())),
            ):
                with self.subTest(name):
                    self.within(limit, self.LIMITS[name], arrive)

    def test_a_person_is_in_while_strangers_fill_the_clients_ports(self):
        rig, keys = self.joined("late-person", "operator")
        port = int(self.local.endpoints["client"].rsplit(":", 1)[1])

        def ask():
            with Rig(self.local.endpoints["client"], keys=keys) as other:
                other.status()

        with self.subTest("client"):
            self.within(port, self.LIMITS["client"], ask)

        def follow():
            with rig.feed() as feed:
                rig.trigger(trigger_request(all_cameras()))
                feed.next()

        with self.subTest("feed"):
            self.within(port + 1, self.LIMITS["feed"], follow)

    def test_a_machine_joins_while_strangers_fill_the_join_port(self):
        code = self.invited("late-machine", "viewer")
        port = int(self.local.endpoints["join"].rsplit(":", 1)[1])
        self.within(port, self.LIMITS["join"], lambda: join(code))

    def test_a_viewer_is_in_while_strangers_fill_a_nodes_frames(self):
        rig, _ = self.joined("late-viewer", "viewer")
        [node] = [node for node in self.nodes() if node.node == "node1"]

        def watch():
            with Viewer(rig, "node1/cam1", "preview") as viewer:
                viewer.next()

        self.within(node.frames.port, 1024, watch)


def main(programs, names):
    Case.local = rig = LocalRig(pathlib.Path(programs).resolve(), nodes=2, cameras=1, rate=30,
                                 base_port=free_base_port())
    return run_tests(rig, [f"__main__.{name}" for name in names])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
