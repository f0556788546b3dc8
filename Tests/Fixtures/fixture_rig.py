"""A rig whose folders are those of a fixture: while it is recorded, and while later programs complete it."""

import json
import pathlib

import stored  # noqa: F401  (where the modules of the other benches are)
from admin import Admin, repeated
from caprig_client import NoAnswer
from rig import COORDINATOR, Daemon, free_base_port

RATE = 15  # frames a second, as the fault bench has them, whose judge is asked
LIMIT = 120  # seconds that any single wait may take on a machine that is busy


class FixtureRig:
    """A coordinator and one agent for each `<node>.yaml` of the folder."""

    def __init__(self, folder, programs, is_quick=False):
        """`is_quick`: programs and requests have `LIMIT`, however busy the machine is."""
        self.is_quick = is_quick
        self.folder, self.programs = pathlib.Path(folder), pathlib.Path(programs).resolve()
        self.library = self.folder / "library"
        self.base_port = free_base_port()
        self.nodes = sorted(path.stem for path in self.folder.glob("node*.yaml"))
        self.logs = self.folder / "logs"
        self.logs.mkdir(exist_ok=True)
        self.admin = Admin(self.programs, self.library / ".caprig" / "admin", f"tcp://127.0.0.1:{self.base_port + 3}")
        self.daemons = {COORDINATOR: Daemon(COORDINATOR, self.coordinator_command(), self.logs)}
        for node in self.nodes:
            self.daemons[node] = Daemon(node, (
                self.programs / "capagentd", "--config", self.folder / f"{node}.yaml", "--coordinator",
                f"tcp://127.0.0.1:{self.base_port}", "--spool", self.spool(node)), self.logs)

    def client(self):
        return self.admin.client(LIMIT) if self.is_quick else self.admin.client()

    def coordinator_command(self):
        command = [self.programs / "capcoordd", "--library", self.library, "--base-port", self.base_port]
        configuration = self.folder / "coordinator.yaml"
        return command + (["--config", configuration] if configuration.exists() else [])

    def spool(self, node):
        return self.folder / f"{node}.spool"

    def start(self, name, *faults):
        daemon = self.daemons[name]
        daemon.start(faults)
        if not daemon.is_ready.wait(LIMIT) or not daemon.runs():
            raise RuntimeError(f"{name} did not become ready:\n{self.tail(name)}")

    def start_all(self, faults=None):
        """Nodes that have no keys join, as after an upgrade of programs that had none."""
        self.start(COORDINATOR, *(faults or {}).get(COORDINATOR, ()))
        for node in self.nodes:
            if not (self.spool(node) / "keys").exists():
                self.admin.admit(node, self.folder / f"{node}.yaml", self.spool(node))
            self.start(node, *(faults or {}).get(node, ()))

    def is_ready(self, client, nodes):
        """Whether every camera of some nodes runs and every clock is known."""
        try:
            connected = {node.node for node in client.status().nodes
                         if node.connected and node.HasField("clock_bound_ns")}
            cameras = [d for d in client.devices() if d.device.media_type == "video" and d.device.id.node in nodes]
        except NoAnswer:
            return False
        return connected >= set(nodes) and cameras and all(d.condition.state == "running" for d in cameras)

    def capctl(self, *arguments):
        """The exit status of `capctl` and what it says in JSON."""
        def run():
            return self.admin.run(*arguments, seconds=LIMIT)

        done = repeated(run) if self.is_quick else run()
        try:
            return done.returncode, json.loads(done.stdout)
        except ValueError as error:
            raise RuntimeError(f"{arguments} ended with {done.returncode}: {done.stderr.decode()}") from error

    def end(self):
        """Exit status by name; None for one that does not end in time."""
        seconds = LIMIT if self.is_quick else 15
        return {name: self.daemons[name].end(seconds) for name in (*self.nodes, COORDINATOR) if self.daemons[name].process}

    def kill(self, *names):
        for name in names or self.daemons:
            self.daemons[name].kill()

    def tail(self, name):
        log = self.daemons[name].log
        return "\n".join(log.read_text(errors="replace").splitlines()[-20:]) if log.exists() else ""

    def tails(self):
        return "\n".join(f"--- {name}\n{self.tail(name)}" for name in self.daemons)
