"""A coordinator and an agent of one's own configuration, with its clock an exact number of seconds off."""

import contextlib
import json
import os
import pathlib
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


def coordinator(programs, folder):
    return daemon(
        folder / "coordinator.log", programs / "capcoordd", "--insecure", "--library", folder / "library", "--base-port", 0)


def agent(programs, folder, control, configuration, shift=SHIFT_SECONDS, environment=None):
    """An agent whose clock is so many seconds ahead; 0 needs no root."""
    (folder / "agent.yaml").write_text(configuration)
    shifted = [shutil.which("unshare"), "--time", "--monotonic", shift, "--"] if shift else []
    return daemon(
        folder / "agent.log", *shifted, programs / "capagentd", "--insecure", "--config", folder / "agent.yaml",
        "--coordinator", control, "--spool", folder / "spool",
        environment=environment,
    )


def events(programs, endpoint):
    """The events of the rig from the first on, without end; closing the generator ends it."""
    with subprocess.Popen(
        [programs / "capctl", "events", "--replay", "--format", "json", "--coordinator", endpoint],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as process:
        try:
            for line in process.stdout:
                yield json.loads(line)
        finally:
            process.terminate()
