#!/usr/bin/env python3
"""What PTP and NTP say of clocks narrows bounds, or is a conflict: python test_clocks.py FOLDER-OF-RELEASE-PROGRAMS [TEST]...

Two machines are namespaces with a cable in between, each with ptp4l or chronyd of Debian. They have one kernel, and so one CLOCK_REALTIME, which
nothing sets: machine_faults.c answers ptp4l that it was. The monotonic clock of the node is ahead by a number of seconds that is known exactly
(a time namespace). Needs root. The packages are unpacked and not installed, since chrony would take the place of what keeps this machine's clock.
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
from timecode_decode import pixels

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Readme"))
from machine import Machine, may_follow  # noqa: E402

ZERO = 86_400  # seconds by which the node's monotonic clock is ahead
SERVER, OTHER = "10.94.0.1", "10.94.0.2"
ON = "clock: { discipline: true }\n"
CONFIGURATION = """\
node: other
spool: { reserve: 1 MiB }
devices:
  - name: cam1
    purpose: A virtual camera of the test rig
    source:
      virtual: { number: 1, width: 160, height: 120, framesPerSecond: 5 }
"""
ROOT = pathlib.Path(__file__).resolve().parents[2]
CAMERAS = {"left": "127.94.0.1", "right": "127.94.0.2"}
WIDTH, SQUARE, BITS = 320, 16, 56
# Of cameras that expose at T; {0} is the folder.
EXPOSING = "node: other\nspool: {{ reserve: 1 MiB }}\ndevices:\n" + "".join(
    f"""\
  - name: {name}
    purpose: Exposes at T
    uncertainty: 0 ms
    source: {{{{ aravis: {{{{ address: {address}, exposure: scheduled, helper: {{0}}/caprig-aravis, startMilliseconds: 120000 }}}} }}}}
""" for name, address in CAMERAS.items())
# The first process of a machine. It shares a /run and process numbers with nobody.
FIRST = "mount -t tmpfs none /run && exec sleep infinity"
PTP = ["ptp4l", "-S", "-m", "-i", "eth0", "--logAnnounceInterval=-2", "--logSyncInterval=-3", "--logMinDelayReqInterval=-3"]
# A server whose own clock is its reference, and a client of it, which is what an agent asks.
NTP_SERVER = ["chronyd", "-d", "-x", "-u", "root", "local stratum 5", "allow 127.0.0.1", "cmdport 0", "pidfile /run/server.pid",
              "bindcmdaddress /run/server/sock"]
NTP_CLIENT = ["chronyd", "-d", "-x", "-u", "root", "server 127.0.0.1 iburst minpoll -2 maxpoll -2", "port 0", "pidfile /run/client.pid"]
programs = None


def debian_programs():
    """The folders of ptp4l, pmc, chronyd and chronyc, for PATH."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "caprig" / "clocks"
    folders = [cache / "usr" / name for name in ("sbin", "bin")]
    if not all((folder / name).exists() for folder, name in ((folders[0], "pmc"), (folders[1], "chronyc"))):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["apt-get", "download", "linuxptp", "chrony"], cwd=folder, check=True, capture_output=True)
            for package in pathlib.Path(folder).glob("*.deb"):
                subprocess.run(["dpkg-deb", "--extract", package, cache], check=True)
    return ":".join(map(str, folders))


