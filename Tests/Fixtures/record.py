#!/usr/bin/env python3
"""Records fixtures of the stored formats: python record.py FOLDER-OF-PROGRAMS COMMIT [FIXTURE]...

Each is the library, the spools and the configurations of a small rig of virtual cameras whose processes were ended at a chosen moment,
as an archive beside this file. README.md says what they are for. One that is there already is never recorded again.

Needs root: the rig's processes have clocks of their own, as on machines that have been restarted since.
"""

import argparse
import datetime
import json
import pathlib
import shutil
import signal
import sys
import tarfile
import tempfile
import threading
import time

from stored import Stored, common, outcomes, read_capture
from caprig_client import Feed, client as messages
from completion import Completion
from fixture_rig import LIMIT, RATE, FixtureRig
from rig import COORDINATOR
from shots import Order
from takes import Take

HERE = pathlib.Path(__file__).resolve().parent
# Stands in manifests and messages, so it is nobody's.
FOLDER = pathlib.Path("/var/tmp/caprig-fixture")
# Seconds by which each clock is ahead.
SHIFTS = {COORDINATOR: 3_000_000, "node1": 5_000_000, "node2": 7_000_000, "node3": 9_000_000}
SMALL, LARGE = (144, 88), (400, 224)
CHUNK = 262_144  # bytes of a file that are asked for at a time


def camera(name, number, size=SMALL, keys=()):
    lines = "".join(f"    {key}\n" for key in keys)
    return (f"  - name: {name}\n    purpose: Camera {number} of a fixture\n    labels: [fixture]\n{lines}    source:\n"
            f"      virtual: {{ number: {number}, width: {size[0]}, height: {size[1]}, framesPerSecond: {RATE},"
            f" phaseMilliseconds: {7 * number} }}\n")


def node(name, *cameras, microphone=False):
    text = (f"node: {name}\nspool: {{ limit: 256 MiB, reserve: 1 MiB }}\nring: {{ depth: 3 s, memory: 64 MiB }}\n"
            f"devices:\n{''.join(cameras)}")
    if microphone:
        text += ("microphones:\n  - { name: desk, purpose: Sound of a fixture, sampleRate: 8000, channels: 1,"
                 " source: { virtual: {} } }\n")
    (FOLDER / f"{name}.yaml").write_text(text)


def usual_nodes(size=SMALL, live=True):
    """Two nodes whose cameras have the numbers that the judge of the fault bench knows; `size` is that of node1/cam2, `live`
    whether node1/cam1 takes clips too."""
    node("node1", camera("cam1", 1, SMALL, ["microphone: desk", "position: left", f"live: {str(live).lower()}"]),
         camera("cam2", 2, size, ["position: right", "orientation: 90"]), microphone=True)
    node("node2", camera("cam1", 3, SMALL, ["live: false", "type: wide"]),
         camera("cam2", 4, SMALL, ["live: false", "raw: true", "format: { pixelFormat: RG10 }"]))


