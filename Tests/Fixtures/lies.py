"""Lies about a fixture that was completed, each for the check that has to find it.

A lie changes the copy that it is given, its folder or what was told and answered, and returns False where there is nothing to lie about.
"""

import copy
import json

from checker import device_of
from files import MANIFESTS, manifests
from judge import CUT_OFF

LIES = []


def lie(check):
    def add(function):
        LIES.append((check, function))
        return function
    return add


def edit(told, change):
    """Has a manifest changed by `change(manifest)`, the first one for which that does not return False."""
    for folder, manifest in manifests(told.folder / "library"):
        if change(manifest) is not False:
            (folder / MANIFESTS["take" in manifest]).write_text(json.dumps(manifest))
            return True
    return False


def edit_file(told, is_meant, change):
    """Has what a manifest says of a file changed, the first one of (shot, device, kind) that is meant."""
    def change_manifest(manifest):
        for capture in manifest["captures"]:
            for file in capture["files"]:
                if is_meant(manifest["id"], device_of(capture), file["kind"]):
                    return change(file)
        return False
    return edit(told, change_manifest)


def path_of(told, shot, device, kind):
    for folder, manifest in manifests(told.folder / "library"):
        for capture in manifest["captures"]:
            for file in capture["files"]:
                if (manifest["id"], device_of(capture), file["kind"]) == (shot, device, kind) and "path" in file:
                    return folder / file["path"]
    return None


def spooled(told):
    """(shot, device, kind) of every file that a capture's record names."""
    return [(c["key"]["shot"], c["key"]["device"], file["kind"]) for _, c in told.before.captures for file in c["files"]]


def owed(told):
    return [(w["key"]["shot"], w["key"]["device"], kind) for w in told.before.works for kind in w["kinds"]]


def waiting(told):
    """A node, and the numbers of its events that it had not been told to forget."""
    return next(((node, list(events)) for node, events in told.before.unacknowledged.items() if len(events) > 1), (None, []))


def places(told):
    """Where these events stand in the history."""
    node, numbers = waiting(told)
    return [index for index, e in enumerate(told.history) if e.node == node and (e.source_epoch, e.source_sequence) in numbers]


@lie("outcomes")
def gives_up(told):
    """A file that is stored has failed."""
    return edit_file(told, lambda shot, *_: shot in told.before.shots, lambda file: file.update(outcome="failed"))


@lie("outcomes")
def is_open(told):
    """A shot is still open."""
    return edit(told, lambda manifest: manifest.update(status="open") if manifest["id"] in told.before.shots else False)


@lie("outcomes")
def is_gone(told):
    """A shot is gone."""
    for folder, manifest in manifests(told.folder / "library"):
        if manifest["id"] in told.before.shots:
            return (folder / MANIFESTS["take" in manifest]).unlink()
    return False


@lie("spooled")
def lost(told):
    """A file of a spool did not come to the library."""
    if not spooled(told):
        return False
    path_of(told, *spooled(told)[0]).unlink()


@lie("spooled")
def altered(told):
    """A file of a spool has come with another last byte."""
    if not spooled(told):
        return False
    path = path_of(told, *spooled(told)[-1])
    path.write_bytes(path.read_bytes()[:-1] + b"\0")


@lie("spooled")
def doubled(told):
    """A file of a spool lies in the library twice."""
    if not spooled(told):
        return False
    path = path_of(told, *spooled(told)[0])
    path.with_name("copy.jpg").write_bytes(path.read_bytes())


@lie("kept")
def kept_lost(told):
    """A damaged capture that was kept is gone."""
    if not told.before.kept:
        return False
    (told.folder / next(name for name in told.before.kept if "/damaged/" in name)).unlink()


@lie("kept")
def kept_unlisted(told):
    """`spool list` does not tell of what is kept."""
    if not told.before.kept:
        return False
    told.spooled = (0, {"captures": told.spooled[1]["captures"][1:]})


@lie("kept")
def orphan_untold(told):
    """Nobody tells of captures that no shot expects."""
    if not told.before.kept:
        return False
    told.history = [e for e in told.history if e.event.name != "spool.orphaned"]


@lie("owed")
def not_made(told):
    """A file that was owed has failed."""
    return edit_file(told, lambda *key: key in owed(told), lambda file: file.update(outcome="failed"))


@lie("owed")
def made_as_less(told):
    """A file that was owed is less than was asked for."""
    return edit_file(told, lambda *key: key in owed(told), lambda file: file.update(shortfall={"code": "encoderFailed"}))


def sidecar(told):
    for name, frames in told.before.sidecars.items():
        shot, node, rest = name.split(".")[:3]
        device, number = rest.split("-")
        path = path_of(told, shot, f"{node}/{device}", "frames" if number == "001" else f"frames.{number[1:]}")
        # So long that what a crash may take is not all of it.
        if path and path.exists() and len(frames) > CUT_OFF + 3:
            return path
    return None


@lie("recorded")
def shortened(told):
    """A recording that was cut off has only the frames of its beginning."""
    if not (path := sidecar(told)):
        return False
    path.write_text("".join(path.read_text().splitlines(True)[:3]))


@lie("recorded")
def other_frames(told):
    """A recording that was cut off has a frame less at its beginning."""
    if not (path := sidecar(told)):
        return False
    head, _, *rest = path.read_text().splitlines(True)
    path.write_text("".join([head, *rest]))


