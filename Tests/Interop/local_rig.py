"""A rig of release programs on loopback, for the time of a test run."""

import json
import os
import pathlib
import queue
import shutil
import subprocess
import tempfile
import threading
import time

from admin import Admin
from caprig_client import Keys

RATE = 60  # frames per second of every camera

DEVICE = """\
  - name: cam{device}
    type: wide
    position: {position}
    labels: [test]
    purpose: A virtual camera of the test rig
    {settings}
    source:
      virtual: {{ number: {number}, width: {width}, height: {height}, framesPerSecond: {rate}, phaseMilliseconds: {phase}{virtual} }}
"""


class Program:
    """A daemon that ends with its standard input."""

    def __init__(self, folder, name, arguments, environment=None):
        self.name, self.log = name, folder / f"{name}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*arguments, "--until-eof", "--announce"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                env={**os.environ, **(environment or {})},
            )
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(b"")

    def announcement(self, seconds=60):
        """What it says when it is ready."""
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            line = b""
        if not line:
            raise RuntimeError(f"{self.name} was not ready within {seconds} s:\n{self.tail()}")
        return json.loads(line)

    def runs(self):
        return self.process.poll() is None

    def stop(self, seconds=15):
        """Its exit status; kills it where it does not end."""
        self.process.stdin.close()
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def tail(self):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-20:])


class Coordinator(Program):
    """`capcoordd`, and its administrator."""

    def __init__(self, folder, programs, library, base_port=0, name="capcoordd", environment=None, state=None):
        command = [programs / "capcoordd", "--library", library, "--base-port", base_port]
        command += ["--state", state] if state else []
        super().__init__(folder, name, [str(word) for word in command], environment)
        try:
            self.endpoints = self.announcement()
        except BaseException:
            self.stop()
            raise
        self.admin = Admin(programs, (state or library / ".caprig") / "admin", self.endpoints["client"])


class LocalRig:
    """A coordinator and agents with virtual cameras, ready to be triggered."""

    def __init__(self, programs, nodes=2, cameras=2, rate=RATE, size=(640, 360), environments=None, settings=None,
                 base_port=0, virtual=None, spool="256 MiB", library=None, state=None, spools=None):
        """`settings`: for each camera of a node further YAML, in one line; `virtual`: further keys of the virtual camera,
        each after a comma. Then there are as many cameras. `library`, `state`, `spools`: folders that exist elsewhere."""
        self.spool = spool  # its limit
        self.virtual = virtual or [""] * len(settings or [""] * cameras)
        self.rate, self.size, self.settings = rate, size, settings or [""] * len(self.virtual)
        self.environments = environments or {}  # variables of a program, by its name
        self.programs_folder = programs
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="caprig-interop-"))
        self.library = library or self.folder / "library"
        self.spools = spools or self.folder
        self.numbers = {}  # device id -> the camera number in its pixels
        self.programs = []
        self.nodes = [f"node{number}" for number in range(1, nodes + 1)]
        try:
            self.coordinator = Coordinator(
                self.folder, programs, self.library, base_port, environment=self.environments.get("capcoordd"),
                state=state)
            self.programs.append(self.coordinator)
            self.admin, self.endpoints = self.coordinator.admin, self.coordinator.endpoints
            agents = [self.start_agent(programs, node) for node in self.nodes]
            self.announcements = [agent.announcement() for agent in agents]
            self.await_readiness()
        except BaseException:
            self.stop()
            raise

    def start_agent(self, programs, node):
        """Has a node join and starts its agent."""
        text = f"node: {node}\nspool: {{ limit: {self.spool}, reserve: 1 MiB }}\ndevices:\n"
        for device, settings in enumerate(self.settings, 1):
            number = len(self.numbers) + 1
            self.numbers[f"{node}/cam{device}"] = number
            position = "left" if device % 2 else "right"
            text += DEVICE.format(device=device, position=position, number=number, phase=7 * number, rate=self.rate,
                                  width=self.size[0], height=self.size[1], settings=settings, virtual=self.virtual[device - 1])
        text += "microphones:\n  - { name: desk, purpose: Sound of the test rig, source: { virtual: {} } }\n"
        text += self.further_settings(node)
        configuration, spool = self.folder / f"{node}.yaml", self.spools / f"{node}.spool"
        configuration.write_text(text)
        self.admin.admit(node, configuration, spool)
        command = [*self.before(node), programs / "capagentd", "--config", configuration, "--coordinator", self.control_endpoint(node), "--spool", spool]
        agent = Program(self.folder, node, [str(word) for word in command], self.environments.get(node))
        self.programs.append(agent)
        return agent

    def client(self):
        """A client with the admin key."""
        return self.admin.client()

    def control_endpoint(self, node):
        return self.endpoints["control"]

    def further_settings(self, node):
        """YAML at the end of an agent's configuration."""
        return ""

    def before(self, node):
        """The words before the command of its agent."""
        return []

    def node_keys(self, node):
        """Those that a node of this rig has itself."""
        return Keys.read(self.spools / f"{node}.spool" / "keys" / "agent.key_secret", self.admin.server)

    def await_readiness(self, seconds=60):
        """Until every camera runs and every clock is known."""
        deadline = time.monotonic() + seconds
        with self.client() as rig:
            while True:
                nodes = rig.status().nodes
                ready = [node.node for node in nodes if node.connected and node.HasField("clock_bound_ns")]
                cameras = [d for d in rig.devices() if d.device.media_type == "video"]
                running = [d for d in cameras if d.condition.state == "running"]
                if set(ready) >= set(self.nodes) and len(running) == len(self.numbers):
                    return
                if time.monotonic() > deadline:
                    raise RuntimeError(f"ready: {ready}, running: {running}\n{self.tails()}")
                time.sleep(0.1)

    def tails(self):
        return "\n".join(f"--- {program.name}\n{program.tail()}" for program in self.programs)

    def logs(self):
        """The path of each program's log, by its name."""
        return {program.name: program.log for program in self.programs}

    def stop(self, seconds=15):
        """Ends the agents, then the coordinator; exit status by name, None for one that had to be killed."""
        statuses = {program.name: program.stop(seconds) for program in reversed(self.programs)}
        shutil.rmtree(self.folder, ignore_errors=True)
        return statuses
