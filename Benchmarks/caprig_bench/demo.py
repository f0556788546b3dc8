"""`capctl demo`, run to its end or kept running."""

import contextlib
import json
import os
import pathlib
import re
import subprocess


def run(programs, folder, *options):
    """A demo of stills with library, spools and logs in the folder; its report, with the manifest of every shot added."""
    command = [programs / "capctl", "demo", "--no-live", "--microphones", "0", "--library", folder / "library", "--format", "json", *options]
    done = subprocess.run(
        [str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    if done.returncode not in (0, 3):
        raise RuntimeError(f"capctl demo ended with {done.returncode}:\n{done.stderr[-2000:]}")
    report = json.loads(done.stdout)
    if not report["eachExactlyOnce"]:
        raise RuntimeError(f"capctl demo: {report['stills']} stills are not the {report['expectedStills']} announced")
    for shot in report["shots"]:
        shot["manifest"] = json.loads((pathlib.Path(shot["folder"]) / "shot.json").read_text())
    return report


class KeptRig:
    """A demo that goes on running: the folder of its admin key, and its daemons' process ids by program."""

    def __init__(self, programs, process):
        self.process = process
        self.admin = next(self.admins())
        self.daemons = {"capagentd": [], "capcoordd": []}
        for child in pathlib.Path(f"/proc/{process.pid}/task").glob("*/children"):
            for pid in child.read_text().split():
                self.daemons[pathlib.Path(f"/proc/{pid}/comm").read_text().strip()].append(int(pid))
        self.capctl = str(programs / "capctl")

    def admins(self):
        for line in self.process.stderr:
            found = re.search(r"--admin (\S+)", line)
            if found:
                yield found[1]
        raise RuntimeError("capctl demo ended before its rig was ready")

    def trigger(self):
        """Takes a picture with every camera; the codes of what kept captures from being whole."""
        command = [self.capctl, "trigger", "--all", "--no-live", "--admin", self.admin, "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise RuntimeError(f"capctl trigger ended with {done.returncode}: {done.stderr}")
        return [file["problem"]["code"] for file in json.loads(done.stdout)["files"] if "problem" in file]


@contextlib.contextmanager
def kept(programs, folder, *options):
    command = [programs / "capctl", "demo", "--microphones", "0", "--library", folder / "library", "--shots", "0", "--keep", *options]
    process = subprocess.Popen(
        [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "TMPDIR": str(folder)},
    )
    try:
        yield KeptRig(programs, process)
    finally:
        process.stdin.close()
        process.wait(30)
        process.stderr.close()