@lie("events")
def forgotten(told):
    """An event that nobody had acknowledged is not told."""
    if not (found := places(told)):
        return False
    told.history = [e for index, e in enumerate(told.history) if index != found[0]]


@lie("events")
def told_twice(told):
    """An event that nobody had acknowledged is told twice."""
    if not (found := places(told)):
        return False
    told.history = [*told.history, told.history[found[0]]]


@lie("events")
def exchanged(told):
    """Two events that nobody had acknowledged are told in another order."""
    if len(found := places(told)) < 2:
        return False
    told.history = list(told.history)
    a, b = found[:2]
    told.history[a], told.history[b] = told.history[b], told.history[a]


@lie("events")
def other_past(told):
    """The first event of the coordinator's journal is told no more."""
    told.history = told.history[1:]


@lie("events")
def never_acknowledged(told):
    """A node was not told to forget an event."""
    node, numbers = waiting(told)
    if not node:
        return False
    told.unacknowledged = {**told.unacknowledged, node: {numbers[0]: None}}


@lie("settled")
def rewritten(told):
    """A settled shot's manifest has another space at its end."""
    if not told.before.settled:
        return False
    path = next(p for p in told.before.settled if p.name in MANIFESTS)
    with open(told.folder / path, "a") as file:
        file.write(" ")


@lie("settled")
def annotation_lost(told):
    """A settled shot's annotation is gone."""
    path = next((p for p in told.before.settled if p.name == "annotation.json"), None)
    if not path:
        return False
    (told.folder / path).unlink()


@lie("settled")
def joined(told):
    """A settled shot's folder has a further file."""
    if not told.before.settled:
        return False
    path = next(p for p in told.before.settled if p.name in MANIFESTS)
    (told.folder / path).with_name("further").touch()


@lie("roster")
def device_lost(told):
    """The roster lacks a device."""
    told.devices = told.devices[1:]


@lie("roster")
def device_back(told):
    """The roster has a device that it did not have."""
    further = type(told.devices[0])()
    further.CopyFrom(told.devices[0])
    further.device.id.device = "forgotten"
    told.devices = [*told.devices, further]


@lie("roster")
def device_changed(told):
    """A device has lost its purpose."""
    changed = type(told.devices[0])()
    changed.CopyFrom(told.devices[0])
    changed.device.ClearField("purpose")
    told.devices = [changed, *told.devices[1:]]


@lie("roster")
def device_there(told):
    """A device of a node that has gone is said to run."""
    for index, status in enumerate(told.devices):
        if status.device.id.node not in told.nodes:
            told.devices = copy.deepcopy(told.devices)
            told.devices[index].condition.state = "running"
            return True
    return False


@lie("tools")
def verified_altered(told):
    """`verify` finds a file altered."""
    told.verified = copy.deepcopy(told.verified)
    told.verified[1]["verifications"][0]["files"][0]["finding"] = "altered"


@lie("tools")
def verified_less(told):
    """`verify` has looked at one file less."""
    told.verified = copy.deepcopy(told.verified)
    told.verified[1]["verifications"][0]["files"].pop()


@lie("tools")
def unclaimed(told):
    """`verify` finds a file of no shot."""
    told.verified = copy.deepcopy(told.verified)
    told.verified[1]["unclaimed"].append({"path": "a", "finding": "stray"})


@lie("tools")
def index_wrong(told):
    """`reindex` finds an entry that is not as its manifest."""
    told.reindexed = (told.reindexed[0], {**told.reindexed[1], "wrong": 1})


@lie("tools")
def list_short(told):
    """Both lists lack a shot."""
    told.listed = copy.deepcopy(told.listed)
    told.listed[0][1]["shots"].pop()
    told.listed_offline = told.listed


@lie("tools")
def lists_differ(told):
    """The library lists less than the coordinator."""
    told.listed_offline = copy.deepcopy(told.listed_offline)
    told.listed_offline[0][1]["shots"].pop()


@lie("rig")
def left_over(told):
    """A spool still holds a file."""
    (told.folder / "node1.spool/captures/left.node1.cam1.photo.jpg").touch()


@lie("rig")
def other_picture(told):
    """A file is not what its manifest says."""
    path = next((told.folder / "library").glob("[0-9]*/*/*/*/*/photo.jpg"))
    path.write_bytes(path.read_bytes()[:-1])


@lie("rig")
def raw_altered(told):
    """A raw file is not what its manifest says."""
    path = next((told.folder / "library").glob("[0-9]*/*/*/*/*/alternatePhoto.dng"), None)
    if not path:
        return False
    path.write_bytes(path.read_bytes()[:-1])


@lie("rig")
def unknown_member(told):
    """A manifest has a member that its schema does not know."""
    return edit(told, lambda manifest: manifest["request"].update(mood="good"))


@lie("rig")
def number_missing(told):
    """A number of the feed is missing."""
    told.events = told.events[:-2] + told.events[-1:]


@lie("work")
def no_picture(told):
    """A camera takes no further picture."""
    told.further = {**told.further, "status": "partial"}


@lie("work")
def ends_badly(told):
    """A program ends with an error."""
    told.statuses = {**told.statuses, "node1": 1}
