"""A coordinator and an agent of one's own configuration, with its clock an exact number of seconds off."""

import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess

# Ahead of the coordinator's clock where time namespaces can be made, which needs root.
SHIFT_SECONDS = 420 if os.geteuid() == 0 and pathlib.Path("/proc/self/ns/time_for_children").exists() else 0


@contextlib.contextmanager
def daemon(log, *command, environment=None):
    """What a daemon announces when it is ready, and its process id as `pid`; it ends with its standard input."""
    with open(log, "wb") as file:
        process = subprocess.Popen(
            [*map(str, command), "--until-eof", "--announce"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=file, env={**os.environ, **(environment or {})},
        )
    try:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"{command[0]} ended:\n{pathlib.Path(log).read_text()[-2000:]}")
        yield {**json.loads(line), "pid": process.pid}
    finally:
        process.stdin.close()
        process.wait(20)
        process.stdout.close()


@dataclasses.dataclass
class Coordinator:
    """A running coordinator: its programs, what it has announced, the folder of its admin key, None where it has no keys, and with what
    programs are started that run where it does."""

    programs: pathlib.Path
    announced: dict
    admin: pathlib.Path | None
    inside: tuple = ()

    @property
    def access(self):
        """With which options capctl reaches it."""
        return ["--admin", self.admin] if self.admin else ["--insecure", "--coordinator", self.announced["client"]]

    @property
    def admin_pair(self):
        """The admin's public and secret key, in Z85."""
        return key_pair(self.admin / "admin.key_secret")

    def command(self, *words):
        """A command line of capctl."""
        return [str(word) for word in [*self.inside, self.programs / "capctl", *words, "--format", "json", *self.access]]

    @contextlib.contextmanager
    def asking(self, *words):
        """While capctl runs, for as long as it has not ended."""
        process = subprocess.Popen(self.command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield process
        finally:
            process.kill()
            process.wait(10)

    def ask(self, *command, statuses=(0,)):
        """What capctl answers; by default the whole of what was asked for must have come of it (docs/capctl.md)."""
        done = subprocess.run(self.command(*command), capture_output=True, text=True)
        if done.returncode not in statuses:
            raise RuntimeError(f"capctl {command[0]} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return json.loads(done.stdout)


def key_pair(path):
    """Public and secret key of a key file (docs/keys.md)."""
    text = pathlib.Path(path).read_text()
    return tuple(re.search(rf'^ +{name} = "(.*)"$', text, re.MULTILINE)[1] for name in ("public-key", "secret-key"))


def insecure(keys):
    """The option of programs that are built without keys."""
    return [] if keys else ["--insecure"]


@contextlib.contextmanager
def coordinator(programs, folder, keys=True, base_port=0, inside=(), options=()):
    """A coordinator whose library and state are in the folder."""
    command = [*inside, programs / "capcoordd", *insecure(keys), "--library", folder / "library", "--state", folder / "state",
               "--base-port", base_port, *options]
    with daemon(folder / "coordinator.log", *command) as announced:
        yield Coordinator(programs, announced, folder / "state" / "admin" if keys else None, tuple(inside))


def join(rig, folder, configuration, inside=()):
    """Has the node of a configuration join, with its keys in the folder `spool`; nothing without keys."""
    (folder / "agent.yaml").write_text(configuration)
    if rig.admin:
        code = rig.ask("node", "invite", re.match("node: (.*)", configuration)[1])["code"]
        command = [*inside, rig.programs / "capagentd", "join", code, "--config", folder / "agent.yaml", "--spool", folder / "spool"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def joined_agent(rig, folder, shift=SHIFT_SECONDS, environment=None, inside=(), clock=()):
    """The agent of a node that has joined, whose clock is so many seconds ahead; 0 needs no root.

    `inside`: with what it is started to be on another machine. `clock`: and with what, for its clocks to be others.
    """
    shifted = [shutil.which("unshare"), "--time", "--monotonic", shift, "--"] if shift else []
    return daemon(
        folder / "agent.log", *inside, *shifted, *clock, rig.programs / "capagentd", *insecure(rig.admin), "--config", folder / "agent.yaml",
        "--coordinator", rig.announced["control"], "--spool", folder / "spool", environment=environment)


def agent(rig, folder, configuration, shift=SHIFT_SECONDS, environment=None, inside=(), clock=()):
    """Has the node of a configuration join the rig; its agent."""
    join(rig, folder, configuration, inside)
    return joined_agent(rig, folder, shift, environment, inside, clock)


def events(rig):
    """The events of the rig from the first on, without end; closing the generator ends it."""
    with subprocess.Popen(
        [str(word) for word in [rig.programs / "capctl", "events", "--replay", "--format", "json", *rig.access]],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as process:
        try:
            for line in process.stdout:
                yield json.loads(line)
        finally:
            process.terminate()
