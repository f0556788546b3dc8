#!/usr/bin/env python3
"""A machine joins a coordinator that announces itself: python test_discovery.py FOLDER-OF-RELEASE-PROGRAMS

Two machines are network namespaces with a cable in between, each with Avahi's daemon. Needs root.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from local_rig import Program
from run_tests import NoRig, run_tests

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Readme"))
from machine import Machine, may_follow  # noqa: E402

ANNOUNCEMENT = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "caprig.service.avahi"
# A bus, and Avahi's daemon in the foreground. They share a /run with nobody.
AVAHI = """
set -e
mount -t tmpfs none /run
mkdir /run/dbus
dbus-daemon --system --nopidfile --fork
exec avahi-daemon --no-chroot --no-drop-root --no-rlimits
"""
programs = None


class Announcing(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="caprig-discovery-")))
        problem = may_follow(self.folder)
        if problem and os.environ.get("CI") != "true":
            self.skipTest(problem)
        self.server, self.other = (self.machine(name) for name in ("server", "other"))
        self.server.connect(self.other, "10.93.0.1", "10.93.0.2")

    def machine(self, name):
        machine = Machine(name, self.folder)
        self.addCleanup(machine.end)
        avahi = subprocess.Popen(machine.inside("bash", "-c", AVAHI), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(avahi.communicate)
        self.addCleanup(avahi.kill)
        machine.bus = lambda *command: self.in_run_of(avahi, machine, command)
        return machine

    @staticmethod
    def in_run_of(avahi, machine, command):
        """A command on the machine that sees the bus."""
        return ["nsenter", f"--target={avahi.pid}", "--mount", "--net", f"--wd={machine.folder}", *map(str, command)]

    def coordinator(self):
        command = self.server.inside(
            str(programs / "capcoordd"), "--library", str(self.folder / "library"), "--listen", "10.93.0.1")
        program = Program(self.folder, "capcoordd", command)
        self.addCleanup(program.stop)
        return program.announcement()

    def announce(self, name="caprig"):
        """As docs/keys.md says."""
        command = ["install", "-D", "-m", "644", str(ANNOUNCEMENT), f"/etc/avahi/services/{name}.service"]
        subprocess.run(self.server.inside(*command), check=True)

    def join_command(self, key, name):
        return self.other.bus(
            programs / "capagentd", "join", "--request", "--coordinator-key", key, "--name", name, "--no-cameras",
            "--config", self.folder / "agent.yaml", "--spool", self.folder / "spool", "--wait", "60s")

    def capctl(self, *arguments):
        command = self.server.inside(
            str(programs / "capctl"), *arguments, "--admin", str(self.folder / "library" / ".caprig" / "admin"), "--format", "json")
        done = subprocess.run(command, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_machine_joins_the_coordinator_that_announces_itself(self):
        key = self.coordinator()["key"]
        refused = subprocess.run(self.join_command(key, "pi4"), capture_output=True, text=True, timeout=60)
        self.assertEqual(refused.returncode, 64, refused.stderr)
        self.assertIn("no coordinator announces itself", refused.stderr)
        self.announce()
        join = self.until_it_asks(key)
        [request] = self.capctl("keys", "list")["requests"]
        self.assertEqual(request["name"], "pi4")
        self.capctl("keys", "approve", request["fingerprint"])
        text, _ = join.communicate(timeout=60)
        self.assertEqual(join.returncode, 0, text)
        self.assertIn("coordinator: tcp://10.93.0.1:7710", (self.folder / "agent.yaml").read_text().replace('"', ""))

    def until_it_asks(self, key):
        """Avahi reads its services again by itself, and announces them after a while."""
        deadline = time.monotonic() + 30
        while True:
            join = subprocess.Popen(
                self.join_command(key, "pi4"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            line = join.stdout.readline()
            if line.startswith("this machine:"):
                while not self.capctl("keys", "list").get("requests"):
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.1)
                return join
            join.communicate()
            self.assertIn("no coordinator announces itself", line)
            self.assertLess(time.monotonic(), deadline, line)


if __name__ == "__main__":
    programs = pathlib.Path(sys.argv[1]).resolve()
    sys.exit(run_tests(NoRig(), ["__main__"]))