class Recording(FixtureRig):
    """The rig of a fixture that is being recorded, and the ids of its shots by what they are."""

    def __init__(self, programs):
        super().__init__(FOLDER, programs)
        self.roles, self.orders, self.kept = {}, [], []
        for name, daemon in self.daemons.items():
            daemon.shift = SHIFTS[name]

    def await_true(self, problem, condition):
        """Until a condition holds that is read from answers or files."""
        deadline = time.monotonic() + LIMIT
        with self.client() as client:
            while not condition(client):
                if time.monotonic() > deadline:
                    raise RuntimeError(f"{problem} within {LIMIT} s\n{self.tails()}")
                time.sleep(0.05)

    def await_readiness(self, nodes):
        self.await_true("not every camera runs and every clock is known", lambda client: self.is_ready(client, nodes))

    def begin(self, role, target="all", when="soon", **settings):
        """Asks for a shot, in a thread of its own."""
        order = Order.of(self, target, when, False, settings)
        self.roles[order.id] = role
        self.orders.append((order, order.start()))
        return self.orders[-1]

    def shot(self, role, target="all", **settings):
        """Takes a shot, to its answer."""
        order, thread = self.begin(role, target, **settings)
        thread.join()
        if not order.answers or order.answers[0]["status"] == "failed" or order.problems:
            raise RuntimeError(f"the shot '{role}': {order.answers} {order.refusals} {order.problems}")
        return order

    def take(self, role, target, segment=None):
        """Begins a take, and waits until its cameras record."""
        take = Take.of(self, target, segment=segment)
        self.roles[take.id] = role
        take.start().join()
        if not take.answers:
            raise RuntimeError(f"the take '{role}': {take.refusals}")
        return take

    def stop(self, take):
        """Asks for the end of a take, in a thread of its own, since it is answered when everything is in the library."""
        thread = threading.Thread(target=take.stop, daemon=True)
        thread.start()
        self.orders.append((take, thread))

    def await_recorded(self, seconds):
        def has_recorded(client):
            recording = [d.condition.session.recording for d in client.devices()
                         if d.condition.session.HasField("recording")]
            return recording and all(r.duration_ns > seconds * 1e9 for r in recording)
        self.await_true(f"no recording became {seconds} s long", has_recorded)

    def await_event(self, name, order, devices=1):
        """Until the feed has an event of a shot from so many devices."""
        found = set()
        with self.client() as client, Feed(client) as feed:
            while len(found) < devices:
                event = feed.next(60).event
                if event.name == name and event.shot_id == order.request.shot_id:
                    found.add(event.device.device)

    def await_capture(self, node, order, condition):
        """Until the record of a node's captures of a shot says so."""
        def says_so(_):
            records = [read_capture(path) for path in self.spool(node).glob(f"captures/{order.id}.*.capture.json")]
            return records and all(condition(record) for record in records)
        self.await_true(f"the captures of a shot on {node} did not become so", says_so)

    def await_file(self, pattern, size=0):
        self.await_true(f"there was no {pattern} of {size} bytes",
                        lambda _: any(path.stat().st_size >= size for path in self.folder.glob(pattern)))

    def cancel(self):
        """Has clients give up that were not answered."""
        for order, _ in self.orders:
            order.is_cancelled = True
        for _, thread in self.orders:
            thread.join()

    def manifest(self, order):
        return dict(Stored.read_shots(self.library)).get(order.id, (None, None))[1]

    def await_phases(self, order, phases):
        def has_phases(_):
            manifest = self.manifest(order)
            return manifest and {capture["phase"] for capture in manifest["captures"]} <= phases
        self.await_true(f"the cameras of a shot did not become {phases}", has_phases)


def settled(programs):
    """Shots and takes of every kind that have their result, of three lives of the coordinator."""
    usual_nodes()
    node("node3", camera("cam1", 5), camera("cam2", 6))
    rig = Recording(programs)
    rig.start_all()
    rig.await_readiness(rig.nodes)
    with_three = rig.shot("photos of every camera, one of them forgotten later, with thumbnails and previews",
                          "all", embedThumbnail="whole", previewSize=64)
    rig.shot("Live Photos", "node1", livePhoto="required")
    rig.shot("Live Photo in H.264 and as a motion photo", "node1/cam1", livePhoto="required", clipCodec="h264",
             motionPhoto=True)
    rig.shot("raw file and photo", "node2/cam2", raw="withPhoto")
    rig.shot("photo and HEIC", "node2/cam1", codec="heic")
    rig.shot("bracket", "node1/cam2", when="+2", bracket=[{"exposureNanoseconds": 2_000_000}, {"exposureNanoseconds": 8_000_000}])
    take = rig.take("take in several files with a mark", "node1", segment=1)
    rig.await_recorded(1.6)
    take.mark("a mark")
    take.stop()
    with rig.client() as client:
        for order, title in ((with_three, "Title of a shot"), (take, "Title of a take")):
            client.ask(edit_shot=messages.EditShot(shot_id=order.request.shot_id, title=title, note="two\nlines"))
    rig.daemons["node3"].end()
    rig.shot("photos without an absent node")
    with rig.client() as client:
        client.forget([common.DeviceId(node="node3", device="cam2")])
    rig.daemons[COORDINATOR].end()
    rig.start(COORDINATOR)  # a life that tells nothing
    rig.kill(COORDINATOR)
    rig.start(COORDINATOR)
    rig.await_readiness(["node1", "node2"])
    rig.shot("photos of another life of the coordinator", "node2")
    rig.end()
    (FOLDER / "node3.yaml").unlink()
    shutil.rmtree(rig.spool("node3"))
    return rig


