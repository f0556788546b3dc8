"""Lies about settings that the judge has to find: each changes a copy of what a sound rig has left behind."""

import copy
import json
import pathlib
import subprocess
import tempfile

import settings_judge
from lies import Evidence, change_lines
from settings_orders import Photo, Setting
from settings_rig import Frame, Set

WORDS = (["exposure=4.1ms"], ["exposure=9ms", "gain=raw:3"], ["gain=raw:-6"])
VALUES = ({"exposure_time_absolute": 41}, {"exposure_time_absolute": 90, "gain": 3}, {"gain": -6})


def act(rig, stage):
    """Transactions and pictures of every kind in a rig in which nothing fails, one after another."""
    for number, (words, entries) in enumerate(zip(WORDS, VALUES)):
        finish(stage, stage.give(number, words, "all", entries=entries))
        stage.photo(f"photo {number}", "all", "plain")
        join(stage)
        stage.give(f"refused {number}", ["exposure=raw:200000", f"gain=raw:{12 + 3 * number}"], "all",
                   entries={"exposure_time_absolute": 200_000, "gain": 12 + 3 * number})
        join(stage)
    finish(stage, stage.give("all or none", ["exposure=5.5ms", "driver.gain=0"], "all", require_all=True,
                             entries={"exposure_time_absolute": 55, "gain": 0}))
    stage.photo("bracket", "node1/cam1", "bracket")
    join(stage)
    stage.record("take", "node1/cam1", None)
    stage.give("during the take", ["exposure=6.2ms"], "all", at="+700ms", entries={"exposure_time_absolute": 62})
    stage.photo("live", "node1/cam1", "live")
    join(stage)
    stage.stop("take")
    join(stage)


def finish(stage, setting):
    """The request, and its repeat when it was answered."""
    join(stage)
    stage.threads.append(setting.start())
    join(stage)


def join(stage):
    while stage.threads:
        stage.threads.pop().join()


class SettingsEvidence(Evidence):
    """A copy of everything that is judged, to be tampered with."""

    def __init__(self, rig, settings, orders, watch, truth, folder):
        super().__init__(rig, orders, watch, folder)
        for copied, order in zip(self.orders, orders):
            copied.request, copied.seed = order.request, getattr(order, "seed", None)
            copied.is_photo = isinstance(order, Photo)
            copied.settings = getattr(order, "settings", {})
        self.cameras, self.truth = rig.cameras, copy.deepcopy(truth)
        self.settings = []
        for setting in settings:
            copied = Setting.__new__(Setting)
            copied.__dict__ = {**setting.__dict__, "rig": None, "processes": [], "problems": list(setting.problems),
                               "reports": copy.deepcopy(setting.reports), "entries": dict(setting.entries)}
            self.settings.append(copied)

    def problems(self):
        photos = [order for order in self.orders if order.is_photo]
        found = settings_judge.SettingsJudge(self.truth, self.cameras, self.settings, photos, []).run()
        pictures = settings_judge.PictureJudge(self, self.orders, self.watch, self.truth, self.cameras, self.settings)
        return [text for _, text in found] + pictures.run()

    def setting(self, words=WORDS[0]):
        return next(setting for setting in self.settings if setting.words == words)

    def camera(self, device="node1/cam1", words=WORDS[0]):
        """What the reports of a transaction say of a camera, all of them alike."""
        return [camera for _, _, report in self.setting(words).reports for camera in report["cameras"] if camera["device"] == device]

    def tell(self, change, device="node1/cam1", words=WORDS[0]):
        for camera in self.camera(device, words):
            change(camera)

    def change_truth(self, device, change):
        """What the camera did to the frames from the first new one of the first transaction on."""
        truth = self.truth[device]
        truth.frames = [change(frame) for frame in truth.frames]

    def retag(self, tag, path=None):
        path = path or self.photos()[0]
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "photo.jpg"
            other.write_bytes(path.read_bytes())
            subprocess.run(["exiftool", "-q", "-overwrite_original", tag, str(other)], check=True)
            self.put(path, other.read_bytes())


def moved(which, frames):
    def change(camera):
        told = camera["effect"][which]
        told["sequence"] = str(int(told["sequence"]) + frames)
        told["rigNanoseconds"] = str(int(told["rigNanoseconds"]) + frames * settings_judge.PERIOD)

    return change


def called(outcome, **more):
    return lambda camera: camera.update(outcome=outcome, **more)


