"""A rig whose nodes have joined, before anything fails: its keys are copied into each rig of the bench."""

import atexit
import functools
import pathlib
import shutil
import sys
import tempfile

import zmq.auth

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Interop"))

from local_rig import Coordinator  # noqa: E402


class Joined:
    """The state of a coordinator, and the keys of each node."""

    def __init__(self, programs, nodes):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="caprig-joined-"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        coordinator = Coordinator(self.folder, programs, self.folder / "library")
        try:
            for node in nodes:
                configuration = self.folder / f"{node}.yaml"
                configuration.write_text(f"node: {node}\ndevices: []\n")
                coordinator.admin.admit(node, configuration, self.folder / f"{node}.spool")
        finally:
            coordinator.stop()

    def copy_to(self, state, spools):
        """Into the folders of a rig that has none of this yet. Its admin key is one that the coordinator admits at its first start,
        in the place of the one before, so that the registry of keys is written."""
        whole = self.folder / "library" / ".caprig"
        for name in ("keys", "audit", "admin"):
            shutil.copytree(whole / name, state / name)
        shutil.copy2(whole / "keys.json", state)
        admin = state / "admin"
        zmq.auth.create_certificates(admin, "admin")
        (admin / "admin.key").unlink()
        (admin / "admin.key_secret").chmod(0o600)
        for node, spool in spools.items():
            copy_keys(self.folder / f"{node}.spool", spool)


def copy_keys(spool, other):
    """Those of a node, into another spool."""
    shutil.copytree(spool / "keys", other / "keys", ignore=shutil.ignore_patterns(".*"))


@functools.cache
def joined(programs, nodes):
    """The same for every rig of a process and its forks."""
    return Joined(programs, nodes)