def open_shots(programs):
    """Shots that a coordinator that was killed has left open, at four stages, and a node that worked on without it."""
    usual_nodes(LARGE, live=False)
    # So slow that the second chunk of a clip stays out, and everything behind it.
    (FOLDER / "coordinator.yaml").write_text("collect: { rate: 4 kB/s }\n")
    rig = Recording(programs)
    rig.start_all()
    rig.await_readiness(rig.nodes)
    rig.shot("photo that is settled", "node1/cam1")
    begun, _ = rig.begin("photos that are stored, and a clip of which a part has come", "all", livePhoto="whereEnabled")
    rig.await_event("capture.didFinishCapture", begun, 2)
    rig.await_file("library/.incoming/*.pairedVideo.mov.*.part", CHUNK)
    waiting, _ = rig.begin("photos that are in the spools, and nothing has come of them")
    rig.await_phases(waiting, {"captured"})
    take = rig.take("take in several files that was stopped, and nothing has come of it", "node2/cam1", segment=1)
    rig.await_recorded(1.6)
    rig.stop(take)
    rig.await_capture("node2", take, lambda capture: "movie" in capture and "owed" not in capture)
    armed, _ = rig.begin("photo that was fired, and taken when the coordinator was gone", "node1/cam1", "+8")
    rig.await_event("capture.willBeginCapture", armed)
    rig.await_phases(armed, {"armed"})
    rig.daemons["node2"].send(signal.SIGSTOP)
    asked, _ = rig.begin("photos that were to be taken, of which no node has heard", "node2", "+9")
    rig.await_phases(asked, {"preparing"})
    rig.kill(COORDINATOR, "node2")
    rig.await_file(f"node1.spool/captures/{armed.id}.*.capture.json")
    rig.kill()
    (FOLDER / "coordinator.yaml").unlink()
    return rig


def spools(programs):
    """Files that are still to be made, movies that a crash has cut off, a file that was released and is not removed, a camera
    whose controls are to be put back."""
    usual_nodes()
    rig = Recording(programs)
    rig.start_all({"node1": ["encoder.wait.start=hang,times=always"],
                   "node2": ["deferred.wait.making=hang,times=always", "spool.file.remove=crash"]})
    rig.await_readiness(rig.nodes)
    deferred, _ = rig.begin("Live Photo whose clip and motion photo are owed", "node1/cam1", livePhoto="required",
                            clipCodec="h264", motionPhoto=True)
    rig.await_event("capture.didFinishCapture", deferred)
    take = rig.take("take in several files that a crash cuts off", "node1/cam1", segment=1)
    rig.take("take in one file that a crash cuts off", "node1/cam2")
    rig.await_recorded(1.6)
    take.mark("a mark")
    bracket, _ = rig.begin("bracket that was armed", "node2/cam2", "+9",
                           bracket=[{"exposureNanoseconds": 2_000_000}, {"exposureNanoseconds": 8_000_000}])
    rig.await_event("capture.willBeginCapture", bracket)
    rig.begin("photo that is released and not removed, whose HEIC is owed", "node2/cam1", codec="heic")
    rig.daemons["node2"].process.wait(60)
    rig.await_recorded(3.2)
    rig.kill("node1")
    rig.kill()
    return rig


