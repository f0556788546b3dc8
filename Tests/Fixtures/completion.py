"""What the programs under test make of a fixture: its folders afterwards, and everything that was told and answered."""

import contextlib
import json
import lzma
import pathlib
import tarfile
import time

from stored import Stored, unacknowledged
from caprig_client import Feed, NoAnswer, all_cameras, trigger_request
from checker import SETTLED
from files import left_in, manifests
from fixture_rig import LIMIT, FixtureRig
from manifest_schema import manifest_of

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = sorted(path.name.removesuffix(".tar.xz") for path in HERE.glob("*.tar.xz"))
# What a spool that is done holds nothing in.
SPOOL_FOLDERS = ("captures", "damaged", "deferred", "recordings")


def unpack(name, folder):
    with lzma.open(HERE / f"{name}.tar.xz") as file, tarfile.open(fileobj=file) as archive:
        archive.extractall(folder)


class Completion:
    """A fixture, unpacked into `folder` and completed there."""

    def __init__(self, name, folder, programs, is_quick=False):
        """`is_quick`: nothing depends on how quick the machine is. A further shot may lack pictures, as long as it says why; then one more
        is taken."""
        self.name, self.folder = name, pathlib.Path(folder)
        self.is_quick = is_quick
        self.about = json.loads((HERE / f"{name}.json").read_text())
        unpack(name, self.folder)
        self.rig = FixtureRig(self.folder, programs, is_quick)
        self.nodes = self.rig.nodes
        self.before = Stored(self.folder, self.nodes, self.about["kept"])
        self.events, self.lost = [], 0
        try:
            self.complete()
            self.statuses = self.rig.end()
            self.read_offline()
        except BaseException:
            print(self.rig.tails())
            raise
        finally:
            self.rig.kill()

    def complete(self):
        self.rig.start_all()
        with self.rig.client() as client, Feed(client) as feed:
            self.await_true(feed, "not everything that was open has its result", self.is_at_rest)
            self.await_true(feed, "not every camera runs and every clock is known",
                            lambda: self.rig.is_ready(client, self.nodes))
            deadline = time.monotonic() + LIMIT
            while True:
                self.further = self.take_further(client, feed)
                if not self.is_quick or self.further["status"] == "complete" or time.monotonic() > deadline:
                    break
            self.read_online(client)
            self.await_true(feed, "not everything that was told came over the feed",
                            lambda: (self.history[-1].coordinator_epoch, self.history[-1].sequence)
                            in {(e.coordinator_epoch, e.sequence) for e in self.events[-100:]})
            self.lost = feed.lost

    def take_further(self, client, feed):
        """The manifest of a further shot, when everything of it is in the library and its events are told."""
        document = client.trigger(trigger_request(all_cameras(nodes=self.nodes)))
        self.await_true(feed, "not everything of a further shot is in the library", self.is_at_rest)
        self.await_true(feed, "not every capture of a further shot was told to have ended", lambda: self.is_told(document.shot_id))
        return manifest_of(client.shot(document.shot_id) if self.is_quick else document)

    def await_true(self, feed, problem, condition):
        """Looks again whenever the feed tells something, or has been silent for half a second."""
        deadline = time.monotonic() + LIMIT
        while not condition():
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self.name}: {problem} within {LIMIT} s; {self.open_ends()}\n{self.rig.tails()}")
            with contextlib.suppress(NoAnswer):
                self.events.append(feed.next(0.5))

    def open_ends(self):
        """What is not done, in words."""
        yet = [f"{folder.name} is {m.get('status')}" for folder, m in manifests(self.rig.library) if m.get("status") not in SETTLED]
        for node in self.nodes:
            yet += [f"{node} holds {name}/{left}" for name in SPOOL_FOLDERS for left in left_in(self.rig.spool(node) / name)
                    if f"{node}.spool/{name}/{left}" not in self.before.kept]
        yet += [f".incoming holds {left}" for left in left_in(self.rig.library / ".incoming")]
        told = {(e.node, e.source_epoch, e.source_sequence) for e in self.events}
        return yet + [f"event {key} of {node} was not told" for node, events in self.before.unacknowledged.items()
                      for key in events if (node, *key) not in told]

    def is_at_rest(self):
        return not self.open_ends()

    def is_told(self, shot):
        """Whether each capture of a shot whose beginning was told was also told to have ended."""
        events = [told.event for told in self.events if told.event.shot_id == shot]
        begun = {str(event.device) for event in events if event.name == "capture.willBeginCapture"}
        return begun <= {str(event.device) for event in events if event.name == "capture.didFinishCapture"}

    def read_online(self, client):
        self.devices = list(client.devices())
        self.history = []
        epoch = sequence = 0
        while (log := client.replay(epoch, sequence)[1]).events:
            self.history += log.events
            epoch, sequence = log.events[-1].coordinator_epoch, log.events[-1].sequence
        self.spooled = self.rig.capctl("spool", "list", *(part for node in self.nodes for part in ("--node", node)))
        self.verified = self.rig.capctl("shots", "verify", "--all")
        self.listed = [self.rig.capctl(what, "list", "--limit", "1000") for what in ("shots", "takes")]

    def read_offline(self):
        self.reindexed = self.rig.capctl("shots", "reindex", "--check", "--library", self.rig.library)
        self.listed_offline = [self.rig.capctl(what, "list", "--limit", "1000", "--library", self.rig.library)
                               for what in ("shots", "takes")]
        # What nodes have not been told to forget when everything has ended.
        self.unacknowledged = {node: unacknowledged(self.rig.spool(node) / "events") for node in self.nodes}
