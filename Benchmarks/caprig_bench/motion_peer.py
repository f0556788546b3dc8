"""motion, which keeps frames from before an event, as the ring of capagentd does, and encodes the movie of the event."""

import contextlib
import pathlib
import shutil
import subprocess
import time
import urllib.request

from .ustreamer_peer import await_listener, free_ports

PROGRAM = shutil.which("motion")
PROBLEM = None if PROGRAM else "it is not installed; Debian's package is motion"


def version():
    printed = subprocess.run([PROGRAM, "-h"], capture_output=True, text=True).stdout
    return printed.split()[2].rstrip(",")


def configuration(node, port, folder, width, height, rate, frames):
    """Movies of events that are asked for, with so many frames before and after; no pictures, no looking for movement."""
    return "".join(f"{key} {value}\n" for key, value in {
        "daemon": "off", "log_level": 5, "target_dir": folder, "video_device": node, "video_params": "palette=8",
        "width": width, "height": height, "framerate": rate, "pause": "off", "threshold": width * height,
        "pre_capture": frames, "post_capture": frames, "event_gap": 1, "picture_output": "off", "movie_output": "on",
        "text_right": "\"\"", "stream_port": 0,
        "webcontrol_port": port, "webcontrol_localhost": "on", "webcontrol_parms": 2,
    }.items())


class Motion:
    def __init__(self, pid, port, folder):
        self.pids, self.port, self.folder = [pid], port, folder

    def event(self, seconds):
        """Records an event of so long."""
        self._ask("eventstart")
        time.sleep(seconds)
        self._ask("eventend")

    def movies(self):
        return sorted(path for path in pathlib.Path(self.folder).iterdir() if path.suffix in (".mkv", ".mp4", ".avi"))

    def _ask(self, action):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/0/action/{action}", timeout=10) as answer:
            answer.read()


@contextlib.contextmanager
def running(folder, node, environment, width, height, rate, frames):
    (port,) = free_ports(1)
    movies = folder / "motion"
    movies.mkdir()
    (folder / "motion.conf").write_text(configuration(node, port, movies, width, height, rate, frames))
    with open(folder / "motion.log", "wb") as log:
        process = subprocess.Popen(
            [PROGRAM, "-n", "-c", folder / "motion.conf"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=environment)
    try:
        await_listener(port)
        yield Motion(process.pid, port, movies)
    finally:
        process.terminate()
        process.wait(20)