def placed(programs):
    """A picture that has its place in the library, of which the manifest does not know, and one that its node has not reported."""
    usual_nodes()
    rig = Recording(programs)
    rig.start_all({COORDINATOR: ["library.file.placed=crash"], "node2": ["spool.capture.durable=crash,hit=2"]})
    rig.await_readiness(rig.nodes)
    rig.begin("photos, one in its place and one not reported")
    rig.daemons[COORDINATOR].process.wait(60)
    rig.daemons["node2"].process.wait(60)
    rig.kill()
    return rig


def kept(programs):
    """Captures that stay in a spool for people to look at: one whose file was damaged, and those of a shot that the library does not
    know."""
    usual_nodes()
    (FOLDER / "coordinator.yaml").write_text("collect: { rate: 1 kB/s }\n")
    rig = Recording(programs)
    rig.start_all()
    rig.await_readiness(rig.nodes)
    # Its clip takes so long that nothing that comes after it is collected.
    rig.shot("Live Photo that is settled", "node1/cam1", livePhoto="required")
    waiting, _ = rig.begin("photos, one of which was damaged in its spool")
    rig.await_phases(waiting, {"captured"})
    orphaned, _ = rig.begin("photo that nobody knows", "node2/cam1")
    rig.await_phases(orphaned, {"captured"})
    rig.kill()
    # What a disk may do, and what a person may.
    photo = next(rig.spool("node1").glob(f"captures/{waiting.id}.node1.cam2.photo.jpg"))
    photo.write_bytes(photo.read_bytes()[:100])
    shutil.rmtree(dict(Stored.read_shots(rig.library))[orphaned.id][0])
    rig.start("node1")
    rig.kill()
    (FOLDER / "coordinator.yaml").unlink()
    rig.kept = [*rig.spool("node1").glob("damaged/*"), *rig.spool("node2").glob(f"captures/{orphaned.id}.*")]
    return rig


FIXTURES = {"settled": settled, "open-shots": open_shots, "spools": spools, "placed": placed, "kept": kept}


def pack(rig, name, commit):
    """Writes the archive and what is known of it."""
    rig.cancel()
    state = Stored(FOLDER, [n for n in rig.nodes if (FOLDER / f"{n}.yaml").exists()])
    about = {
        "commit": commit, "recorded": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "shots": {shot: {"role": rig.roles[shot], "statusThen": manifest["status"]}
                  for shot, (_, manifest) in sorted(state.shots.items())},
        "kept": sorted(str(path.relative_to(FOLDER)) for path in rig.kept),
    }
    shutil.rmtree(rig.logs)
    with tarfile.open(HERE / f"{name}.tar.xz", "w:xz", preset=9) as archive:
        for path in sorted(FOLDER.iterdir()):
            archive.add(path, path.name, filter=anonymous)
    (HERE / f"{name}.json").write_text(json.dumps(about, indent=2) + "\n")
    size = (HERE / f"{name}.tar.xz").stat().st_size
    print(f"{name}: {len(state.shots)} shots, {len(state.open_shots())} open, {size / 1000:.0f} kB")


def note_outcomes(name, programs):
    """Writes down what the programs that have recorded a fixture make of it. Whoever records looks whether that is right."""
    with tempfile.TemporaryDirectory() as folder:
        completion = Completion(name, folder, programs)
        for shot, (_, manifest) in Stored(completion.folder, completion.nodes).shots.items():
            if shot in completion.about["shots"]:
                completion.about["shots"][shot]["outcomes"] = outcomes(manifest)
    (HERE / f"{name}.json").write_text(json.dumps(completion.about, indent=2) + "\n")


def anonymous(entry):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("commit")
    parser.add_argument("fixtures", nargs="*", default=list(FIXTURES), choices=list(FIXTURES))
    arguments = parser.parse_args()
    for name in arguments.fixtures:
        if (HERE / f"{name}.tar.xz").exists():
            print(f"{name} is there already; a later version adds fixtures of another name", file=sys.stderr)
            return 1
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir()
        rig = FIXTURES[name](arguments.programs)
        pack(rig, name, arguments.commit)
        shutil.rmtree(FOLDER)
        note_outcomes(name, arguments.programs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
