"""No peer can abort a process, whether its key is admitted or not: peers that leave bytes behind, and clients that are killed."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import zmq

import resets
from caprig_client import Keys, Place
from case import Case
from rogue import admitted, libraries, ports

ROUNDS = 60  # of eight connections; the system's libzmq has ended within 9 on every port
KILLED = 8  # clients; one has ended the system's libzmq
FOLDER = pathlib.Path(__file__).resolve().parent


class NoAbort(Case):
    """What is skipped where the programs are linked with the system's libzmq, which does abort."""

    def setUp(self):
        super().setUp()
        # A node that is away does not tell.
        self.local.await_readiness()
        status = self.rig.status()
        weak = [name for name, library in libraries(status, self.local.nodes).items() if not library.hardened]
        if weak:
            self.leave_out(f"{', '.join(weak)}: linked with the system's libzmq, which any peer can abort")

    def leave_out(self, why):
        (self.fail if os.environ.get("CI") == "true" else self.skipTest)(why)

    def assert_lives(self):
        """Takes a picture with every camera once what was left behind is read."""
        self.local.await_readiness()
        self.await_true("no shot is complete", lambda: self.trigger().status == "complete", seconds=60)
        for program in self.local.programs:
            self.assertTrue(program.runs(), f"{program.name} has ended:\n{program.tail()}")

    def test_no_port_lets_a_peer_abort_its_process(self):
        for name, places in ports(self.local).items():
            kind, message = resets.MESSAGES[name.split("-")[0]]
            place = admitted(name, places)[0]
            with self.subTest(name):
                for _ in range(ROUNDS):
                    self.await_true("the port lets nobody in", lambda: has_left_unread(place, kind, message))
                    resets.leave_unread_without_keys(place.endpoint, kind, message)
                for program in self.local.programs:
                    self.assertTrue(program.runs(), f"{program.name} has ended:\n{program.tail()}")
        self.assert_lives()

    def test_a_client_that_is_killed_while_the_coordinator_stands_still_does_not_abort_it(self):
        asked = sum(resets.sealed_size(resets.request(number)) for number in range(resets.UNDER_WAY))
        port = int(self.local.endpoints["client"].rsplit(":", 1)[1])
        for _ in range(KILLED):
            with self.asking_client() as child:
                with self.coordinator_standing_still():
                    self.ask(child)
                    # All that it has asked, and the ping of half a second later.
                    self.await_true("the client has sent no ping", lambda: any(
                        resets.has_been_told(port, peer, asked + resets.sealed_size(resets.PING)) for peer in ports_of(child.pid)))
                    child.kill()
                    child.wait()
            self.assertTrue(self.local.coordinator.runs(), f"the coordinator has ended:\n{self.local.coordinator.tail()}")
        self.assert_lives()

    @contextlib.contextmanager
    def asking_client(self):
        """A client in a process of its own, which is killed at the end at the latest."""
        child = subprocess.Popen(
            [sys.executable, FOLDER / "resets.py", self.local.endpoints["client"], self.local.admin.folder / "admin.key_secret",
             self.local.endpoints["key"]], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        )
        with child:
            try:
                self.assertEqual(child.stdout.readline(), "ready\n")
                yield child
            finally:
                child.kill()

    def ask(self, child):
        print("ask", file=child.stdin, flush=True)
        self.assertEqual(child.stdout.readline(), "asked\n")

    @contextlib.contextmanager
    def coordinator_standing_still(self):
        pid = self.local.coordinator.process.pid
        os.kill(pid, signal.SIGSTOP)
        try:
            os.waitpid(pid, os.WUNTRACED)  # until its last thread stands still
            yield
        finally:
            os.kill(pid, signal.SIGCONT)


class LinkedLibrary(Case):
    def test_the_status_tells_which_processes_a_peer_can_abort(self):
        for name, library in libraries(self.rig.status(), self.local.nodes).items():
            program = self.local.coordinator if name == "coordinator" else self.program(name)
            file = pathlib.Path(f"/proc/{program.process.pid}/exe").resolve()
            # FFmpeg's libraries bring the system's libzmq for themselves; what counts is what the program itself needs.
            needed = subprocess.check_output(["readelf", "--dynamic", file], text=True)
            self.assertRegex(library.version, r"^\d+\.\d+\.\d+$", name)
            self.assertEqual(library.hardened, "[libzmq.so" not in needed, name)

    def test_a_daemon_that_a_peer_can_abort_says_so_in_its_log(self):
        for name, library in libraries(self.rig.status(), self.local.nodes).items():
            program = self.local.coordinator if name == "coordinator" else self.program(name)
            warned = "any peer can abort this process through its libzmq" in program.log.read_text()
            self.assertEqual(warned, not library.hardened, name)

    def program(self, name):
        return next(program for program in self.local.programs if program.name == name)


class ControlOfTheAttack(unittest.TestCase):
    """The same attack on a ROUTER of libzmq alone."""

    def test_the_attack_aborts_the_systems_libzmq(self):
        version, status, errors, _ = self.attack("-lzmq")
        if version != "4.3.4":
            self.skipTest(f"the system's libzmq is {version}; that the attack aborts it is known of Debian's 4.3.4")
        self.assertEqual(status, -signal.SIGABRT, errors)
        self.assertIn("Assertion failed: !_io_error", errors)

    def test_the_attack_does_not_abort_the_patched_libzmq(self):
        folder = self.patched()
        _, status, errors, read = self.attack(f"-L{folder}", "-lzmq", "-lsodium", "-lstdc++")
        self.assertEqual((status, errors), (0, ""))
        self.assertGreater(read, 1000, "nothing of the attack was read, so the test shows nothing")

    def patched(self):
        folder = subprocess.check_output([FOLDER.parents[1] / "tools" / "libzmq", "--where"], text=True).strip()
        if not folder:
            (self.fail if os.environ.get("CI") == "true" else self.skipTest)("tools/libzmq has built no libzmq")
        return folder

    def attack(self, *libraries):
        """Version of the library, exit status and last words of a ROUTER that is attacked, and how many messages it read."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "router")
            compiler = shutil.which("cc") or "clang"
            subprocess.run([compiler, "-o", program, FOLDER / "router.c", *libraries], check=True)
            public, secret = zmq.curve_keypair()
            with subprocess.Popen(
                [program, secret], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            ) as router:
                version, endpoint = router.stdout.readline().split()
                place, read = Place(endpoint, Keys(*zmq.curve_keypair(), server=public)), 0
                with contextlib.suppress(ConnectionError, BrokenPipeError):
                    for _ in range(20):
                        resets.leave_unread(place, *resets.MESSAGES["client"])
                        print("read", file=router.stdin, flush=True)
                        if not (line := router.stdout.readline()):
                            break
                        read += int(line)
                _, errors = router.communicate(timeout=10)
                return version, router.returncode, errors, read


def has_left_unread(place, kind, message):
    try:
        resets.leave_unread(place, kind, message)
    except ConnectionError:
        return False  # the port has its limit of connections, most of which have ended without its knowledge yet
    return True


def ports_of(pid):
    """TCP ports of a process's connections."""
    inodes = set()
    for descriptor in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            inodes.add(os.readlink(descriptor))
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in list(table)[1:]]
    return [int(row[1].split(":")[1], 16) for row in rows if f"socket:[{row[9]}]" in inodes]