def brighten(evidence, path=None):
    """A picture that is half as bright as its frame was, with its time code as it is."""
    path = path or evidence.photos()[0]
    decoded = subprocess.run(["djpeg", "-rgb", "-pnm", str(path)], check=True, capture_output=True).stdout
    width, height = (int(word) for word in decoded.split(maxsplit=4)[1:3])
    pixels = bytearray(decoded[-3 * width * height:])
    start = 96 * width * 3
    pixels[start:] = bytes(value // 2 for value in pixels[start:])
    header = decoded[: -3 * width * height]
    evidence.put(path, subprocess.run(["cjpeg", "-quality", "90"], input=header + bytes(pixels), check=True, capture_output=True).stdout)


def claim_exposure(manifest, capture):
    capture["timing"]["exposureNanoseconds"] += 2_000_000


def claim_sequence(manifest, capture):
    capture["timing"]["sequence"] += 1


def set_secretly(evidence):
    """A camera that refused has been set."""
    refused = next(setting for setting in evidence.settings if setting.entries.get("gain") == 12)
    asked, answered, _ = refused.reports[0]
    stream = evidence.truth["node2/cam1"].sets[-1].stream
    evidence.truth["node2/cam1"].sets.append(Set((asked + answered) // 2, "gain", 12, 3, stream))
    evidence.truth["node2/cam1"].sets.sort(key=lambda entry: entry.at)


def undo_secretly(evidence):
    """What the last transaction of all cameras has set is put back after its answer."""
    setting = next(setting for setting in evidence.settings if setting.require_all)
    truth = evidence.truth["node2/cam1"]
    answered = max(answered for _, answered, _ in setting.reports)
    truth.sets.append(Set(answered + 1000, "exposure_time_absolute", 41, 55, truth.sets[-1].stream))
    truth.sets.sort(key=lambda entry: entry.at)


def repeat(evidence, change):
    """The repeat of a request is answered otherwise."""
    change(evidence.setting().reports[-1][2])


# What is amiss, how it comes about, and words by which the judge has to tell it.
LIES = {
    "a camera has no outcome": (lambda e: [r["cameras"].pop() for _, _, r in e.setting().reports], "has outcomes of"),
    "a camera has two outcomes": (lambda e: [r["cameras"].append(r["cameras"][0]) for _, _, r in e.setting().reports], "has outcomes of"),
    "an outcome is a word that nobody knows": (lambda e: e.tell(called("done")), "has the outcome done"),
    "a camera failed and nobody says why": (lambda e: e.tell(called("failed")), "nobody says why"),
    "a repeat is answered otherwise": (lambda e: repeat(e, lambda r: r["cameras"][0].update(outcome="lost", problem={"message": "?"})),
                                       "a repeat was answered"),
    "a transaction is never answered": (lambda e: e.setting().reports.clear(), "has no answer"),
    "a transaction takes for ever": (lambda e: setattr(e.setting(), "longest", 60.0), "more than 45 s"),
    "a camera is called set that has rounded": (
        lambda e: e.setting(WORDS[2]).entries.update(gain=-7), "node2/cam1 is set, it accepts"),
    "a camera is called rounded that has the value": (lambda e: e.tell(called("rounded")), "is rounded, it accepts"),
    "a camera has another value than is told": (
        lambda e: e.tell(lambda c: c["effect"]["controls"].update(exposure_time_absolute="42")), "the nearest it has is 41"),
    "a camera was set to another value": (
        lambda e: setattr(e.truth["node1/cam1"], "sets", [
            entry if entry.value != 41 else Set(entry.at, entry.control, 43, entry.was, entry.stream)
            for entry in e.truth["node1/cam1"].sets]), "was last set to 43"),
    "a refused camera was set": (set_secretly, "is refused, and its gain was set to 12"),
    "a camera that was answered as set is undone": (undo_secretly, "was answered as set, and afterwards its exposure_time_absolute"),
    "a camera that was set is called undone": (
        lambda e: e.tell(called("undone", problem={"message": "?"}), "node1/cam2"), "is undone, and its exposure_time_absolute was set"),
    "all were required, and one lacks": (
        lambda e: [setattr(e.setting(), "require_all", True), e.tell(called("failed", problem={"message": "?"}))], "all were required"),
    "the last old frame is new": (lambda e: e.tell(moved("lastOld", 2)), "surely has the old exposure_time_absolute"),
    "the first new frame is old": (lambda e: e.tell(moved("firstNew", -2)), "it surely has 41"),
    "a frame is at another time": (
        lambda e: e.tell(lambda c: c["effect"]["firstNew"].update(rigNanoseconds=str(int(c["effect"]["firstNew"]["rigNanoseconds"]) + 9_000_000))),
        "the camera has exposed"),
    "a frame has another number": (
        lambda e: e.tell(lambda c: c["effect"]["firstNew"].update(sequence=str(int(c["effect"]["firstNew"]["sequence"]) + 1))),
        "the camera has exposed"),
    "an interval has no end": (lambda e: e.tell(lambda c: c["effect"].pop("firstNew")), "and no interval"),
    "a change is called none": (lambda e: e.tell(lambda c: c["effect"].update(evidence="unchanged")), "were other ones"),
    "what is unknown is told": (lambda e: e.tell(lambda c: c["effect"].update(evidence="unknown")), "the evidence unknown, and frame"),
    "evidence is a word that nobody knows": (lambda e: e.tell(lambda c: c["effect"].update(evidence="faith")), "has the evidence faith"),
    "a camera was set long before T": (
        lambda e: [r.update(timeRigNanoseconds=str(int(r["timeRigNanoseconds"]) + 10**9)) for _, _, r in e.setting().reports], "before T"),
    "a camera lost a value meanwhile": (
        lambda e: e.change_truth("node1/cam1", lambda f: Frame(
            f.stream, f.number, f.mid, f.exposure, f.brightness,
            {**f.controls, "exposure_time_absolute": 44} if f.controls["exposure_time_absolute"] == 41 else f.controls)), "it surely has 41"),
    "a picture is not as bright as its frame": (brighten, "as bright as at normal exposure"),
    "a manifest has another exposure time": (lambda e: e.edit(claim_exposure), "exposure time in the manifest of"),
    "a picture's EXIF has another exposure time": (lambda e: e.retag("-ExposureTime=0.0421"), "exposure time in EXIF of"),
    "a manifest names another frame": (lambda e: e.edit(claim_sequence), "its pixels show"),
    "a manifest has another skew": (lambda e: e.edit(lambda m, c: c["timing"].update(
        skewNanoseconds=c["timing"]["skewNanoseconds"] + 20_000_000)), "claims a skew"),
    "a manifest has another middle of exposure": (lambda e: e.edit(lambda m, c: c["timing"]["midExposure"].update(
        time=c["timing"]["midExposure"]["time"] + 20_000_000)), "from when it was"),
    "a manifest names settings that nobody has asked for": (
        lambda e: e.edit(lambda m, c: c["timing"].update(settings={"state": "inForce", "revision": m["id"]})), "nobody has asked for"),
    "a manifest names settings that its frame does not have": (
        lambda e: e.edit(lambda m, c: c["timing"].update(settings={"state": "inForce", "revision": e.setting(WORDS[2]).id})),
        "was taken with gain"),
    "a manifest names settings while they are being changed": (
        lambda e: e.edit(lambda m, c: c["timing"].update(settings={"state": "changing", "revision": e.setting().id})), "are being changed"),
    "a manifest does not name the settings in force": (
        lambda e: e.edit(lambda m, c: c["timing"].pop("settings")), "were in force"),
    "a sidecar gives a frame another exposure time": (
        lambda e: change_lines(e, lambda rest: rest[3].update(exposureNanoseconds=rest[3]["exposureNanoseconds"] + 2_000_000)),
        "exposure time in a sidecar of"),
    "a sidecar gives a frame another gain": (lambda e: change_lines(e, lambda rest: rest[3].update(gain=9)), "has a gain of 9"),
    "a sidecar gives a frame settings that it does not have": (
        lambda e: change_lines(e, lambda rest: rest[3].update(settings=e.setting(WORDS[2]).id)), "was taken with gain"),
    "a clip has settings that its frames do not have": (
        lambda e: e.edit(lambda m, c: c["clip"].update(settings=[{"startNanoseconds": 0, "settings": {
            "state": "inForce", "revision": e.setting(WORDS[2]).id}}]), "pairedVideo.mov"), "was taken with gain"),
    "a picture is another shot's": (lambda e: e.put(e.photos()[0], e.photos()[-1].read_bytes()), ""),
    "a picture is another camera's": (lambda e: e.put(e.photos()[0], e.photos("node2.cam2")[0].read_bytes()), "was taken by camera"),
}


def undetected(rig, settings, orders, watch, truth):
    """The names of the lies that the judge believes; all others it has found."""
    believed = []
    for name, (tell, words) in LIES.items():
        with tempfile.TemporaryDirectory() as folder:
            evidence = SettingsEvidence(rig, settings, orders, watch, truth, pathlib.Path(folder))
            if not believed and name == next(iter(LIES)) and (problems := evidence.problems()):
                return [f"there were problems before: {problems}"]
            try:
                tell(evidence)
                problems = evidence.problems()
            except (KeyError, StopIteration, IndexError) as error:
                believed.append(f"{name}: it could not be told: {error!r}")
                continue
            if not any(words in problem for problem in problems):
                believed.append(f"{name}: {json.dumps(problems)[:600]}" if problems else name)
    return believed
