"""What must be true of a fixture that was completed, as sentences about what is not."""

import collections
import types

from stored import Stored, outcomes
from checker import COMPANIONS, SETTLED, Checker, base, device_of
from files import sha256
from movies import lines
from fixture_rig import RATE
from rig import NUMBERS, stem

# Cameras of a node that has gone, beside those of the fault bench.
NUMBERS.update({"node3/cam1": 5, "node3/cam2": 6})
# Frames of a recording that a crash may take: a second and a half.
CUT_OFF = 1.5 * RATE


class FixtureChecker(Checker):
    """The judge of the fault bench, for files of kinds too that the bench does not ask for."""

    def check_file(self, path, file, manifest, capture):
        if file["kind"] == "photo" or base(file["kind"]) in COMPANIONS:
            return super().check_file(path, file, manifest, capture)
        # Previews, raw files, HEIC and the further pictures of a bracket: their bytes alone.
        if not path.is_file() or (sha256(path), path.stat().st_size) != (file["digest"], file["byteCount"]):
            self.say(f"shot {manifest['id']}: {path} is not there, or has other bytes than its manifest says")
        return self.stored[manifest["id"], device_of(capture)].add(file["digest"])


def parts_of(name):
    """Shot and device of a file in a spool, by its name."""
    shot, node, device = name.split("/")[-1].split(".")[:3]
    return shot, f"{node}/{device}"


