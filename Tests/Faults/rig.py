"""A coordinator and two nodes of release programs on loopback, which are made to fail and are started again."""

import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Interop"))

from admin import Admin  # noqa: E402
from caprig_client import NoAnswer  # noqa: E402
from joined import copy_keys, joined  # noqa: E402
from partition import Cable  # noqa: E402
from proxy import Proxy  # noqa: E402
from wall_clock import WallClock  # noqa: E402

NODES = ("node1", "node2")
CAMERAS = ("cam1", "cam2")
FRAMES_PER_SECOND = 15
NUMBERS = {f"{node}/{camera}": index for index, (node, camera) in enumerate(
    ((node, camera) for node in NODES for camera in CAMERAS), 1)}
# One camera's pictures take several chunks.
SIZES = {"node2/cam2": "width: 1920, height: 1080, quality: 92"}
COORDINATOR = "coordinator"
DISK_KIBIBYTES = 6144
SLOW_END = 4.5  # seconds after which it is looked at why a daemon does not end
WITHOUT_CLIPS = {"node2/cam2"}  # whose pictures are large


def free_base_port(count=6):
    """Neighboring ports below the range from which the system gives some to outgoing connections."""
    while True:
        base = random.SystemRandom().randrange(10_000, 32_000)
        if all(is_free(port) for port in range(base, base + count)):
            return base


def stem(name):
    """`<shot>.<node>.<device>`, with which the name of every file of a capture begins."""
    return ".".join(name.split(".")[:3])


def is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("0.0.0.0", port))
            return True
        except OSError:
            return False


class Daemon:
    """One program under its name, in as many lives as it takes."""

    def __init__(self, name, command, folder):
        self.name, self.command = name, command
        self.prefix, self.environment = (), {}  # a command that it is started by, and variables
        self.log, self.report = folder / f"{name}.log", folder / f"{name}.faults"
        self.process = None
        self.lives = 0
        self.shift = 0  # seconds by which its clock is ahead of the machine's
        self.hangs = 0  # that have been dealt with
        self.always = ()  # rules of every life; `{life}` is its number
        self.lasting = None  # a rule for each life until its point is struck
        self.exits = []
        self.restart_at = None
        self.continue_at = None
        self.is_stopped = False
        self.is_ready = threading.Event()

    def start(self, faults=()):
        command = [str(part) for part in (*self.command, "--until-eof", "--announce")]
        if self.lasting and self.lasting.split("=")[0] not in [point for point, _ in self.struck()[0]]:
            command += ["--fault", self.lasting]
        for fault in (*(rule.format(life=self.lives + 1) for rule in self.always), *faults):
            command += ["--fault", fault]
        command += ["--fault-report", str(self.report)]
        if self.shift:
            command = [sys.executable, str(pathlib.Path(__file__).with_name("clock_shift.py")), str(self.shift), *command]
        command = [*self.prefix, *command]
        self.is_ready = threading.Event()
        with open(self.log, "ab") as log:
            log.write(f"=== life {self.lives + 1}: {' '.join(command)}\n".encode())
            log.flush()
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                                            env={**os.environ, **self.environment})
        self.lives += 1
        self.started = time.monotonic()
        self.restart_at, self.is_stopped, self.continue_at = None, False, None
        threading.Thread(target=self.await_announcement, args=(self.process, self.is_ready), daemon=True).start()

    @staticmethod
    def await_announcement(process, is_ready):
        for line in process.stdout:
            if b'"ready":true' in line:
                is_ready.set()

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def send(self, number):
        if self.runs():
            self.process.send_signal(number)

    def is_frozen(self):
        """Whether a signal has stopped it."""
        try:
            return pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"
        except (OSError, IndexError):
            return False

    def kill(self):
        self.send(signal.SIGKILL)
        if self.process:
            self.process.wait()

    def end(self, seconds=15):
        """Asks it to end. Its status; None where it did not end in time and was killed."""
        if not self.runs():
            return self.process.returncode
        self.process.stdin.close()
        try:
            return self.process.wait(SLOW_END)
        except subprocess.TimeoutExpired:
            self.note_stacks()
        try:
            return self.process.wait(seconds - SLOW_END)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def note_stacks(self):
        """Writes into the log where its threads are, if this machine has a debugger."""
        if debugger := shutil.which("gdb"):
            with open(self.log, "ab") as log:
                subprocess.run([debugger, "-p", str(self.process.pid), "-batch", "-ex", "thread apply all bt 30"],
                               stdout=log, stderr=subprocess.DEVNULL, check=False, timeout=60)

    def struck(self):
        """(point, action) of every fault that struck, in order; and the points reached."""
        lines = [line.split() for line in self.report.read_text().splitlines()] if self.report.exists() else []
        struck = [(fields[1], fields[2]) for fields in lines if fields[0] == "struck"]
        return struck, {fields[1] for fields in lines if fields[0] == "reached"}

    def unhandled_hangs(self):
        return sum(action == "hang" for _, action in self.struck()[0]) - self.hangs


