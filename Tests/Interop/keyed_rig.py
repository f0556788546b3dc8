"""A rig whose every connection has keys, for the time of a test run."""

import json
import subprocess

import zmq.auth

from caprig_client import Keys, Rig
from local_rig import LocalRig


class KeyedRig(LocalRig):
    INSECURE = ()

    @property
    def admin_folder(self):
        return self.library / ".caprig" / "admin"

    @property
    def admin_keys(self):
        public, secret = zmq.auth.load_certificate(self.admin_folder / "admin.key_secret")
        return Keys(public, secret, self.endpoints["key"].encode())

    def client(self):
        return Rig(self.endpoints["client"], keys=self.admin_keys)

    def capctl(self, *arguments):
        """What a command of an administrator prints as JSON."""
        command = [self.programs_folder / "capctl", *arguments, "--admin", self.admin_folder, "--format", "json"]
        result = subprocess.run([str(word) for word in command], capture_output=True, timeout=60)
        if result.returncode not in (0, 3):  # 3: it is done, and a node has not confirmed it yet
            raise RuntimeError(f"{arguments} ended with {result.returncode}: {result.stderr.decode()}")
        return json.loads(result.stdout)

    def admit(self, node, configuration):
        code = self.capctl("node", "invite", node)["code"]
        subprocess.run(
            [self.programs_folder / "capagentd", "join", code, "--config", configuration, "--spool", self.spool(node)],
            check=True, stdout=subprocess.DEVNULL, timeout=60)
