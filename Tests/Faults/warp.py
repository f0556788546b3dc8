"""Time that passes for daemons only while all of them wait, as fast as they let it; warp.c says how.

    with Warp() as warp:
        rig = LocalRig(..., environments={name: warp.environment for name in names})
        warp.sleep_until(warp.now() + 60)

A thread makes time leap on as long as it may; `sleep_until` says when it may not. It and the daemons share one processor:
it comes to look when nobody else wants that, and who is woken there is so sooner than on one that has gone to sleep.
"""

import ctypes
import os
import pathlib
import subprocess
import tempfile
import threading

SLACK = 2_000_000  # nanoseconds: what is due so soon after the next instant comes with it
LOOKS = 4000  # at everybody, before the thread asks whether it is still wanted
BYTES = 4096


class Warp:
    patience = 300.0  # seconds of this machine for an answer: a day may have to wait for a processor

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        library, self.page = pathlib.Path(self.folder.name) / "warp.so", pathlib.Path(self.folder.name) / "page"
        source = pathlib.Path(__file__).with_name("warp.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-o", library, source, "-ldl", "-pthread"], check=True)
        self.page.write_bytes(bytes(BYTES))
        self.environment = {"LD_PRELOAD": str(library), "WARP": str(self.page)}
        self.library = ctypes.CDLL(str(library))
        self.library.warp_now.restype = self.library.warp_step.restype = ctypes.c_int64
        self.library.warp_step.argtypes = (ctypes.c_int64, ctypes.c_int64, ctypes.c_int)
        self.library.warp_begin(str(self.page).encode())
        self.leaps = 0
        self.limit = None  # nanoseconds; None lets time pass freely
        self.changed = threading.Condition()
        self.is_ending = False
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        self.thread.start()
        return self

    def __exit__(self, *_):
        with self.changed:
            self.is_ending = True
            self.changed.notify_all()
        self.thread.join()
        self.folder.cleanup()

    def now(self):
        """Seconds on the daemons' monotonic clock."""
        return self.library.warp_now() / 1e9

    def run(self):
        while True:
            with self.changed:
                self.changed.notify_all()
                self.changed.wait_for(lambda: self.is_ending or self.limit is None or self.library.warp_now() < self.limit)
                if self.is_ending:
                    return
                limit = self.limit or self.library.warp_now() + 1_000_000_000
            self.leaps += self.library.warp_step(limit, SLACK, LOOKS) != 0

    def sleep_until(self, seconds):
        """Returns when this instant has come; time stands still then, until `free`."""
        with self.changed:
            self.limit = int(seconds * 1e9)
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.library.warp_now() >= self.limit)

    def free(self):
        """Lets time pass as fast as everybody waits."""
        with self.changed:
            self.limit = None
            self.changed.notify_all()