class FaultRig:
    """Starts daemons again that ended, and continues those that stopped themselves."""

    def __init__(self, programs, seed=0, rate="unlimited", disks=(), camera_faults=None, cables=(), wall_clocks=(),
                 disk_size=DISK_KIBIBYTES):
        self.dice = random.Random(seed)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="caprig-faults-"))
        self.library = self.folder / "library"
        self.base_port = free_base_port()
        self.mounted = []
        self.cables = {}
        self.twins = {}  # node -> another agent under its name
        self.cloned = set()  # nodes that ever had one
        self.filled = set()  # names whose disk ever was
        self.is_ending = False
        self.lock = threading.RLock()
        self.notes = []
        self.corrupted = set()  # `<shot>.<node>.<device>` of captures whose bytes were changed behind the rig's back
        self.began = time.monotonic()
        try:
            for disk in disks:
                self.mount(disk, disk_size)
            for node in cables:
                self.cables[node] = Cable()
            self.proxy = Proxy(NODES, self.base_port, {node: cable.address for node, cable in self.cables.items()})
            (self.folder / "coordinator.yaml").write_text(f"collect: {{ rate: {rate} }}\n")
            state = self.folder / "state"
            state.mkdir(exist_ok=True)
            joined(programs, NODES).copy_to(state, {node: self.spool(node) for node in NODES})
            self.admin = Admin(programs, state / "admin", f"tcp://127.0.0.1:{self.base_port + 3}")
            self.client = self.admin.client
            self.daemons = {COORDINATOR: Daemon(COORDINATOR, (
                programs / "capcoordd", "--config", self.folder / "coordinator.yaml", "--library", self.library,
                "--state", state, "--base-port", self.base_port), self.folder)}
            for node in NODES:
                self.configure(node, (camera_faults or {}))
                self.daemons[node] = Daemon(node, (
                    programs / "capagentd", "--config", self.folder / f"{node}.yaml"), self.folder)
                if node in self.cables:
                    self.daemons[node].prefix = self.cables[node].command
            self.wall_clocks = {name: WallClock(self.folder / f"{name}.clock") for name in wall_clocks}
            for name, clock in self.wall_clocks.items():
                self.daemons[name].environment = clock.environment
            self.supervisor = threading.Thread(target=self.supervise, daemon=True)
        except BaseException:
            self.remove()
            raise

    def note(self, text):
        self.notes.append(f"{time.monotonic() - self.began:7.2f} s  {text}")

    def mount(self, name, kibibytes):
        """Puts a small file system where the spool of a node, the library or the coordinator's state will be."""
        folder = self.disk(name)
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kibibytes}k,mode=700", "tmpfs", str(folder)], check=True)
        self.mounted.append(folder)

    def disk(self, name):
        return self.folder / name if name in ("library", "state") else self.spool(name)

    def spool(self, node):
        return self.folder / f"{node}.spool"

    def configure(self, node, camera_faults):
        devices = ""
        for camera in CAMERAS:
            device = f"{node}/{camera}"
            size, number = SIZES.get(device, "width: 640, height: 360"), NUMBERS[device]
            devices += (
                f"  - name: {camera}\n    purpose: A camera that tells the truth\n"
                f"    live: {str(device not in WITHOUT_CLIPS).lower()}\n    source:\n      virtual:\n"
                f"        {{ number: {number}, {size}, framesPerSecond: {FRAMES_PER_SECOND},"
                f" phaseMilliseconds: {7 * number}, faults: [{camera_faults.get(device, '')}] }}\n")
        (self.folder / f"{node}.yaml").write_text(
            f"node: {node}\ncoordinator: {self.proxy.endpoint(node)}\n"
            f"spool: {{ folder: {self.spool(node)}, limit: 256 MiB, reserve: 64 KiB }}\n"
            f"ring: {{ depth: 3 s, memory: 64 MiB }}\ndevices:\n{devices}")

    def start(self, faults, lasting=None, shifts=None):
        for name, daemon in self.daemons.items():
            daemon.shift = (shifts or {}).get(name, 0)
            daemon.lasting = (lasting or {}).get(name)
            daemon.start(faults.get(name, ()))
        self.supervisor.start()

    def supervise(self):
        while not self.is_ending:
            with self.lock:
                now = time.monotonic()
                for daemon in self.daemons.values():
                    self.look_at(daemon, now)
            time.sleep(0.02)

    def look_at(self, daemon, now):
        if not daemon.runs():
            if daemon.restart_at is None:
                daemon.exits.append(daemon.process.returncode)
                daemon.restart_at = now + self.dice.choice((0.0, 0.1, 0.5, 1.0, 2.5))
                self.note(f"{daemon.name} has ended with {daemon.process.returncode}")
            elif daemon.restart_at <= now:
                self.note(f"{daemon.name} is started again")
                daemon.start()
        elif daemon.is_frozen() and not daemon.is_stopped:
            if daemon.continue_at is None:
                daemon.continue_at = now + self.dice.choice((0.2, 1.0, 2.5))
            elif daemon.continue_at <= now:
                daemon.continue_at = None
                daemon.send(signal.SIGCONT)
                self.note(f"{daemon.name} had stopped itself and is continued")

    def freeze(self, name):
        with self.lock:
            self.daemons[name].is_stopped = True
            self.daemons[name].send(signal.SIGSTOP)

    def thaw(self, name):
        with self.lock:
            self.daemons[name].is_stopped = False
            self.daemons[name].send(signal.SIGCONT)

    def kill(self, name):
        with self.lock:
            self.daemons[name].kill()

    def reboot(self, name, seconds):
        """Ends a daemon; its next life has another clock."""
        with self.lock:
            self.daemons[name].shift = seconds
            self.daemons[name].kill()

    def clone(self, node):
        """Starts another agent of the same name, key and cameras, with a spool of its own."""
        text = (self.folder / f"{node}.yaml").read_text().replace(f"{node}.spool", f"{node}.twin.spool")
        (self.folder / f"{node}.twin.yaml").write_text(text)
        copy_keys(self.spool(node), self.folder / f"{node}.twin.spool")
        twin = Daemon(f"{node}.twin", (self.daemons[node].command[0], "--config", self.folder / f"{node}.twin.yaml"), self.folder)
        twin.prefix, twin.environment = self.daemons[node].prefix, self.daemons[node].environment
        with self.lock:
            self.twins[node] = twin
            self.cloned.add(node)
        twin.start()

    def unclone(self, node):
        """Takes the clone away with what it has not handed over; the first agent, which is refused as long as this
        coordinator lives, begins another life."""
        with self.lock:
            twin = self.twins.pop(node, None)
            if not twin:
                return
            twin.kill()
            for folder in ("captures", "recordings", "deferred"):
                for path in (self.folder / f"{node}.twin.spool" / folder).glob("*"):
                    self.corrupted.add(stem(path.name))
            self.daemons[node].send(signal.SIGTERM)

    def corrupt_parts(self):
        """Ends the coordinator and changes a byte of every transfer that it has begun."""
        with self.lock:
            self.daemons[COORDINATOR].kill()
            for path in (self.library / ".incoming").glob("*.part"):
                self.corrupt(path)

    def corrupt_spool(self, node, cut):
        """Ends the agent, and changes a byte of every picture in its spool or cuts them off."""
        with self.lock:
            self.daemons[node].kill()
            for path in (self.spool(node) / "captures").glob("*.*"):
                if path.suffix in (".jpg", ".mov", ".jsonl"):
                    self.corrupt(path, cut)

    def corrupt(self, path, cut=False):
        data = bytearray(path.read_bytes())
        if data:
            data[len(data) // 2] ^= 0x10
            path.write_bytes(data[: len(data) // 2] if cut else data)
            self.corrupted.add(stem(path.name))

    def fill(self, name):
        """Leaves nothing free on the small file system."""
        self.filled.add(name)
        folder = self.disk(name)
        with open(folder / "filler", "ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
            except OSError:
                pass
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def drain(self, name):
        folder = self.disk(name)
        (folder / "filler").unlink(missing_ok=True)

    def strikes(self):
        """How many faults have struck at points, so far."""
        return sum(len(daemon.struck()[0]) for daemon in self.daemons.values())

    def last_start(self):
        return max(daemon.started for daemon in self.daemons.values())

    def await_readiness(self, seconds):
        """Whether every camera runs and every clock is known within so long."""
        deadline = time.monotonic() + seconds
        with self.client(1.0) as client:
            while time.monotonic() < deadline:
                try:
                    ready = {node.node for node in client.status().nodes
                             if node.connected and node.HasField("clock_bound_ns")}
                    running = [d for d in client.devices() if d.condition.state == "running"]
                    if ready == set(NODES) and len(running) == len(NUMBERS):
                        return True
                except NoAnswer:
                    pass
                time.sleep(0.05)
        return False

    def hangs(self):
        return any(daemon.unhandled_hangs() for daemon in self.daemons.values())

    def heal(self):
        """Ends every fault that lasts: connections, stopped processes, full disks, tasks that hang."""
        for node in NODES:
            self.proxy.heal(node)
            self.unclone(node)
        for cable in self.cables.values():
            cable.plug()
        for folder in self.mounted:
            (folder / "filler").unlink(missing_ok=True)
        for name, daemon in self.daemons.items():
            self.thaw(name)
            if hangs := daemon.unhandled_hangs():
                daemon.hangs += hangs
                self.note(f"{name} hangs and is killed")
                self.kill(name)
        # A node's next hello is what brings files up again that a full disk has refused.
        for node in NODES:
            self.proxy.break_off(node)

    def end(self):
        """Ends everything in order; exit status by name."""
        with self.lock:
            self.is_ending = True
        self.supervisor.join(5)
        return {name: self.daemons[name].end() for name in (*NODES, COORDINATOR)}

    def remove(self, keep=False):
        self.is_ending = True
        for daemon in (*getattr(self, "daemons", {}).values(), *self.twins.values()):
            daemon.kill()
        for cable in self.cables.values():
            cable.remove()
        if hasattr(self, "proxy"):
            self.proxy.stop()
        if keep:
            for folder in self.mounted:
                copy = folder.with_suffix(".kept")
                shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("filler"))
        for folder in self.mounted:
            subprocess.run(["umount", str(folder)], check=False)
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)


# Points that these rigs do not reach: nodes have joined before, so that a schedule is one of a rig; a coordinator makes its folder
# before either file, for its own key; and no camera gets settings, as in settings_bench.py.
NOT_REACHED = ("coordinator.join.", "keys.folder.make", "roster.folder.make", "ledger.")


def catalogue(programs):
    """Every point of each kind of program, with what can be made to happen there."""
    points = {}
    for program, names in (("capcoordd", (COORDINATOR,)), ("capagentd", NODES)):
        output = subprocess.run([programs / program, "--list-faults"], check=True, capture_output=True, text=True)
        listed = [(line.split()[0], line.split()[1].split(",")) for line in output.stdout.splitlines()
                  if not line.startswith(NOT_REACHED)]
        for name in names:
            points[name] = listed
    return points
