#!/usr/bin/env python3
"""`doctor` of the programs finds what is planted, and nothing else: python test_doctor.py FOLDER-OF-RELEASE-PROGRAMS [TEST]...

Disks are real file systems, ports real sockets, users real users. What the kernel of this machine cannot be made to answer,
machine_faults.c answers. Needs root; without it, tests are skipped by name, and fail with CI=true.
"""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from caprig_client import common
from local_rig import LocalRig, Program
from mounted_disk import MEBIBYTE, MountedDisk
from run_tests import NoRig, run_tests
from stranger import Stranger

programs = None
SYNCHRONIZED = ",synchronized,"
CAMERA = "{ virtual: { number: 1, width: 640, height: 360, framesPerSecond: 15 } }"


def free_ports(count=12):
    """The first of so many ports that nobody listens on."""
    for first in range(20_000, 32_000, count):
        with contextlib.ExitStack() as stack:
            try:
                for port in range(first, first + count):
                    stack.enter_context(socket.create_server(("127.0.0.1", port)))
            except OSError:
                continue
            return first
    raise RuntimeError("no free ports")


class CalmRig(LocalRig):
    """What else this machine computes is not found."""

    def further_settings(self, node):
        return "pressure: { enabled: false }\n"


class Doctor(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            self.fail("needs root") if os.environ.get("CI") == "true" else self.skipTest("needs root")
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="caprig-doctor-")))
        self.library = self.folder / "faults.so"
        source = pathlib.Path(__file__).with_name("machine_faults.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-Wall", "-o", self.library, source, "-ldl"], check=True)

    def disk(self, kind="ext4", **options):
        problem = MountedDisk.obstacle(kind)
        if problem and os.environ.get("CI") != "true":
            self.skipTest(problem)
        disk = MountedDisk(kind, **{"size": 700 * MEBIBYTE, **options})
        self.addCleanup(disk.end)
        return disk

    def rig(self, **options):
        """One node of one camera on a disk that has room for all it may store."""
        self.base = free_ports()
        rig = CalmRig(programs, nodes=1, cameras=1, rate=15, base_port=self.base, **options)
        self.addCleanup(rig.stop)
        return rig

    def environment(self, faults=SYNCHRONIZED, **variables):
        return {**os.environ, "LD_PRELOAD": str(self.library), "MACHINE_FAULTS": faults, **variables}

    def run_doctor(self, program, *arguments, prefix=(), faults=SYNCHRONIZED, **variables):
        command = [*map(str, prefix), str(programs / program), "doctor", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, timeout=60, env=self.environment(faults, **variables))
        self.assertIn(done.returncode, (0, 3, 4), done.stderr.decode())
        return done

    def findings(self, program, *arguments, **options):
        """The findings by their codes, the first of each; the status agrees with them."""
        done = self.run_doctor(program, *arguments, "--format", "json", **options)
        document = json.loads(done.stdout)
        severities = {finding["severity"] for finding in document["findings"]}
        self.assertEqual(done.returncode, 4 if "problem" in severities else 3 if severities else 0, document)
        for finding in document["findings"]:
            self.assertEqual(set(finding), {"code", "severity", "subject", "reason", "remedy"})
        self.assertGreater(document["checks"], 0)
        return {finding["code"]: finding for finding in reversed(document["findings"])}

    def assert_found(self, found, code, *words):
        """This alone, with a remedy of these words."""
        self.assertEqual(set(found), {code}, found)
        for word in words:
            self.assertIn(word, found[code]["remedy"])


