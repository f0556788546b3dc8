"""Lies that the checker has to find: each changes a copy of what a sound rig has left behind."""

import copy
import json
import random
import shutil
import tempfile
import pathlib
import types

from checker import Checker
from files import MANIFESTS, sha256
from movies import Movie
from rig import FRAMES_PER_SECOND, NODES


class Evidence:
    """A copy of library, spools, feed and answers, to be tampered with."""

    def __init__(self, rig, orders, watch, folder):
        self.library = folder / "library"
        shutil.copytree(rig.library, self.library)
        self.folder, self.corrupted = folder, rig.corrupted
        self.wall_clocks, self.cloned, self.filled = rig.wall_clocks, rig.cloned, rig.filled
        for node in NODES:
            for name in ("captures", "damaged", "recordings", "deferred"):
                (self.spool(node) / name).mkdir(parents=True)
        self.watch = types.SimpleNamespace(events=copy.deepcopy(watch.events), lost=watch.lost, failure=watch.failure,
                                           history=copy.deepcopy(watch.history), is_history_whole=True)
        self.orders = [types.SimpleNamespace(
            id=order.id, target=order.target, problems=list(order.problems), refusals=list(order.refusals),
            answers=copy.deepcopy(order.answers), marks=dict(getattr(order, "marks", {})),
            stops=set(getattr(order, "stops", ()))) for order in orders]

    def spool(self, node):
        return self.folder / f"{node}.spool"

    def photos(self, camera="node1.cam1"):
        return sorted(self.library.glob(f"[0-9]*/*/*/*/{camera}/photo.jpg"))

    def file(self, name, camera="node1.cam1"):
        """The first file of this name."""
        return sorted(self.library.glob(f"[0-9]*/*/*/*/{camera}/{name}"))[0]

    def edit(self, change, name="photo.jpg"):
        """Changes the manifest of the first shot that has a file of this name."""
        path = manifest_of(self.file(name))
        manifest = json.loads(path.read_text())
        change(manifest, manifest["captures"][0])
        path.write_text(json.dumps(manifest))

    def put(self, path, data):
        """Puts other bytes in place of a file, and has the manifest say that they are right, and were answered so."""
        was = sha256(path)
        path.write_bytes(data)
        manifest = json.loads(manifest_of(path).read_text())
        told = [manifest, *(answer for order in self.orders for answer in order.answers)]
        for file in (file for one in told for capture in one["captures"] for file in capture["files"]):
            if file.get("digest") == was:
                file["digest"], file["byteCount"] = sha256(path), len(data)
        for event in self.watch.events + self.watch.history:
            if event.event.details.get("sha256") == was:
                event.event.details["sha256"] = sha256(path)
        manifest_of(path).write_text(json.dumps(manifest))

    def problems(self):
        return Checker(self, self.orders, self.watch).run()


def manifest_of(path):
    """The manifest of the shot that a file is of."""
    return next(path.parents[1] / name for name in MANIFESTS if (path.parents[1] / name).exists())


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


def change_lines(evidence, change):
    """Changes what a sidecar says of its frames."""
    path = evidence.file("frames.jsonl")
    head, *rest = [json.loads(line) for line in path.read_text().splitlines()]
    change(rest)
    evidence.put(path, "".join(f"{json.dumps(line)}\n" for line in [head, *rest]).encode())


def shift(lines, frames):
    for line in lines:
        line["presentationTime"] += int(90_000 * frames / FRAMES_PER_SECOND)
        line["rigTimeNanoseconds"] += int(1e9 * frames / FRAMES_PER_SECOND)


