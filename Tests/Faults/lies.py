"""Lies that the checker has to find: each changes a copy of what a sound rig has left behind."""

import copy
import json
import shutil
import tempfile
import pathlib
import types

from checker import Checker
from files import manifests, sha256
from rig import NODES


class Evidence:
    """A copy of library, spools, feed and answers, to be tampered with."""

    def __init__(self, rig, orders, watch, folder):
        self.library = folder / "library"
        shutil.copytree(rig.library, self.library)
        self.folder, self.corrupted = folder, rig.corrupted
        self.wall_clocks, self.cloned = rig.wall_clocks, rig.cloned
        for node in NODES:
            (self.spool(node) / "captures").mkdir(parents=True)
        self.watch = types.SimpleNamespace(events=copy.deepcopy(watch.events), lost=watch.lost, failure=watch.failure,
                                           history=copy.deepcopy(watch.history), is_history_whole=True)
        self.orders = [types.SimpleNamespace(
            id=order.id, target=order.target, problems=list(order.problems), refusals=list(order.refusals),
            answers=copy.deepcopy(order.answers)) for order in orders]

    def spool(self, node):
        return self.folder / f"{node}.spool"

    def photos(self, camera="node1.cam1"):
        return sorted(self.library.glob(f"[0-9]*/*/*/*/{camera}/photo.jpg"))

    def edit(self, change, number=0):
        """Changes a manifest."""
        folder, manifest = list(manifests(self.library))[number]
        change(manifest, manifest["captures"][0])
        (folder / "shot.json").write_text(json.dumps(manifest))

    def put(self, path, data):
        """Puts other bytes in place of a photo, and has the manifest say that they are right."""
        path.write_bytes(data)
        manifest = json.loads((path.parents[1] / "shot.json").read_text())
        for capture in manifest["captures"]:
            for file in capture["files"]:
                if file["path"] == str(path.relative_to(path.parents[1])):
                    file["digest"], file["byteCount"] = sha256(path), len(data)
        (path.parents[1] / "shot.json").write_text(json.dumps(manifest))

    def problems(self):
        return Checker(self, self.orders, self.watch).run()


def flip(evidence):
    path = evidence.photos()[0]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut_off(evidence):
    data = evidence.photos()[0].read_bytes()
    evidence.put(evidence.photos()[0], data[: len(data) // 20])


def forget_node_event(evidence):
    index = next(i for i, event in enumerate(evidence.watch.events) if event.node)
    gone = evidence.watch.events[index]
    evidence.watch.events = [e for e in evidence.watch.events if
                             (e.node, e.source_epoch, e.source_sequence) != (
                                 gone.node, gone.source_epoch, gone.source_sequence)]


def alter_event(evidence):
    again = copy.deepcopy(next(event for event in evidence.watch.events if event.node))
    again.event.name = "device.altered"
    again.sequence = evidence.watch.events[-1].sequence + 1
    evidence.watch.events.append(again)


def claim_skew(manifest, capture):
    capture["timing"]["skewNanoseconds"] += 20_000_000


LIES = {
    "a picture has other bytes": flip,
    "a picture is cut off": cut_off,
    "a picture is gone": lambda e: e.photos()[0].unlink(),
    "a picture is another camera's": lambda e: e.put(e.photos()[0], e.photos("node2.cam2")[0].read_bytes()),
    "a picture is another shot's": lambda e: e.put(e.photos()[0], e.photos()[-1].read_bytes()),
    "a picture is not named by its shot": lambda e: (e.photos()[0].parent / "photo.2.jpg").write_bytes(b"?"),
    "the claimed skew is wrong": lambda e: e.edit(claim_skew),
    "a shot has no end": lambda e: e.edit(lambda m, c: m.update(status="open")),
    "a shot is complete and one camera missed": lambda e: e.edit(lambda m, c: c.update(phase="missed")),
    "a camera missed and nobody says why": lambda e: e.edit(
        lambda m, c: (c.update(phase="missed", files=[]), m.update(status="partial"))),
    "a manifest cannot be read": lambda e: (e.photos()[0].parents[1] / "shot.json").write_text("{"),
    "a manifest is gone": lambda e: (e.photos()[0].parents[1] / "shot.json").unlink(),
    "a transfer is left over": lambda e: (e.library / ".incoming" / "x.part").write_bytes(b"?"),
    "a file is left in a spool": lambda e: (e.spool("node1") / "captures" / "x").write_bytes(b"?"),
    "an event of a node is missing": forget_node_event,
    "the feed has a gap": lambda e: e.watch.events.pop(1),
    "an event comes with two contents": alter_event,
    "a replay lacks an event": lambda e: e.watch.history.pop(1),
    "a replay has lost the newest event": lambda e: e.watch.history.pop(),
    "a replay gives another event": lambda e: e.watch.history[1].event.details.update(altered="yes"),
    "a trigger is never answered": lambda e: e.orders[0].answers.clear(),
    "what was answered as done is so no more": lambda e: e.orders[0].answers[0]["captures"][0]["files"][0].update(
        digest="0" * 64),
}


def undetected(rig, orders, watch):
    """The names of the lies that the checker believes; all others it has found."""
    believed = []
    for name, tell in LIES.items():
        with tempfile.TemporaryDirectory() as folder:
            evidence = Evidence(rig, orders, watch, pathlib.Path(folder))
            if evidence.problems():
                believed.append(f"{name}: there were problems before")
                continue
            tell(evidence)
            if not evidence.problems():
                believed.append(name)
    return believed
