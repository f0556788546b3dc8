"""What must be true of a rig after whatever happened to it, judged from its files and its feed alone."""

import collections
import re
import subprocess

from manifest_schema import schema_problems
from timecode_decode import Unreadable, decode

from files import MANIFESTS, left_in, manifests, sha256
from movie_checker import MovieChecker, check_orders
from rig import COORDINATOR, FRAMES_PER_SECOND, NODES, NUMBERS, stem

SETTLED = {"complete", "partial", "failed"}
PERIOD = 1e9 / FRAMES_PER_SECOND
# The wall clock may be disciplined between an exposure and the shot's own reading of it.
CLOCK_SLACK = 1e6  # nanoseconds
STORED = ("done", "late")
# What people say of a shot, and what a crash has left of writing it, which the next edit takes the place of.
ANNOTATION = {"annotation.json", "annotation.json.tmp"}
# Files that are made after their capture was stored, and may fail by themselves.
COMPANIONS = {"pairedVideo", "motionPhoto", "movie", "frames"}


def base(kind):
    """What a file is, without the number of a recording's file."""
    return kind.split(".")[0]


class Checker:
    def __init__(self, rig, orders, watch):
        self.rig, self.orders, self.watch = rig, orders, watch
        self.problems = []
        self.stored = collections.defaultdict(set)  # (shot, device) -> digests in the library
        self.cancelled = set()
        self.kept = set()  # `<shot>.<node>.<device>` of captures that tell of a recording that was moved aside
        self.pictures = 0
        self.outcomes = collections.Counter()

    def run(self):
        """Every problem, as sentences; none where all is true."""
        shots = dict(self.shots())
        for order in self.orders:
            self.check_order(order, shots.get(order.id))
        self.check_spools()
        self.check_events()
        return self.problems

    def say(self, text):
        self.problems.append(text)

    def shots(self):
        for folder, manifest in manifests(self.rig.library):
            if "unreadable" in manifest:
                self.say(f"the manifest in {folder} cannot be read: {manifest['unreadable']}")
                continue
            for problem in schema_problems(manifest):
                self.say(f"{folder.name}: {problem}")
            self.check_shot(folder, manifest)
            yield manifest["id"], manifest
        for name in (".incoming", ".quarantine"):
            for left in left_in(self.rig.library / name):
                # What arrived with other bytes than announced is kept for people.
                if name != ".quarantine" or stem(left) not in self.rig.corrupted:
                    self.say(f"{name} still holds {left}")

    def check_shot(self, folder, manifest):
        shot = manifest["id"]
        if manifest["status"] not in SETTLED:
            self.say(f"shot {shot} is still {manifest['status']}")
        devices = [device_of(capture) for capture in manifest["captures"]]
        if len(devices) != len(set(devices)):
            self.say(f"shot {shot} names a camera twice: {devices}")
        named = {MANIFESTS["take" in manifest]}
        for capture in manifest["captures"]:
            named |= set(self.check_capture(folder, manifest, capture))
        found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} - ANNOTATION
        for stray in sorted(found - named):
            self.say(f"shot {shot} has a file that its manifest does not name: {stray}")
        phases = [capture["phase"] for capture in manifest["captures"]]
        if (manifest["status"] == "complete") != all(phase == "done" for phase in phases):
            self.say(f"shot {shot} is {manifest['status']}, its captures are {phases}")

    def check_capture(self, folder, manifest, capture):
        shot, device, phase = manifest["id"], device_of(capture), capture["phase"]
        self.outcomes[phase if phase == "done" else f"{phase} ({(capture.get('problem') or {}).get('code')})"] += 1
        if phase not in ("done", "partial", "missed", "failed"):
            self.say(f"shot {shot}: {device} has no outcome, it is {phase}")
        self.check_phase(shot, device, capture)
        if phase != "done" and not (capture.get("problem") or {}).get("message"):
            self.say(f"shot {shot}: {device} is {phase} and nobody says why")
        if (capture.get("problem") or {}).get("code") == "cancelled":
            self.cancelled.add((shot, device))
        for file in capture["files"]:
            if re.search("what there is of it (goes to|is kept as) .*/damaged", (file.get("problem") or {}).get("message", "")):
                self.kept.add(f"{shot}.{device.replace('/', '.')}")
            if file["outcome"] in STORED:
                self.check_file(folder / file["path"], file, manifest, capture)
                yield file["path"]
        movies = MovieChecker(self, folder, manifest, capture, device)
        movies.check_take()
        movies.check_clip()

    def check_phase(self, shot, device, capture):
        """What a capture is called is what its files are."""
        phase, files = capture["phase"], capture["files"]
        for file in files:
            stored, is_companion = file["outcome"] in STORED, base(file["kind"]) in COMPANIONS
            if stored if phase == "missed" else not stored if phase == "done" else False:
                self.say(f"shot {shot}: {device} is {phase}, its {file['kind']} is {file['outcome']}")
            if not is_companion and stored != (phase in ("done", "partial")):
                self.say(f"shot {shot}: {device} is {phase}, its {file['kind']} is {file['outcome']}")
            if phase == "partial" and not stored and not (file.get("problem") or {}).get("message"):
                self.say(f"shot {shot}: the {file['kind']} of {device} is {file['outcome']} and nobody says why")
        lacks = any(file["outcome"] not in STORED or "shortfall" in file for file in files) or "problem" in capture.get("movie", {})
        if phase in ("done", "partial") and lacks != (phase == "partial"):
            self.say(f"shot {shot}: {device} is {phase}, and {'something' if lacks else 'nothing'} is missing")
        if phase == "partial" and not any(file["outcome"] in STORED for file in files):
            self.say(f"shot {shot}: {device} is partial, and nothing of it is stored")

    def check_file(self, path, file, manifest, capture):
        shot, device = manifest["id"], device_of(capture)
        if not path.is_file():
            return self.say(f"shot {shot}: {device} is {file['outcome']}, but {path} is not there")
        digest = sha256(path)
        if digest != file["digest"] or path.stat().st_size != file["byteCount"]:
            self.say(f"shot {shot}: {path} has other bytes than its manifest says")
        self.stored[shot, device].add(digest)
        if base(file["kind"]) in COMPANIONS:
            return None
        try:
            code = decode(str(path))
        except (Unreadable, OSError, ValueError, subprocess.CalledProcessError) as error:
            return self.say(f"shot {shot}: {path} shows no time code: {error}")
        self.pictures += 1
        if code["cameraNumber"] != NUMBERS[device]:
            self.say(f"shot {shot}: {path} was taken by camera {code['cameraNumber']}, not by {device}")
        skew = self.skew(code, manifest["time"], manifest, device)
        timing = capture["timing"]
        bound = self.bound_of(timing) + CLOCK_SLACK
        if abs(skew) > PERIOD + bound:
            self.say(f"shot {shot}: {device} shows an instant {skew / 1e6:.1f} ms from T, more than a frame")
        if abs(skew - timing["skewNanoseconds"]) > bound:
            self.say(f"shot {shot}: {device} claims a skew of {timing['skewNanoseconds'] / 1e6:.3f} ms "
                     f"± {bound / 1e6:.3f} ms, its pixels show {skew / 1e6:.3f} ms")

    def skew(self, code, instant, manifest, device):
        """Nanoseconds from an instant of a shot's time line to what a picture shows."""
        wall = manifest["wallClock"]
        date = wall["realtimeNanoseconds"] + instant - wall["monotonic"]
        # Either wall clock may have been set meanwhile.
        shifts = {node - own for node in self.wall_offsets(device.split("/")[0]) for own in self.wall_offsets(COORDINATOR)}
        return min((code["realtimeNanoseconds"] - date - int(shift * 1e9) for shift in shifts), key=abs)

    @staticmethod
    def bound_of(timing):
        exposure = timing["midExposure"]
        return exposure.get("boundNanoseconds", exposure.get("bound", 0))

    def wall_offsets(self, name):
        clock = self.rig.wall_clocks.get(name)
        return clock.offsets if clock else (0,)

    def check_order(self, order, manifest):
        for problem in order.problems:
            self.say(f"shot {order.id}: {problem}")
        if not order.answers and not order.refusals:
            self.say(f"shot {order.id} was never answered")
        if manifest is None:
            if any(answer["status"] != "failed" for answer in order.answers):
                self.say(f"shot {order.id} was answered, and the library does not have it")
            return
        expected = {device for device in NUMBERS if order.target in ("all", device.split("/")[0], device)}
        if "take" in manifest:
            check_orders(self.say, order, manifest)
        found = {device_of(capture) for capture in manifest["captures"]}
        if not found <= expected or not found:
            self.say(f"shot {order.id} of {order.target} names {sorted(found)}")
        final = {(device_of(c), f["kind"]): f for c in manifest["captures"] for f in c["files"]}
        for answer in order.answers:
            for capture in answer["captures"]:
                for file in capture["files"]:
                    now = final.get((device_of(capture), file["kind"]), {})
                    if file["outcome"] in ("done", "late") and (now.get("outcome"), now.get("digest")) != (
                            file["outcome"], file["digest"]):
                        self.say(f"shot {order.id}: what was answered as {file['outcome']} is so no more")

    def check_spools(self):
        for node in NODES:
            for folder in ("captures", "damaged", "recordings", "deferred"):
                for left in left_in(self.rig.spool(node) / folder):
                    # A recording that a disk refused to finish is kept for people, who are told where.
                    kept = folder == "damaged" and stem(left) in self.kept and re.match("movie|frames|recording-", left.split(".")[3])
                    if stem(left) not in self.rig.corrupted and not kept:
                        self.say(f"the spool of {node} still holds {folder}/{left}")

    def check_events(self):
        if self.watch.failure:
            self.say(f"the feed could not be watched: {self.watch.failure}")
        if self.watch.lost:
            self.say(f"{self.watch.lost} events were gone when they were asked for")
        unique, sequences = {}, collections.defaultdict(list)
        for event in self.watch.events:
            sequences[event.coordinator_epoch].append(event.sequence)
            key = (event.node, event.source_epoch, event.source_sequence)
            content = event.event.SerializeToString(deterministic=True)
            if unique.setdefault(key, (content, event.event))[0] != content:
                self.say(f"event {key} has come with two contents")
        for epoch, numbers in sequences.items():
            if numbers != list(range(1, len(numbers) + 1)):
                self.say(f"the feed of coordinator {epoch:x} did not come in order: {gaps(numbers)}")
        self.check_history()
        self.check_sources(unique)
        self.check_captures([event for _, event in unique.values()])

    def check_history(self):
        """A replay from the beginning has everything that was ever told, in order, whoever has ended meanwhile."""
        told = collections.defaultdict(dict)
        for event in self.watch.history:
            if event.sequence in told[event.coordinator_epoch]:
                self.say(f"a replay has event {event.sequence} of coordinator {event.coordinator_epoch:x} twice")
            told[event.coordinator_epoch][event.sequence] = event.SerializeToString(deterministic=True)
        if not self.watch.is_history_whole:
            return
        for epoch, events in told.items():
            if list(events) != list(range(1, len(events) + 1)):
                self.say(f"a replay of coordinator {epoch:x} has gaps or no order: {gaps(list(events))}")
        for event in self.watch.events:
            if told[event.coordinator_epoch].get(event.sequence) != event.SerializeToString(deterministic=True):
                self.say(f"event {event.sequence} of coordinator {event.coordinator_epoch:x} was told, and no replay has it")

    def check_sources(self, unique):
        numbers = collections.defaultdict(set)
        for node, epoch, sequence in unique:
            if node:
                numbers[node, epoch].add(sequence)
        for (node, epoch), found in numbers.items():
            if found != set(range(1, len(found) + 1)):
                self.say(f"events of {node}, epoch {epoch:x}, are missing: {gaps(sorted(found))}")

    def check_captures(self, events):
        begun, ended = collections.Counter(), collections.Counter()
        for event in events:
            key = (uuid(event.shot_id), f"{event.device.node}/{event.device.device}")
            if event.name == "capture.willBeginCapture":
                begun[key] += 1
            if event.name == "capture.didFinishCapture":
                ended[key] += 1
            if "sha256" in event.details and event.details["sha256"] not in self.stored[key]:
                if key not in self.cancelled and f"{key[0]}.{key[1].replace('/', '.')}" not in self.rig.corrupted:
                    self.say(f"shot {key[0]}: {key[1]} had a file in its spool that is not in the library")
        for key in begun | ended:
            node = key[1].split("/")[0]
            # An end that the disk has refused was told, and not known to the node's next life.
            if ended[key] == begun[key] + 1 > 1 and node in self.rig.filled:
                continue
            # What a clone has begun and not ended is gone with its machine.
            if begun[key] != ended[key] and node not in self.rig.cloned:
                self.say(f"shot {key[0]}: {key[1]} began {begun[key]} captures and ended {ended[key]}")


def device_of(capture):
    identity = capture["device"]["id"]
    return identity if isinstance(identity, str) else f"{identity['node']}/{identity['device']}"


def uuid(data):
    text = data.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def gaps(numbers):
    return ", ".join(f"{a} → {b}" for a, b in zip([0, *numbers], numbers) if b != a + 1) or f"1 … {len(numbers)}"
