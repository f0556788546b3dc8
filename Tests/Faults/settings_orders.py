"""A client that gives settings: `capctl settings set`, repeated under its id until it is answered."""

import json
import signal
import subprocess
import threading
import time

from caprig_client import new_shot_id

from shots import Order

BOUND = 45.0  # seconds until a transaction is answered at the latest while the coordinator lives: docs/protocol/client.md, apply_settings
# Of `capctl`: the request was refused, or nobody was there. Everything else is an answer.
NOBODY, EMPTY = 6, 5


def id_text(data):
    text = data.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


class Setting:
    """One transaction as its client knows it."""

    def __init__(self, rig, seed, words, target, require_all=False, at=None, entries=None):
        self.rig, self.seed, self.words, self.target = rig, seed, words, target
        self.require_all, self.at = require_all, at
        self.entries = entries or {}  # driver's control -> value that is requested
        self.id = id_text(new_shot_id())
        self.reports = []  # (asked, answered, document); CLOCK_MONOTONIC, nanoseconds
        self.refusals = []  # what `capctl` said when it was refused as a whole
        self.first_asked = self.last_answered = None
        self.problems = []
        self.processes = []
        self.longest = 0.0
        self.is_cancelled = False

    def command(self):
        which = ["--all"] if self.target == "all" else ["--device", self.target] if "/" in self.target else ["--node", self.target, "--all"]
        words = ["settings", "set", *self.words, *which, "--id", self.id]
        return words + (["--require-all"] if self.require_all else []) + (["--at", self.at] if self.at else [])

    def start(self):
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        return thread

    def run(self):
        while not self.is_cancelled:
            asked = time.monotonic_ns()
            self.first_asked = min(self.first_asked or asked, asked)
            status, output, errors = self.ask()
            answered = time.monotonic_ns()
            self.last_answered = max(self.last_answered or answered, answered)
            self.longest = max(self.longest, (answered - asked) / 1e9)
            if status is None:
                self.problems.append(f"the client had no answer and no end within {BOUND:.0f} s")
                return
            if status in (0, 3, 4) and output:
                self.reports.append((asked, answered, json.loads(output)))
                return
            if status == 4 or status == EMPTY:
                # T was passed, another transaction has the cameras, the rig has not come up yet: nothing was set.
                self.refusals.append(errors)
                return
            if status not in (NOBODY, 1, -signal.SIGKILL):
                self.problems.append(f"the client ended with {status}: {errors}")
                return
            time.sleep(0.2)

    def ask(self):
        admin = self.rig.admin
        command = [admin.programs / "capctl", *self.command(), "--admin", admin.folder, "--format", "json"]
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.processes.append(process)
        try:
            output, errors = process.communicate(timeout=BOUND)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, b"", ""
        return process.returncode, output, errors.decode(errors="replace").strip()

    def kill_client(self):
        """Ends the client of this moment with SIGKILL; another one asks again."""
        for process in self.processes[-1:]:
            if process.poll() is None:
                process.kill()

    @property
    def ended(self):
        """When its last client was answered."""
        return self.last_answered or 1 << 63

    def __str__(self):
        return f"settings {self.id} ({' '.join(self.words)} of {self.target}{', all required' if self.require_all else ''})"


class Photo(Order):
    """A shot, by what it asks for beside its T."""

    seed = None

    @classmethod
    def of_kind(cls, rig, seed, target, kind):
        when = {"past": "-0.4", "ahead": "+0.5"}.get(kind, "+0.9" if kind in ("flash", "bracket") else "soon")
        settings = {
            "live": {"livePhoto": "required"}, "flash": {"flash": "on"},
            "bracket": {"bracket": [{"exposureNanoseconds": exposure} for exposure in (3_600_000, 9_800_000)]},
        }
        order = cls.of(rig, target, when, False, settings.get(kind))
        order.seed = seed
        return order
