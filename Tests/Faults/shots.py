"""Clients of a rig: they trigger, repeat themselves until they are answered, and watch the feed."""

import collections
import json
import pathlib
import threading
import time

from caprig_client import Feed, NoAnswer, Refused, all_cameras, changed, new_shot_id, trigger_request

from files import sha256
from manifest_schema import schema_problems

# Seconds after which a node ends a capture that nobody cancels: one to arm, and three of grace (docs/design/shot.md); one more for the way.
PINNED = 5.0


def selection(target):
    """Whom a schedule means by `all`, `node1` or `node1/cam1`."""
    node, _, device = target.partition("/")
    if device:
        return all_cameras(devices=[target])
    return all_cameras() if target == "all" else all_cameras(nodes=[node])


class Order:
    """One shot as its client knows it."""

    TIMEOUT = 6.0  # seconds after T, asked of the coordinator

    def __init__(self, rig, target, request):
        self.rig, self.target, self.request = rig, target, request
        self.answers = []  # manifests as they were answered, with what was amiss with them at that moment
        self.refusals = []
        self.problems = []
        self.asked = time.monotonic()
        self.seconds = None  # until the first answer
        self.is_cancelled = False

    @classmethod
    def of(cls, rig, target, when, require_all, settings=None):
        """A new shot of all cameras or of a node's, `soon` or so many seconds from receipt."""
        fields = {} if when == "soon" else {"relative_ns": int(float(when) * 1e9)}
        timeout = int(cls.TIMEOUT * 1e9)
        return cls(rig, target, trigger_request(
            selection(target), new_shot_id(), settings, require_all=require_all, timeout_ns=timeout, **fields))

    @classmethod
    def live(cls, rig, target, codec, is_motion_photo):
        """A Live Photo, whose clip is coded so, and in one file with its still where that is asked for."""
        return cls.of(rig, target, "soon", False, {
            "livePhoto": "required", "clipCodec": codec, "motionPhoto": is_motion_photo})

    def again(self):
        """The same shot, asked for by another client."""
        return Order(self.rig, self.target, self.request)

    @property
    def settings(self):
        """What it asks of every camera."""
        return json.loads(self.request.request)["settings"]

    @property
    def id(self):
        text = self.request.shot_id.hex()
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))

    def start(self):
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        return thread

    def run(self):
        """Asks until it is answered, as a client does that knows that its id makes that safe."""
        with self.rig.client(2.0) as client:
            while not self.is_cancelled:
                try:
                    reply = client.ask(trigger=self.request, patience=2.0)
                except NoAnswer:
                    continue
                except Refused as refusal:
                    self.refusals.append((refusal.code, str(refusal)))
                    self.seconds = time.monotonic() - self.asked
                    # What a rig cannot do this moment is the client's to ask for later; the rest is final.
                    if refusal.code in ("emptySelection", "beforeRing", "tooFarAhead", "conflict"):
                        return
                    time.sleep(0.3)
                    continue
                self.take(reply.shot)
                return

    def take(self, document):
        self.seconds = time.monotonic() - self.asked
        manifest = json.loads(document.manifest.content)
        self.problems += schema_problems(manifest)
        folder = pathlib.Path(document.library) / document.folder
        for capture in manifest["captures"]:
            for file in capture["files"]:
                if file["outcome"] in ("done", "late"):
                    path = folder / file["path"]
                    if not path.is_file() or sha256(path) != file["digest"]:
                        self.problems.append(f"answered as {file['outcome']}, but {path} is not there or differs")
        self.answers.append(manifest)
        path = folder / ("take.json" if "take" in manifest else "shot.json")
        # A shot of which not even the first manifest could be written is answered as failed.
        if manifest["status"] == "failed" and not path.exists():
            return
        on_disk = json.loads(path.read_text())
        if on_disk["revision"] < manifest["revision"]:
            self.problems.append(
                f"answered with revision {manifest['revision']}, on disk was {on_disk['revision']}")

    def contradict(self):
        """The same id with other content has to be refused."""
        other = changed(self.request, requireAll=not json.loads(self.request.request)["requireAll"])
        with self.rig.client(2.0) as client:
            for _ in range(5):
                try:
                    shot = client.ask(trigger=other, patience=4.0).shot
                except NoAnswer:
                    continue
                except Refused as refusal:
                    if refusal.code not in ("conflict", "emptySelection", "beforeRing", "inputOutput", "noSpace"):
                        self.problems.append(f"a contradicting trigger was refused with {refusal}")
                    return
                # The first one may have never arrived: then this one is the shot, and the first will be refused.
                if json.loads(shot.manifest.content)["request"]["requireAll"] != json.loads(other.request)["requireAll"]:
                    self.problems.append("a trigger of a used id with other content was answered like the first")
                return


class FeedWatch:
    """Everything the feed tells, with replay after every gap."""

    def __init__(self, rig):
        self.rig = rig
        self.events = []
        self.history, self.is_history_whole = [], True
        self.lost = 0
        self.is_ending = False
        self.failure = None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        feed = None
        with self.rig.client(1.0) as client:
            while not self.is_ending:
                try:
                    feed = feed or Feed(client)
                    self.events.append(feed.next(0.5))
                except NoAnswer:
                    continue
                except Exception as error:  # whatever else it is, the watch has not seen everything
                    self.failure = repr(error)
                    return
                finally:
                    self.lost = feed.lost if feed else 0

    def end(self):
        # A node whose order to cancel was lost keeps its capture until the frames around T are no longer pinned.
        end = time.monotonic() + PINNED
        while self.open_captures() and self.thread.is_alive() and time.monotonic() < end:
            time.sleep(0.05)
        self.is_ending = True
        self.thread.join(10)

    def open_captures(self):
        """How often captures have begun and not ended yet, by shot and camera."""
        begun, ended = (collections.Counter((e.event.shot_id, e.event.device.node, e.event.device.device) for e in list(self.events)
                                            if e.event.name == f"capture.{what}Capture") for what in ("willBegin", "didFinish"))
        return begun - ended

    def read_history(self):
        """Everything that a replay from the beginning gives."""
        self.history = []
        try:
            with self.rig.client(5.0) as client:
                epoch = sequence = 0
                while True:
                    _, log = client.replay(epoch, sequence)
                    self.history += log.events
                    if not log.events:
                        return
                    epoch, sequence = log.events[-1].coordinator_epoch, log.events[-1].sequence
        except (NoAnswer, Refused) as error:
            self.failure = repr(error)

    def has_seen(self, name, shot, count):
        """Whether events of this name and shot have come from so many devices."""
        found = {(e.event.device.node, e.event.device.device) for e in list(self.events)
                 if e.event.name == name and e.event.shot_id == shot}
        return len(found) >= count