class Judge:
    """Compares a completion's folder with what the fixture held. Each check yields sentences."""

    CHECKS = ("outcomes", "spooled", "kept", "owed", "recorded", "events", "settled", "roster", "tools", "rig", "work")

    def __init__(self, completion):
        self.done, self.before = completion, completion.before
        self.library = completion.folder / "library"
        self.shots = dict(Stored.read_shots(self.library))

    def problems(self, check):
        return list(getattr(self, f"check_{check}")())

    def file(self, shot, device, kind):
        """What a manifest says of a file, and its path; None where it does not name it."""
        folder, manifest = self.shots.get(shot, (None, {"captures": []}))
        for capture in manifest["captures"]:
            for file in capture["files"]:
                if (device_of(capture), file["kind"]) == (device, kind):
                    return file, folder / file["path"] if "path" in file else None
        return None

    def stored(self, shot, device, kind):
        """Whether a file is stored; the digest of its bytes."""
        found = self.file(shot, device, kind)
        is_stored = found and found[0]["outcome"] in ("done", "late") and found[1] and found[1].is_file()
        return sha256(found[1]) if is_stored else None

    def check_outcomes(self):
        """Every file of every shot has the outcome that was written down with the fixture."""
        if set(self.before.shots) != set(self.done.about["shots"]):
            yield "the fixture's shots are not those that were written down with it"
        for shot, about in self.done.about["shots"].items():
            if shot not in self.shots:
                yield f"shot {shot} ({about['role']}) is gone"
                continue
            manifest = self.shots[shot][1]
            if manifest["status"] not in SETTLED:
                yield f"shot {shot} ({about['role']}) is {manifest['status']}"
            found = {device: files for device, files in outcomes(manifest).items()}
            if found != about["outcomes"]:
                yield f"shot {shot} ({about['role']}) has {found}, not {about['outcomes']}"

    def check_spooled(self):
        """Every file that lay in a spool is in the library, once, with the digest of its bytes and of the capture's record."""
        for path, digest in self.before.files.items():
            shot, node, device, rest = path.name.split(".", 3)
            kept = [p for p in self.library.glob("[0-9]*/**/*") if p.is_file() and sha256(p) == digest]
            if len(kept) != 1 or kept[0].relative_to(self.library).parts[-3:] != (shot, f"{node}.{device}", rest):
                yield f"{path} of a spool is in the library as {[str(p.relative_to(self.library)) for p in kept]}"
        for path, capture in self.before.captures:
            shot, device = capture["key"]["shot"], capture["key"]["device"]
            for file in capture["files"]:
                if self.stored(shot, device, file["kind"]) != file["digest"]:
                    yield f"{path.name} names a {file['kind']} that is not in the library with its digest"

    def check_kept(self):
        """What lies in a spool for people to look at stays as it is, and they are told of it; nothing else stays."""
        for name, digest in self.before.kept.items():
            path = self.done.folder / name
            if not path.is_file() or sha256(path) != digest:
                yield f"{name} was kept, and {'has other bytes' if path.is_file() else 'is gone'}"
        states = {"captures": "orphan", "damaged": "damaged"}
        expected = {(*parts_of(name), states[name.split("/")[1]]) for name in self.before.kept}
        status, answer = self.done.spooled
        listed = {(c["shot"], c["device"], c["state"]) for c in answer["captures"]}
        if status or listed != expected:
            yield f"`spool list` ends with {status} and has {sorted(listed)}, not {sorted(expected)}"
        orphans = {device.split("/")[0] for _, device, state in expected if state == "orphan"}
        told = {e.event.details["node"] for e in self.done.history if e.event.name == "spool.orphaned"}
        if orphans != told:
            yield f"captures that no shot expects lie on {sorted(orphans)}, and are told of {sorted(told)}"

    def check_owed(self):
        """What a spool owed is made, as it was asked for."""
        for work in self.before.works:
            shot, device = work["key"]["shot"], work["key"]["device"]
            for kind in work["kinds"]:
                if not self.stored(shot, device, kind):
                    yield f"shot {shot}: the {kind} of {device} was owed, and is not in the library"
                elif "shortfall" in self.file(shot, device, kind)[0]:
                    yield f"shot {shot}: the {kind} of {device} was owed, and is less than was asked for"

    def check_recorded(self):
        """A recording that a crash has cut off has the frames that were recorded, but for the last ones."""
        for name, recorded in self.before.sidecars.items():
            shot, node, rest = name.split(".")[:3]
            device, number = rest.split("-")
            kind = "frames" if int(number) == 1 else f"frames.{number[1:]}"
            found = self.file(shot, f"{node}/{device}", kind)
            is_stored = self.stored(shot, f"{node}/{device}", kind)
            frames = lines(found[1])[1] if is_stored else []
            if frames != recorded[:len(frames)]:
                yield f"{name} has frames that were not recorded so"
            if len(recorded) - len(frames) > CUT_OFF:
                yield f"{name} had {len(recorded)} frames, and the library has {len(frames)} of them"

    def check_events(self):
        """Each event that was told is told so again; each that was not is told once, in its node's order."""
        history = self.done.history
        if [e.SerializeToString(deterministic=True) for e in history[:len(self.before.told)]] != \
                [e.SerializeToString(deterministic=True) for e in self.before.told]:
            yield "a replay does not begin with the events that the coordinator's journal held"
        by_node = collections.defaultdict(list)
        for event in history:
            by_node[event.node].append(event)
        for node, events in self.before.unacknowledged.items():
            told = [((e.source_epoch, e.source_sequence), e.event.SerializeToString(deterministic=True))
                    for e in by_node[node] if (e.source_epoch, e.source_sequence) in events]
            expected = [(key, event.SerializeToString(deterministic=True)) for key, event in events.items()]
            if told != expected:
                yield (f"of the {len(expected)} events that {node} had not been told to forget, {len(told)} are on the feed, "
                       f"{'in another order or with other content' if len(told) == len(expected) else 'not each once'}")
        for node, left in self.done.unacknowledged.items():
            if old := [key for key in left if key in self.before.unacknowledged[node]]:
                yield f"{node} has still not been told to forget its events {old}"

    def check_settled(self):
        """Nothing of a shot that had its result is touched, or joined by other files."""
        for path, digest in self.before.settled.items():
            now = self.done.folder / path
            if not now.is_file() or sha256(now) != digest:
                yield f"{path} is of a settled shot, and {'has other bytes' if now.is_file() else 'is gone'}"
        folders = {path.relative_to(self.done.folder)
                   for path in self.done.folder.joinpath("library").glob("[0-9]*/*/*/*/**/*") if path.is_file()}
        settled = {path.parts[:5] for path in self.before.settled}
        for path in sorted(folders - set(self.before.settled)):
            if path.parts[:5] in settled:
                yield f"{path} has come into the folder of a settled shot"

    def check_roster(self):
        """The roster has the devices that it had, as they were, and none that was forgotten."""
        then = {device["id"]: device for device in self.before.roster}
        now = {f"{d.device.id.node}/{d.device.id.device}": d for d in self.done.devices}
        if set(then) != set(now):
            yield f"the roster had {sorted(then)}, and has {sorted(now)}"
        for name in set(then) & set(now):
            device, condition = now[name].device, now[name].condition
            told = (device.media_type, device.type, device.position, list(device.labels), device.purpose, device.orientation_degrees)
            was = tuple(then[name].get(key) for key in ("mediaType", "type", "position", "labels", "purpose", "orientation"))
            if told != was:
                yield f"{name} was {was} in the roster, and is {told}"
            if name.split("/")[0] not in self.done.nodes and condition.state != "unreachable":
                yield f"{name} belongs to a node that is away, and is {condition.state}"

    def check_tools(self):
        """`verify`, `list` and `reindex` say the same as the files."""
        status, verified = self.done.verified
        findings = {v["shot"]: [f["finding"] for f in v["files"]] for v in verified["verifications"]}
        if status or verified["damaged"] or verified["unclaimed"] or any(set(f) - {"ok"} for f in findings.values()):
            yield f"verify ends with {status}: {verified}"
        for shot, (_, manifest) in self.shots.items():
            files = sum(file["outcome"] in ("done", "late") for c in manifest["captures"] for file in c["files"])
            if len(findings.get(shot, [])) != files:
                yield f"verify has looked at {len(findings.get(shot, []))} files of shot {shot}, which has {files}"
        status, reindexed = self.done.reindexed
        if status or reindexed["damaged"] or reindexed["wrong"] or reindexed["shots"] != len(self.shots):
            yield f"reindex ends with {status}: {reindexed}"
        if self.done.listed != self.done.listed_offline:
            yield f"the coordinator lists {self.done.listed}, its library {self.done.listed_offline}"
        listed = {}
        for status, answer in self.done.listed:
            for shot in answer.get("shots", answer.get("takes", [])):
                listed[shot["id"]] = (shot["status"], shot["expected"], shot["done"])
            if status or answer["damaged"]:
                yield f"list ends with {status}: {answer['damaged']}"
        expected = {}
        for shot, (_, manifest) in self.shots.items():
            phases = [capture["phase"] for capture in manifest["captures"]]
            expected[shot] = (manifest["status"], len(phases), phases.count("done"))
        if listed != expected:
            yield f"listed are {listed}, the manifests say {expected}"

    def check_rig(self):
        """The judge of the fault bench finds nothing, in pictures, movies, folders and events."""
        watch = types.SimpleNamespace(events=self.done.events, history=self.done.history, is_history_whole=True,
                                      lost=self.done.lost, failure=None)
        rig = types.SimpleNamespace(library=self.library, spool=lambda node: self.done.folder / f"{node}.spool",
                                    wall_clocks={}, filled=set(), cloned=set(),
                                    corrupted={stem(name.split("/")[-1]) for name in self.before.kept})
        yield from FixtureChecker(rig, [], watch).run()

    def check_work(self):
        """The rig takes a further picture with every camera, and its programs end in order."""
        if self.done.further["status"] != "complete":
            yield f"a further shot is {self.done.further['status']}: {self.done.further['captures']}"
        for name, status in self.done.statuses.items():
            if status != 0:
                yield f"{name} ended with status {status}"