def damage(evidence, name):
    """Overwrites the frame in the middle of a movie."""
    packets = Movie(evidence.file(name)).packets
    packet = packets[len(packets) // 2]
    start, count = int(packet["pos"]), int(packet["size"])
    data = bytearray(evidence.file(name).read_bytes())
    data[start:start + count] = random.Random(1).randbytes(count)
    evidence.put(evidence.file(name), bytes(data))


def exchange(evidence):
    """Gives a camera movie and sidecar of another one."""
    other = "node1.cam2"
    found = {name: (evidence.file(name).read_bytes(), evidence.file(name, other).read_bytes()) for name in ("movie.mov", "frames.jsonl")}
    for name, (first, second) in found.items():
        # Other bytes for a moment, by which the manifest's entries are told apart.
        evidence.put(evidence.file(name), b"?")
        evidence.put(evidence.file(name, other), first)
        evidence.put(evidence.file(name), second)
    evidence.edit(lambda m, c: exchange_told(*m["captures"][:2]), "movie.mov")


def exchange_told(one, other):
    one["movie"], other["movie"] = other["movie"], one["movie"]


def break_off(manifest, capture):
    capture["movie"].update(end="interrupted", problem={"code": "deviceLost", "message": "unplugged"})


def spoil(manifest, capture):
    capture["phase"] = manifest["status"] = "partial"


def alter_take(**fields):
    def change(manifest, _):
        manifest["take"].update({name: altered(manifest["take"]) for name, altered in fields.items()})
        for capture in manifest["captures"]:
            # On a machine that is busy an order to stop may have come late, which is told.
            capture["movie"].pop("note", None)

    return lambda e: e.edit(change, "movie.mov")


def of_take(change):
    return lambda e: e.edit(lambda m, c: change(c["movie"]), "movie.mov")


def of_clip(change):
    return lambda e: e.edit(lambda m, c: change(m, c["clip"]), "pairedVideo.mov")


def leave(folder):
    return lambda e: (e.spool("node1") / folder / "x").write_bytes(b"?")


# What is amiss, how it comes about, and words by which the checker has to tell it.
LIES_OF_MOVIES = {
    "a movie has other bytes": (lambda e: e.file("movie.mov").write_bytes(b"?"), "other bytes than its manifest"),
    "a movie is cut off": (lambda e: e.put(e.file("movie.mov"), e.file("movie.mov").read_bytes()[:100_000]), "other frames than its sidecar"),
    "a frame of a movie is damaged": (lambda e: damage(e, "movie.mov"), "does not play"),
    "a sidecar has lost a frame": (lambda e: change_lines(e, lambda rest: rest.pop()), "other frames than its sidecar"),
    "a sidecar tells other times than its movie": (
        lambda e: change_lines(e, lambda rest: rest[5].update(presentationTime=rest[5]["presentationTime"] + 90)), "1.000 ms off"),
    "a sidecar tells other instants than its movie": (
        lambda e: change_lines(e, lambda rest: rest[5].update(rigTimeNanoseconds=rest[5]["rigTimeNanoseconds"] + 200_000)),
        "not those of the rig"),
    "a sidecar cannot be read": (lambda e: e.put(e.file("frames.jsonl"), b"{"), "cannot be read"),
    "a movie's frames were exposed at other instants": (lambda e: change_lines(e, lambda rest: shift(rest, 1.5)), "was exposed"),
    "a movie is another camera's": (exchange, "is of camera 2"),
    "a frame is missing that nobody tells": (
        lambda e: change_lines(e, lambda rest: rest[-1].update(number=rest[-1]["number"] + 1)), "lacks 0 frames"),
    "a movie has another number of frames than is told": (of_take(lambda m: m.update(frameCount=m["frameCount"] + 1)), "told are"),
    "a movie has another length than is told": (of_take(lambda m: m.update(durationNanoseconds=m["durationNanoseconds"] + 10**6)), "told are"),
    "a movie begins before T": (lambda e: change_lines(e, lambda rest: shift(rest, -3)), "before T"),
    "a movie begins late and nobody says so": (lambda e: change_lines(e, lambda rest: shift(rest, 3)), "after T, told are"),
    "a movie goes on after the stop": (alter_take(stopTime=lambda t: t["stopTime"] - 4 * 10**9), "after the stop"),
    "a movie ends early and nobody says why": (alter_take(stopTime=lambda t: t["stopTime"] + 4 * 10**9), "before the stop, and nobody"),
    "a movie broke off and its capture is called done": (lambda e: e.edit(break_off, "movie.mov"), "something is missing"),
    "a movie broke off and nobody says why": (of_take(lambda m: m.update(end="interrupted")), "its problem is None"),
    "a capture is partial and has everything": (lambda e: e.edit(spoil, "movie.mov"), "nothing is missing"),
    "an acknowledged mark is gone": (alter_take(marks=lambda t: []), "its manifest has None"),
    "an acknowledged stop is another": (alter_take(stopTime=lambda t: t["stopTime"] + 1), "its stop was answered"),
    "a stop is of another time line": (alter_take(stopTime=lambda t: t["stopTime"] + 10**15), "not of its time line"),
    "a clip has other frames than is told": (of_clip(lambda m, c: c["frameOffsets"].pop()), "a clip with other frames"),
    "a clip has its frames at other times": (
        of_clip(lambda m, c: c["frameOffsets"].__setitem__(5, c["frameOffsets"][5] + 200_000)), "0.200 ms off"),
    "a clip has its still at another time": (of_clip(lambda m, c: c.update(stillFrame=c["stillFrame"] + 1)), "has its still in the clip"),
    "a clip is coded in another way than was asked for": (
        of_clip(lambda m, c: m["request"]["settings"].update(clipCodec="mjpeg")), "mjpeg was asked for"),
    "a clip is damaged": (lambda e: damage(e, "pairedVideo.mov"), "does not play"),
    "a motion photo is cut off": (
        lambda e: e.put(e.file("photo_MP.jpg"), e.file("photo_MP.jpg").read_bytes()[:-9]), "no movie can be cut"),
    "a motion photo is a photo": (lambda e: e.put(e.file("photo_MP.jpg"), e.file("photo.jpg").read_bytes()), "no movie can be cut"),
    "a recording is left in a spool": (leave("recordings"), "recordings/x"),
    "what nobody tells of is kept in a spool": (leave("damaged"), "damaged/x"),
    "deferred work is left in a spool": (leave("deferred"), "deferred/x"),
}

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
    "a manifest has a member that its schema does not know": lambda e: e.edit(lambda m, c: c.update(mood="good")),
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
    for name, (tell, words) in {**{name: (tell, "") for name, tell in LIES.items()}, **LIES_OF_MOVIES}.items():
        with tempfile.TemporaryDirectory() as folder:
            evidence = Evidence(rig, orders, watch, pathlib.Path(folder))
            if problems := evidence.problems():
                believed.append(f"{name}: there were problems before: {problems}")
                continue
            tell(evidence)
            problems = evidence.problems()
            if not any(words in problem for problem in problems):
                believed.append(f"{name}: {problems}" if problems else name)
    return believed