class Node(Doctor):
    """`capagentd doctor` beside a coordinator, with an agent that does not run."""

    def setUp(self):
        super().setUp()
        # The key of the coordinator is in its library, which outlives the rig for tests that start another coordinator on it.
        self.local = self.rig(library=self.folder / "library")
        self.keys = self.folder / "keys"
        shutil.copytree(self.local.spools / "node1.spool" / "keys", self.keys)
        self.keys.chmod(0o700)
        self.spool = self.folder / "spool"
        self.spool.mkdir()

    def configuration(self, spool=None, keys=None, coordinator=None, source=CAMERA, more="", limit="16 MiB"):
        path = self.folder / "agent.yaml"
        path.write_text(f"""\
node: node1
coordinator: {coordinator or self.local.endpoints['control']}
spool: {{ folder: {spool or self.spool}, limit: {limit}, reserve: 1 MiB }}
keys: {{ folder: {keys or self.keys} }}
{more}
devices:
  - {{ name: front, purpose: A test, source: {source} }}
""")
        return path

    def node(self, faults=SYNCHRONIZED, prefix=(), variables=None, **options):
        return self.findings(
            "capagentd", "--config", self.configuration(**options), faults=faults, prefix=prefix, **(variables or {}))

    # A healthy machine.

    def test_a_healthy_node_gets_one_line(self):
        done = self.run_doctor("capagentd", "--config", self.configuration())
        self.assertEqual(done.returncode, 0, done.stdout.decode())
        self.assertRegex(done.stdout.decode(), r"^nothing found: [0-9]+ checks\n$")
        self.assertEqual(list(self.spool.iterdir()), [], "it left something in the spool")

    def test_a_healthy_node_whose_agent_runs_gets_one_line(self):
        port = self.base + 20
        more = f"frames: {{ listen: {{ port: {port} }} }}"
        configuration = self.configuration(more=more)
        # The rig's own agent has the key.
        self.local.programs[-1].stop()
        agent = Program(self.folder, "agent", [str(programs / "capagentd"), "--config", str(configuration)])
        self.addCleanup(agent.stop)
        agent.announcement()
        self.assertEqual(self.node(more=more), {})

    # Disks.

    def test_a_read_only_disk(self):
        disk = self.disk()
        disk.remount("ro")
        self.assert_found(self.node(spool=disk.path), "diskReadOnly", f"mount -o remount,rw {disk.path}")

    def test_a_full_disk(self):
        disk = self.disk()
        free = os.statvfs(disk.path)
        with open(disk.path / "filler", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize - 40 * MEBIBYTE)
        self.assert_found(self.node(spool=disk.path), "diskFull", "du -xh -d 2")

    def test_a_disk_that_holds_less_than_it_may(self):
        self.assert_found(self.node(spool=self.disk().path, limit="4 GiB"), "diskNearlyFull", "du -xh -d 2")

    def test_a_disk_without_inodes(self):
        disk = self.disk(inodes=256)
        disk.use_inodes(leaving=10)
        self.assert_found(self.node(spool=disk.path), "inodesUsedUp", "du --inodes")

    def test_a_disk_in_memory(self):
        path = self.folder / "memory"
        path.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400m", "none", path], check=True)
        self.addCleanup(subprocess.run, ["umount", path], check=True)
        self.assert_found(self.node(spool=path), "notDurable", "spool.folder")

    def test_a_disk_on_which_keys_are_not_private(self):
        disk = self.disk("exfat")
        shutil.copytree(self.keys, disk.path / "keys")
        found = self.node(keys=disk.path / "keys")
        self.assertIn("keys.folder", found["permissionsIgnored"]["remedy"])
        # The node cannot use them either.
        self.assertEqual(set(found), {"permissionsIgnored", "keyUnusable"})

    def test_a_file_system_that_cannot_publish(self):
        self.assert_found(self.node(faults=SYNCHRONIZED + "publishing,"), "publishingImpossible", "spool.folder")

    def test_a_folder_of_another_user(self):
        owned = self.folder / "owned"
        owned.mkdir(mode=0o755)
        found = self.node(spool=owned, prefix=self.as_nobody())
        self.assert_found(found, "folderNotWritable", f"install -d -o nobody -m 0750 {owned}")

    def as_nobody(self):
        """Runs a program as a user who has nothing but the keys and the spool."""
        self.folder.chmod(0o755)
        for path in [self.keys, *self.keys.iterdir(), self.spool]:
            shutil.chown(path, "nobody", "nogroup")
        return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]

    # Cameras. Whether a node may be opened, its permissions say, whatever it is.

    def test_a_camera_of_a_group_that_the_user_is_not_in(self):
        node = self.folder / "video0"
        node.touch()
        node.chmod(0o660)
        shutil.chown(node, "root", "video")
        found = self.node(source=f"{{ v4l2: {{ path: {node} }} }}", prefix=self.as_nobody())
        self.assert_found(found, "cameraDenied", "usermod -aG video", "SupplementaryGroups=video")

    def test_a_camera_that_is_not_there(self):
        self.assert_found(self.node(source=f"{{ v4l2: {{ path: {self.folder}/none }} }}"), "cameraAbsent", "--list-devices")

    # Clocks.

    def test_a_clock_that_nothing_sets(self):
        self.assertIn("clockUnsynchronized", self.node(faults=",unsynchronized,"))

    # Ports.

    def test_a_port_that_another_program_has(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            found = self.node(more=f"frames: {{ listen: {{ port: {port} }} }}")
        self.assert_found(found, "portTaken", f"ss -ltnp 'sport = :{port}'")
        self.assertIn("python", found["portTaken"]["reason"])

    def test_an_address_of_another_machine(self):
        self.assert_found(self.node(more="frames: { listen: { host: 192.0.2.1 } }"), "addressMissing", "ip -br address")

    # The coordinator.

    def test_a_closed_port(self):
        self.local.programs[0].stop()
        self.assert_found(self.node(), "coordinatorClosed", "systemctl enable --now capcoordd")

    def test_a_closed_channel(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            found = self.node(coordinator=f"tcp://127.0.0.1:{port}")
        self.assertIn(str(port + 1), found["channelClosed"]["remedy"])

    def test_a_name_without_address(self):
        found = self.node(coordinator="tcp://none.invalid:7710", more="frames: { listen: { host: '*' } }")
        self.assert_found(found, "hostUnresolved", "getent hosts none.invalid")

    def test_live_pictures_for_this_machine_alone(self):
        found = self.node(coordinator="tcp://none.invalid:7710")
        self.assertIn("frames.listen.host: '*'", found["loopbackOnly"]["remedy"])

    def test_a_machine_that_has_not_joined(self):
        self.assert_found(self.node(keys=self.folder / "none"), "keyMissing", "capctl node invite NAME", "capagentd join CODE")

    def test_a_key_that_others_may_read(self):
        (self.keys / "agent.key_secret").chmod(0o644)
        self.assertEqual(set(self.node()), {"keyUnusable"})

    def test_a_key_that_was_revoked(self):
        # Status 3: the agent does not confirm that it has ended its viewers, since its own key has ended.
        self.assertIn(self.local.admin.run("keys", "revoke", "node1").returncode, (0, 3))
        self.assert_found(self.node(), "keyRefused", "capctl node invite NAME")

    def test_another_coordinator(self):
        self.local.stop()
        other = self.rig(library=self.folder / "another-library")
        self.assert_found(self.node(coordinator=other.endpoints["control"]), "wrongCoordinator", "coordinator")

    # Limits.

    def test_few_descriptors(self):
        self.assert_found(self.node(prefix=["prlimit", "--nofile=200:200"]), "descriptorsFew", "LimitNOFILE=65536")

    def test_limits_of_a_network(self):
        """In a network of its own, which has limits of its own, and packets of a size that no network has. The coordinator runs until the
        doctor, which the shell becomes, has ended, and with it the other end of its standard input."""
        self.local.stop()
        script = f"""
set -e
ip link set lo up mtu 1000
echo 16 > /proc/sys/net/core/somaxconn
echo "4096 8192 16384" > /proc/sys/net/ipv4/tcp_rmem
mkfifo {self.folder}/end {self.folder}/said
{programs}/capcoordd --library {self.local.library} --base-port {self.base} --announce --until-eof \\
  < {self.folder}/end > {self.folder}/said &
exec 3> {self.folder}/end 4< {self.folder}/said
read -r announcement <&4
exec "$@"
"""
        holder = ["unshare", "--net", "--kill-child", "--fork", "--pid", "--mount-proc", "bash", "-c", script, "network"]
        found = self.node(prefix=holder)
        self.assertEqual(set(found), {"packetsSmall", "backlogSmall", "buffersSmall"})
        self.assertIn("ip link set dev lo mtu 1500", found["packetsSmall"]["remedy"])
        self.assertIn("sysctl -w net.core.somaxconn=4096", found["backlogSmall"]["remedy"])
        self.assertIn("sysctl -w net.ipv4.tcp_rmem=", found["buffersSmall"]["remedy"])

    # Programs.

    def test_a_missing_encoder(self):
        self.assert_found(self.node(variables={"PATH": "/nowhere"}), "encoderMissing", "apt install ffmpeg")

    def test_an_agent_older_than_the_installed_program(self):
        self.local.programs[-1].stop()
        copy = self.folder / "capagentd"
        shutil.copy(programs / "capagentd", copy)
        agent = Program(self.folder, "agent", [str(copy), "--config", str(self.configuration())])
        self.addCleanup(agent.stop)
        agent.announcement()
        copy.unlink()
        self.assert_found(self.node(), "programReplaced", "systemctl restart capagentd")

    def test_text_for_people_fits_80_columns(self):
        self.local.programs[0].stop()
        configuration = self.configuration(keys=self.folder / "none", more="frames: { listen: { host: 192.0.2.1 } }")
        text = self.run_doctor("capagentd", "--config", configuration, faults=",unsynchronized,").stdout.decode()
        self.assertIn("    fix: ", text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)


class Coordinator(Doctor):
    def coordinator(self, *arguments, **options):
        return self.findings("capcoordd", "--library", self.folder / "library", *arguments, **options)

    def test_a_healthy_coordinator_gets_one_line_whether_it_runs_or_not(self):
        configuration = self.folder / "coordinator.yaml"
        configuration.write_text(f"listen: {{ basePort: {free_ports()} }}\n")
        arguments = ["--config", configuration, "--library", self.folder / "library"]
        self.assertEqual(self.findings("capcoordd", *arguments), {})
        program = Program(self.folder, "capcoordd", [str(word) for word in [programs / "capcoordd", *arguments]])
        self.addCleanup(program.stop)
        program.announcement()
        self.assertEqual(self.findings("capcoordd", *arguments), {})

    def test_a_port_that_another_program_has(self):
        first = free_ports()
        configuration = self.folder / "coordinator.yaml"
        configuration.write_text(f"listen: {{ basePort: {first} }}\n")
        with socket.create_server(("127.0.0.1", first + 3)):
            found = self.coordinator("--config", configuration)
        self.assert_found(found, "portTaken", f"ss -ltnp 'sport = :{first + 3}'")

    def test_a_read_only_library(self):
        disk = self.disk()
        disk.remount("ro")
        found = self.findings("capcoordd", "--library", disk.path, "--state", self.folder / "state")
        self.assertIn("mount -o remount,rw", found["diskReadOnly"]["remedy"])


class WholeRig(Doctor):
    """`capctl doctor`."""

    def capctl(self, local, *arguments):
        return self.findings("capctl", "--admin", local.admin.folder, *arguments)

    def await_finding(self, local, code, seconds=60):
        """What is found once this is found: the coordinator hears of a node in time."""
        deadline = time.monotonic() + seconds
        while code not in (found := self.capctl(local)):
            self.assertLess(time.monotonic(), deadline, f"{code} is not among {found}")
            time.sleep(0.2)
        return found

    def test_a_healthy_rig_gets_one_line(self):
        local = self.rig()
        done = self.run_doctor("capctl", "--admin", local.admin.folder)
        self.assertRegex(done.stdout.decode(), r"^nothing found: [0-9]+ checks\n$")
        self.assertNotIn(b"doctor", self.status(local))

    def status(self, local):
        return subprocess.run(
            [programs / "capctl", "status", "--admin", local.admin.folder], capture_output=True, check=True).stdout

    def test_a_node_that_is_away(self):
        local = self.rig()
        local.programs[-1].stop()
        self.assert_found(self.await_finding(local, "nodeAway"), "nodeAway", "systemctl start capagentd", "capagentd doctor")
        self.assertIn(b"capctl doctor", self.status(local))

    def test_a_camera_at_half_its_rate(self):
        local = self.rig(virtual=[", actualFramesPerSecond: 7.5"])
        found = self.await_finding(local, "cameraSlow")
        self.assert_found(found, "cameraSlow", "exposureDynamicFrameRate=off")
        self.assertIn("7.5 of 15.0", found["cameraSlow"]["reason"])

    def test_two_cameras_on_one_usb_2_bus_and_an_agent_of_another_version(self):
        """As a node reports them: no machine here has a USB bus."""
        local = self.rig()
        node = Reporter(local, "wide")
        self.addCleanup(node.close)
        found = self.await_finding(local, "busNarrow")
        self.assertIn("wide/cam1, wide/cam2", found["busNarrow"]["reason"])
        self.assertIn("lsusb -t", found["busNarrow"]["remedy"])
        self.assertIn("--only-upgrade caprig-agent", found["versionsDiffer"]["remedy"])
        self.assertIn("libzmq", found["libraryAbortable"]["reason"])

    def test_a_coordinator_that_does_not_run(self):
        local = self.rig()
        local.programs[0].stop()
        self.assert_found(self.capctl(local), "coordinatorClosed", "systemctl enable --now capcoordd")


class Reporter:
    """A node in another language with two cameras on one bus, an old version, and the libzmq of the system."""

    def __init__(self, local, name):
        self.node = Stranger(local.endpoints["control"], name, local.admin.member(name, "node"))
        cost = common.SessionCost(
            stream_bytes_per_second=36_864_000, ring_bytes=1, ring_limit_bytes=1, usb_bus=1, usb_limit_bytes_per_second=48_000_000)
        session = common.SessionCondition(phase="running", authorization="authorized", readiness="ready", cost=cost)
        self.node.join(
            devices=[self.node.camera(camera, session=session) for camera in ("cam1", "cam2")], software="caprig-agent 0.0.9", bus_library=common.BusLibrary(version="4.3.4"))

    def close(self):
        self.node.control.close()


if __name__ == "__main__":
    programs = pathlib.Path(sys.argv[1]).resolve()
    sys.exit(run_tests(NoRig(), sys.argv[2:]))
