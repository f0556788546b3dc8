#!/usr/bin/env python3
"""A gateway works while strangers send it requests that never end: python test_slow_requests.py FOLDER-OF-RELEASE-PROGRAMS [TEST]...

2000 connections at a time send heads or bodies a byte at a time, and are made again as soon as the gateway ends them: from this machine,
whose connections may be those of a reverse proxy, and from another address. Meanwhile somebody with a session looks at the rig.
"""

import contextlib
import http.client
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import time
import urllib.parse

from case import Case
from crowd import Crowd
from run_tests import run_tests
from test_web import Script, WebRig

CONNECTIONS = 2000
SECONDS = 45  # longer than any part of a request may last
LATEST_ANSWER = 5.0  # seconds
HEAD = b"GET /api/v1/rig HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
BODY = b"POST /api/v1/rigs/rig/login HTTP/1.1\r\nHost: 127.0.0.1\r\nCaprig-Request: 1\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"
ELSEWHERE = "198.51.100.7"  # RFC 5737: an address of no other network


class Drips(Crowd):
    """A crowd that begins a request on each connection, and goes on with a byte each second."""

    def __init__(self, port, beginning, host="127.0.0.1"):
        super().__init__(port, CONNECTIONS, host)
        self.beginning, self.begun, self.last = beginning, {}, time.monotonic()

    def run(self):
        while not self.is_over:
            self.take()
            if time.monotonic() - self.last >= 1:
                self.last = time.monotonic()
                self.drip()

    def take(self):
        for key, _ in self.selector.select(0.05):
            stranger = key.fileobj
            with contextlib.suppress(OSError):
                if stranger.recv(4096):
                    continue  # an answer
            self.selector.unregister(stranger)
            self.begun.pop(stranger, None)
            stranger.close()
            self.connect()

    def drip(self):
        for key in list(self.selector.get_map().values()):
            stranger = key.fileobj
            with contextlib.suppress(OSError):
                stranger.send(b" " if stranger in self.begun else self.beginning)
                self.begun[stranger] = True


class SlowRequests(Case):
    def causes(self, script):
        """Connections that the gateway has ended, by cause."""
        text = script.ask("GET", "/metrics").body.decode()
        return {cause: float(value) for cause, value in re.findall(
            r'^caprig_gateway_ended_connections_total\{cause="(\w+)"\} (\S+)$', text, re.M)}

    def looks(self, look):
        """The times of answers while the crowd drips."""
        times, end = [], time.monotonic() + SECONDS
        while time.monotonic() < end:
            begun = time.monotonic()
            self.assertEqual(look(), 200)
            times.append(time.monotonic() - begun)
            time.sleep(0.5)
        return times

    def attack(self, beginning):
        script = Script(self.local, self.local.token("view")["token"])
        self.addCleanup(script.sign_out)
        before = self.causes(script)
        with Drips(self.local.port, beginning) as crowd:
            times = self.looks(lambda: script.get("status").status)
            made = crowd.made
        after = self.causes(script)
        ended = {cause: after[cause] - before[cause] for cause in after if after[cause] != before[cause]}
        print(f"{len(times)} answers, the slowest after {max(times):.2f} s; {made} connections, ended: {ended}", flush=True)
        self.assertLess(max(times), LATEST_ANSWER)
        self.assertGreater(made, CONNECTIONS, "the gateway has ended some")
        return ended

    def test_heads_that_never_end_leave_a_place_for_a_session(self):
        self.assertGreater(self.attack(HEAD).get("beingRead", 0), 0)

    def test_bodies_that_never_end_leave_a_place_for_a_session(self):
        self.assertGreater(self.attack(BODY).get("beingRead", 0), 0)

    def test_a_body_that_does_not_end_is_answered_with_408(self):
        with socket.create_connection(("127.0.0.1", self.local.port), 60) as stranger:
            begun = time.monotonic()
            stranger.sendall(BODY.replace(b"127.0.0.1", f"127.0.0.1:{self.local.port}".encode()))
            answer = http.client.HTTPResponse(stranger)
            answer.begin()
            self.assertEqual(answer.status, 408, answer.read())
            self.assertGreater(time.monotonic() - begun, 29)
            answer.read()
            self.assertEqual(stranger.recv(1), b"", "the connection ends")


class FromElsewhere(SlowRequests):
    """The same over TLS from an address that is not this machine's loopback."""

    test_heads_that_never_end_leave_a_place_for_a_session = test_bodies_that_never_end_leave_a_place_for_a_session = None
    test_a_body_that_does_not_end_is_answered_with_408 = None

    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("another address of this machine needs root")
        self.address("add")
        self.addCleanup(self.address, "del")

    @staticmethod
    def address(verb):
        subprocess.run(["ip", "address", verb, f"{ELSEWHERE}/32", "dev", "lo"], check=True)

    def test_an_address_has_64_connections_and_a_session_of_another_works(self):
        program, address = self.local.further_gateway("--port", 0, "--listen", "0.0.0.0", name="capwebd-slow")
        self.addCleanup(lambda: (self.local.programs.remove(program), self.assertEqual(program.stop(), 0)))
        port = urllib.parse.urlsplit(address).port
        token = self.local.token("view")["token"]
        context = ssl._create_unverified_context()

        def ask(path):
            connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=30)
            with contextlib.closing(connection):
                connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
                answer = connection.getresponse()
                return answer.status, answer.read()

        with Drips(port, b"\x16", host=ELSEWHERE) as crowd:  # the first byte of a handshake
            times = self.looks(lambda: ask("/api/v1/rigs/rig/status")[0])
            made = crowd.made
        print(f"{len(times)} answers, the slowest after {max(times):.2f} s; {made} connections", flush=True)
        self.assertLess(max(times), LATEST_ANSWER)
        ended = re.search(rb'ended_connections_total\{cause="ofAddress"\} (\S+)', ask("/metrics")[1])
        self.assertGreater(float(ended[1]), CONNECTIONS - 64)


def main(programs, names):
    rig = WebRig(pathlib.Path(programs).resolve(), nodes=1, cameras=1)
    Case.local = rig
    return run_tests(rig, names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [f"__main__.{name}" for name in sys.argv[2:]]))