class Clocks(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="caprig-clocks-")))
        problem = may_follow(self.folder)
        if problem and os.environ.get("CI") != "true":
            self.skipTest(problem)
        try:
            self.path = f"{debian_programs()}:{os.environ['PATH']}"
        except (OSError, subprocess.CalledProcessError) as error:
            problem = f"no packages of Debian: {error}"
            self.fail(problem) if os.environ.get("CI") == "true" else self.skipTest(problem)
        self.faults = self.folder / "faults.so"
        source = pathlib.Path(__file__).with_name("machine_faults.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-Wall", "-o", self.faults, source, "-ldl"], check=True)
        self.machines = {name: self.machine(name) for name in ("server", "other")}
        self.machines["server"].connect(self.machines["other"], SERVER, OTHER)

    def machine(self, name):
        machine = Machine(name, self.folder)
        self.addCleanup(machine.end)
        command = machine.inside("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c", FIRST)
        holder = subprocess.Popen(command)
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        children = pathlib.Path(f"/proc/{holder.pid}/task/{holder.pid}/children")
        deadline = time.monotonic() + 30
        while not (machine_first := children.read_text().split()) or b"sleep" not in pathlib.Path(f"/proc/{machine_first[0]}/cmdline").read_bytes():
            self.assertLess(time.monotonic(), deadline, "no namespaces")
            time.sleep(0.01)
        machine.first = machine_first[0]
        return machine

    def inside(self, machine, command, faults=""):
        words = ["nsenter", f"--target={self.machines[machine].first}", "--mount", "--net", "--pid", f"--wd={self.folder}", "env", f"PATH={self.path}"]
        if faults:
            words += [f"LD_PRELOAD={self.faults}", f"MACHINE_FAULTS=,{faults},"]
        return [*words, *map(str, command)]

    def start(self, machine, command, name, faults=""):
        """A program of Debian, which ends with the test."""
        with open(self.folder / f"{name}.log", "wb") as log:
            process = subprocess.Popen(self.inside(machine, command, faults), stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

    def program(self, machine, command, name, faults):
        program = Program(self.folder, name, self.inside(machine, command, faults))
        self.addCleanup(program.stop)
        program.announcement()

    def run_inside(self, machine, *command):
        """What a command prints."""
        done = subprocess.run(self.inside(machine, command), capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def capctl(self, *arguments):
        return json.loads(self.run_inside("server", programs / "capctl", *arguments, "--admin", self.admin_folder, "--format", "json"))

    def rig(self, server_faults="synchronized", other_faults="synchronized", server=ON, other=ON, node=CONFIGURATION):
        """`server` and `other` are what the configurations of both machines say of the clock; `node` is the rest of the node's."""
        library = self.folder / "library"
        rig_configuration = self.folder / "coordinator.yaml"
        rig_configuration.write_text("rig: clocks\n" + server)
        coordinator = [programs / "capcoordd", "--config", rig_configuration, "--library", library, "--listen", SERVER]
        self.program("server", coordinator, "capcoordd", server_faults)
        self.admin_folder = library / ".caprig" / "admin"
        configuration, spool = self.folder / "agent.yaml", self.folder / "spool"
        configuration.write_text(node + other)
        code = self.capctl("node", "invite", "other")["code"]
        self.run_inside("other", programs / "capagentd", "join", code, "--config", configuration, "--spool", spool)
        clock = ["unshare", "--time", "--fork", "--kill-child", "--monotonic", ZERO]
        agent = [programs / "capagentd", "--config", configuration, "--coordinator", f"tcp://{SERVER}:7710", "--spool", spool]
        self.program("other", [*clock, *agent], "capagentd", other_faults)

    def node(self):
        [node] = self.capctl("sync", "status")["nodes"]
        return node

    def await_node(self, problem, condition, seconds=180):
        deadline = time.monotonic() + seconds
        while not ((node := self.node()).get("clock") and condition(node)):
            self.assertLess(time.monotonic(), deadline, f"{problem}: {node}\n{self.logs()}")
            time.sleep(0.2)
        return node

    def logs(self):
        return "\n".join(f"--- {log.name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-12:]) for log in self.folder.glob("*.log"))

    def assert_true_within_bound(self, node):
        """The offset of the clocks is exactly that of the time namespace. It is said of the newest probe, a moment before the bound."""
        error = int(node["clock"]["offsetNanoseconds"]) + ZERO * 1_000_000_000
        self.assertLessEqual(abs(error), int(node["clockBoundNanoseconds"]), node)

    def start_ptp(self):
        self.start("server", [*PTP, "--priority1=10"], "ptp4l-server", "steered")
        self.start("other", [*PTP, "-s"], "ptp4l-other", "steered")

    def test_ptp_narrows_the_bound_and_the_truth_is_within_it(self):
        self.start_ptp()
        self.rig()
        node = self.await_node("PTP is not used", lambda node: node["clock"]["source"] == "ptp+probes")
        bounds = []
        for _ in range(20):
            node = self.node()
            self.assert_true_within_bound(node)
            self.assertNotIn("conflict", node["clock"])
            bounds.append(int(node["clockBoundNanoseconds"]) / 1000)
            time.sleep(0.2)
        print(f"bound with PTP in µs: {min(bounds)} to {max(bounds)}, half the shortest round trip {int(node['clock']['shortestRoundTripNanoseconds']) / 2000}")

    def start_cameras(self):
        """Cameras on the node that follow the server's clock by PTP, and draw when they expose."""
        subprocess.run([ROOT / "deploy" / "aravis" / "build", self.folder / "caprig-aravis"], check=True)
        [link] = json.loads(self.run_inside("server", "ip", "-j", "link", "show", "eth0"))
        octets = link["address"].split(":")
        grandmaster = "".join([*octets[:3], "fffe", *octets[3:]])
        for name, address in CAMERAS.items():
            command = ["/usr/bin/python3", ROOT / "Tests" / "Backends" / "AravisCameraTests" / "gev_camera.py", "--address", address, "--actions", "--squares",
                       "--grandmaster", grandmaster, "--formats", "Mono8", "--width", WIDTH, "--height", 240]
            self.start("other", command, name)

    def exposed(self, picture):
        """The middle of a picture's exposure as it shows it, in nanoseconds of the kernel's clock, which is the server's."""
        width, _, luma = pixels(picture.read_bytes())
        across = WIDTH // SQUARE
        places = ((bit % across * SQUARE + SQUARE // 2, bit // across * SQUARE + SQUARE // 2) for bit in range(BITS))
        return int("".join(str(int(luma[y * width + x] > 0x80)) for x, y in places), 2) * 1000

    def test_cameras_on_the_clock_of_ptp_expose_at_t(self):
        self.start_ptp()
        self.start_cameras()
        self.rig(node=EXPOSING.format(self.folder))
        self.await_node("PTP is not used", lambda node: node["clock"]["source"] == "ptp+probes")
        early, apart, bounds = [], [], []
        for _ in range(10):
            arguments = ["trigger", "--all", "--lead", "2s", "--admin", self.admin_folder]
            done = subprocess.run(self.inside("server", [programs / "capctl", *arguments]), capture_output=True, timeout=120)
            self.assertEqual(done.returncode, 0, f"{done.stdout.decode()}{done.stderr.decode()}\n{self.logs()}")
            manifest = max((self.folder / "library").glob("[0-9]*/*/*/*/shot.json"), key=lambda path: path.stat().st_mtime_ns)
            shot, middles = json.loads(manifest.read_bytes()), []
            for capture in shot["captures"]:
                [file] = capture["files"]
                middle, said = self.exposed(manifest.parent / file["path"]), capture["timing"]["midExposure"]
                self.assertLessEqual(abs(middle - said["time"]), said["boundNanoseconds"], capture)
                # What is left of T is what the node's estimate of rig time is off by.
                self.assertLessEqual(abs(middle - shot["time"]), said["boundNanoseconds"], capture)
                middles.append(middle)
                early.append(abs(middle - shot["time"]) / 1000)
                bounds.append(said["boundNanoseconds"] / 1000)
            self.assertEqual(len(middles), len(CAMERAS))
            apart.append((max(middles) - min(middles)) / 1000)
        print(f"µs: from T at most {max(early)}, apart at most {max(apart)}; bounds {min(bounds)} to {max(bounds)}")
        # Both follow one clock; the picture has microseconds.
        self.assertLessEqual(max(apart), 20)

    def test_ptp_of_a_clock_that_is_37_seconds_ahead_is_a_conflict(self):
        self.start_ptp()
        self.rig(server_faults="synchronized,ahead")
        node = self.await_node("the node reports no conflict", lambda node: "conflict" in node["clock"])
        self.assertEqual(node["clock"]["source"], "probes")
        self.assert_true_within_bound(node)
        conflict = node["clock"]["conflict"]
        self.assertEqual(conflict["source"], "ptp")
        self.assertRegex(conflict["identity"], r"^[0-9a-f]{6}\.[0-9a-f]{4}\.[0-9a-f]{6}$")
        difference = int(conflict["claimedOffsetNanoseconds"]) - int(conflict["provenOffsetNanoseconds"])
        self.assertLess(abs(difference + 37_000_000_000), 10_000_000)

    def test_ntp_of_a_clock_that_is_37_seconds_ahead_is_a_conflict(self):
        for machine in self.machines:
            self.start(machine, NTP_SERVER, f"server-{machine}")
            self.start(machine, NTP_CLIENT, f"client-{machine}")
        self.rig(server_faults="synchronized,ahead")
        node = self.await_node("the node reports no conflict", lambda node: "conflict" in node["clock"])
        self.assertEqual((node["clock"]["conflict"]["source"], node["clock"]["conflict"]["identity"]), ("ntp", "utc"))
        self.assertEqual(node["clock"]["source"], "probes")
        self.assert_true_within_bound(node)

    def test_clocks_that_only_one_end_keeps_are_known_from_probes(self):
        self.start("other", NTP_SERVER, "server-other")
        self.start("other", NTP_CLIENT, "client-other")
        deadline = time.monotonic() + 60
        ask = self.inside("other", ["chronyc", "-n", "-c", "tracking"])
        while b",Normal" not in subprocess.run(ask, capture_output=True, timeout=30).stdout:
            self.assertLess(time.monotonic(), deadline, "chronyd is not in step")
            time.sleep(0.2)
        self.rig()
        self.await_node("no clock", lambda node: "clockBoundNanoseconds" in node)
        time.sleep(15)
        node = self.node()
        self.assertEqual(node["clock"]["source"], "probes")
        self.assertNotIn("conflict", node["clock"])
        self.assert_true_within_bound(node)

    def test_no_program_is_asked_and_nothing_is_used_unless_the_configurations_say_so(self):
        self.start_ptp()
        asked, stands_in = self.folder / "asked", self.folder / "stands-in"
        stands_in.mkdir()
        for name in ("pmc", "chronyc"):
            (stands_in / name).write_text(f"#!/bin/sh\necho {name} >> '{asked}'\nexit 1\n")
            (stands_in / name).chmod(0o755)
        self.path = f"{stands_in}:{self.path}"
        self.rig(server="", other="")
        self.await_node("no clock", lambda node: "clockBoundNanoseconds" in node)
        time.sleep(5)
        node = self.node()
        self.assertEqual(node["clock"]["source"], "probes")
        self.assertNotIn("conflict", node["clock"])
        self.assertFalse(asked.exists(), "daemons ask when they start")

    def test_what_one_machine_says_is_not_used_if_the_other_says_nothing(self):
        self.start_ptp()
        self.rig(other="")
        self.await_node("no clock", lambda node: "clockBoundNanoseconds" in node)
        time.sleep(15)
        self.assertEqual(self.node()["clock"]["source"], "probes")


if __name__ == "__main__":
    programs = pathlib.Path(sys.argv[1]).resolve()
    sys.exit(run_tests(NoRig(), [f"__main__.{name}" for name in sys.argv[2:]] or ["__main__"]))
