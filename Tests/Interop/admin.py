"""An administrator of a rig, by the admin key of its coordinator's machine (docs/keys.md): asks, and admits further keys."""

import json
import subprocess
import time

import zmq.auth

from caprig_client import Keys, Rig
from joining import Code, join


NO_COORDINATOR = 6  # the status of a command that no coordinator has answered in time
PATIENCE = 120  # seconds in which such a command is run again: on a busy machine, the coordinator may be there all the same


def repeated(run):
    """The outcome of a command that may be repeated, as soon as a coordinator has answered it."""
    deadline = time.monotonic() + PATIENCE
    while (done := run()).returncode == NO_COORDINATOR and time.monotonic() < deadline:
        pass
    return done


class Admin:
    def __init__(self, programs, folder, endpoint):
        """`folder`: that of the admin key, which the coordinator makes at its first start; `endpoint`: its client channel."""
        self.programs, self.folder, self.endpoint = programs, folder, endpoint
        self.members = {}  # name -> keys

    @property
    def server(self):
        """The coordinator's public key."""
        return zmq.auth.load_certificate(self.folder / "coordinator.key")[0]

    @property
    def keys(self):
        return Keys.read(self.folder / "admin.key_secret", self.server)

    def client(self, patience=5.0):
        return Rig(self.endpoint, patience, keys=self.keys)

    def run(self, *arguments, seconds=120):
        """A command of `capctl` that asks for JSON, when it has ended."""
        place = () if "--library" in arguments else ("--admin", self.folder)
        command = [self.programs / "capctl", *arguments, *place, "--format", "json"]
        return subprocess.run([str(word) for word in command], capture_output=True, timeout=seconds)

    def capctl(self, *arguments):
        """What a command prints as JSON."""
        return self.document(arguments, self.run(*arguments))

    @staticmethod
    def document(arguments, done):
        if done.returncode != 0:
            raise RuntimeError(f"{arguments} ended with {done.returncode}: {done.stderr.decode()}")
        return json.loads(done.stdout)

    def invite(self, name, role):
        """A code for one machine."""
        command = ("node", "invite", name) if role == "node" else ("keys", "invite", name, "--role", role)
        return self.document(command, repeated(lambda: self.run(*command)))["code"]

    def admit(self, node, configuration, spool):
        """Has a node of the released programs join."""
        command = [self.programs / "capagentd", "join", self.invite(node, "node"), "--config", configuration, "--spool", spool]
        joined = repeated(lambda: subprocess.run([str(word) for word in command], capture_output=True, timeout=PATIENCE))
        if joined.returncode != 0:
            raise RuntimeError(f"{node} could not join: {joined.stderr.decode()}")

    def member(self, name, role):
        """The keys of somebody else, who joins when first asked for."""
        if name not in self.members:
            self.members[name], _ = join(Code.read(self.invite(name, role)))
        return self.members[name]
