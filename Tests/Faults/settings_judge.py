"""What must be true of settings and of the pictures meanwhile: reports, manifests and pixels against what the cameras really did."""

import collections
import json
import subprocess
import time

import numpy

from checker import CLOCK_SLACK, Checker, base, device_of
from rig import FRAMES_PER_SECOND, NUMBERS
from settings_orders import BOUND
from timecode_decode import Unreadable, decode, load

PERIOD = 1_000_000_000 // FRAMES_PER_SECOND
UNDECIDED = 60 * PERIOD + PERIOD  # after a change that frames have not shown, and a frame of scatter
SLACK = 1_000_000  # nanoseconds by which a set is logged before it was answered
LATE = 5_000_000_000  # nanoseconds after its client has gone, within which a transaction may still act
HAVING = ("set", "rounded")
UNSTORED = "the coordinator cannot store that"  # in the reason of a camera whose outcome a restart may change
OUTCOMES = (*HAVING, "deferred", "refused", "failed", "lost", "undone")
EVIDENCE = ("unchanged", "metadata", "pixels", "calibrated", "unknown")
PLAIN = 1.3  # brightness up to which no part of the scene is white
FAINT = 0.15
BLACK = 16
# Values that have no effect under an automatic mode: control -> its mode, and the value of that which is manual.
NEEDS = {"exposure_time_absolute": ("auto_exposure", 1), "white_balance_temperature": ("white_balance_automatic", 0)}
# Those of few values, which several transactions have in common.
MODES = ("auto_exposure", "white_balance_automatic", "focus_automatic_continuous")
BRACKET = {"exposure_time_absolute": (3.6, 9.8)}  # in ms: Photo.of_kind


def targets(target):
    return {device for device in NUMBERS if target in ("all", device.split("/")[0], device)}


class SettingsJudge:
    """Judges the reports of transactions."""

    def __init__(self, truths, cameras, settings, photos, crashes):
        self.crashes = crashes  # of the coordinator
        self.truths, self.cameras, self.settings, self.photos = truths, cameras, settings, photos
        self.problems = []  # (seed, sentence)
        self.outcomes, self.evidence = collections.Counter(), collections.Counter()
        self.intervals = collections.Counter()

    def run(self):
        for setting in self.settings:
            self.check(setting)
        return self.problems

    def say(self, setting, text):
        self.problems.append((setting.seed, f"{setting}: {text}"))

    def check(self, setting):
        for problem in setting.problems:
            self.say(setting, problem)
        if setting.longest > BOUND:
            self.say(setting, f"took {setting.longest:.1f} s, more than {BOUND:.0f} s")
        if not setting.reports and not setting.refusals:
            self.say(setting, "has no answer")
        (_, first_answered, first), *repeats = sorted(setting.reports, key=lambda report: report[1]) or [(0, 0, None)]
        for _, answered, report in repeats:
            has_restarted = any(first_answered - SLACK < killed < answered for killed in self.crashes)
            if report != first and not self.may_follow(first, report, has_restarted):
                self.say(setting, f"a repeat was answered {report}, before it was {first}")
        for _, answered, report in setting.reports:
            self.check_report(setting, answered, report, first)
        if not setting.reports and setting.refusals:
            self.check_unchanged(setting, NUMBERS, setting.last_answered, "refused as a whole")

    @staticmethod
    def may_follow(first, later, has_restarted):
        """An outcome stays the same. After a crash of the coordinator it may be said not to be known. One that was said not to be stored yet
        may become any other: of a camera that has the settings at any time, of another after a crash."""
        pairs = zip(first["cameras"], later["cameras"], strict=True)
        unstored = lambda was: UNSTORED in (was.get("problem") or {}).get("message", "")
        return all(was["device"] == now["device"] and (
            unstored(was) and (was["outcome"] == "failed" or has_restarted) or has_restarted and now["outcome"] == "lost" or
            was["outcome"] == now["outcome"] and was.get("effect") == now.get("effect")) for was, now in pairs)

    def check_report(self, setting, answered, report, first):
        if report["settingsId"] != setting.id:
            self.say(setting, f"the report is of {report['settingsId']}")
        devices = [camera["device"] for camera in report["cameras"]]
        if sorted(devices) != sorted(targets(setting.target)):
            self.say(setting, f"the report has outcomes of {devices}")
        for camera in report["cameras"]:
            outcome, device = camera["outcome"], camera["device"]
            self.outcomes[outcome] += 1
            if outcome not in OUTCOMES:
                self.say(setting, f"{device} has the outcome {outcome}")
            if outcome not in HAVING and not (camera.get("problem") or {}).get("message") and not any(
                    entry.get("refused") for entry in camera["entries"]):
                self.say(setting, f"{device} is {outcome}, and nobody says why")
            if outcome in HAVING:
                self.check_having(setting, camera, report)
                self.check_kept(setting, device, answered)
            if outcome in ("refused", "undone"):
                self.check_unchanged(setting, [device], answered, outcome)
        # What was answered for all is not undone, also if a restarted coordinator does not find out that a camera still has it.
        had = {camera["device"] for camera in first["cameras"] if camera["outcome"] in HAVING}
        having = [camera["outcome"] in HAVING or camera["outcome"] == "lost" and camera["device"] in had for camera in report["cameras"]]
        if setting.require_all and any(having) and not all(having):
            self.say(setting, f"all were required, and there are {[camera['outcome'] for camera in report['cameras']]}")

    def check_having(self, setting, camera, report):
        device, effect = camera["device"], camera["effect"]
        truth, behavior = self.truths[device], self.cameras[device]
        accepted = int(effect["acceptedRigNanoseconds"]) + int(effect["acceptedBoundNanoseconds"]) + SLACK
        wanted = {control: behavior.accepts(control, value) for control, value in setting.entries.items()}
        controls = {name: int(value) for name, value in effect["controls"].items()}
        exact = all(wanted[control] == value for control, value in setting.entries.items())
        if (camera["outcome"] == "set") != exact:
            self.say(setting, f"{device} is {camera['outcome']}, it accepts {wanted}")
        for control, value in wanted.items():
            if controls.get(control, value) != value:
                self.say(setting, f"{device} is said to have {control} {controls[control]}, the nearest it has is {value}")
            last = truth.accepted(control, accepted)
            if last not in (None, value):
                self.say(setting, f"{device} is {camera['outcome']}, and its {control} was last set to {last}, not {value}")
        changes = {}
        for entry in truth.sets:
            if entry.control in wanted and entry.at <= accepted and entry.value == wanted[entry.control] and entry.at >= setting.first_asked:
                changes[entry.control] = entry
        if report.get("timeRigNanoseconds"):
            for entry in changes.values():
                if entry.at < int(report["timeRigNanoseconds"]) - 5 * PERIOD:
                    self.say(setting, f"{device} was set {(int(report['timeRigNanoseconds']) - entry.at) / 1e6:.1f} ms before T")
        self.check_interval(setting, device, effect, wanted, changes)

    def check_kept(self, setting, device, answered):
        """Nobody has undone what was answered as set, which only another request may change."""
        others = [other for other in self.settings if other is not setting and device in targets(other.target)]
        following = min((other for other in others if other.first_asked > answered), default=None, key=lambda other: other.first_asked)
        until = following.first_asked if following else 1 << 63
        # Those at the same time, and those that may act after their answers.
        if any(other.first_asked <= answered and (other.ended > setting.first_asked or self.is_open(other, device)) for other in others):
            return
        # A picture that sets its camera may be of the next schedule: each ends with settings for all.
        seeds = {setting.seed, following.seed if following else setting.seed}
        if any(photo.seed in seeds and device in targets(photo.target) for photo in self.photos
               if photo.settings.get("bracket") or photo.settings.get("flash")):
            return
        for entry in self.truths[device].sets:
            wanted = self.cameras[device].accepts(entry.control, setting.entries.get(entry.control, entry.value))
            if answered < entry.at < until and entry.control not in MODES and entry.value != wanted:
                return self.say(setting, f"{device} was answered as set, and afterwards its {entry.control} was set to {entry.value}")

    @staticmethod
    def is_open(setting, device):
        """Whether a camera may be set after the answer."""
        return any(camera["device"] == device and camera["outcome"] in ("deferred", "lost", "failed")
                   for _, _, report in setting.reports for camera in report["cameras"])

    def check_interval(self, setting, device, effect, wanted, changes):
        evidence = effect["evidence"]
        self.evidence[evidence] += 1
        if evidence not in EVIDENCE:
            self.say(setting, f"{device} has the evidence {evidence}")
        old, new = (self.frame(setting, device, effect.get(which), which) for which in ("lastOld", "firstNew"))
        changing = {entry.control: entry.was for entry in changes.values() if entry.was != entry.value}
        if evidence == "unchanged" and changing:
            self.say(setting, f"{device} is said to have had the values before, and {changing} were other ones")
        # Shortly after another change, no frame surely has the old values.
        if evidence == "pixels" and not old or evidence in ("metadata", "pixels", "calibrated") and not new:
            self.say(setting, f"{device} has the evidence {evidence} and no interval")
        if evidence == "unknown" and new:
            self.say(setting, f"{device} has the evidence unknown, and frame {new.number} is said to have the new values")
        if old:
            for control, value in changing.items():
                mode, manual = NEEDS.get(control, (control, old.controls[control]))
                is_late = old.mid - old.exposure // 2 < changes[control].at
                if old.controls[control] != value and old.controls[mode] == manual and old.stream == changes[control].stream and not is_late:
                    self.say(setting, f"frame {old.number} of {device} surely has the old {control} {value}, it has {old.controls[control]}")
        if new:
            # A camera whose machine is late plans a frame after its time, which has what was set until then.
            later = min((entry.place for entry in self.truths[device].sets if entry.control in wanted and entry.place > max(
                [change.place for change in changes.values()] or [new.place])), default=1 << 63)
            for frame in [new, *self.truths[device].after(new)]:
                if frame.place > later:
                    break
                for control, value in wanted.items():
                    if frame.controls[control] != value:
                        return self.say(setting, f"frame {frame.number} of {device} has {control} {frame.controls[control]}, and "
                                                 f"from frame {new.number} on it surely has {value}")
        if old and new:
            self.intervals[min(new.number - old.number, 9)] += 1
            if new.number <= old.number:
                self.say(setting, f"{device} has new values from frame {new.number} on and old ones until {old.number}")

    def frame(self, setting, device, told, which):
        """The frame of the camera that a report names; None where it names none."""
        if not told:
            return None
        instant, bound = int(told["rigNanoseconds"]), int(told["boundNanoseconds"]) + SLACK
        found = self.truths[device].nearest(instant)
        if not found or abs(found.mid - instant) > bound or found.number != int(told["sequence"]):
            self.say(setting, f"{which} of {device} is frame {told['sequence']} at {instant}, the camera has exposed "
                              f"{found and (found.number, found.mid)} there")
            return None
        return found

    def check_unchanged(self, setting, devices, answered, what):
        """None of its values was set at a camera that is said not to have them."""
        asked = setting.first_asked
        for device in devices:
            truth, behavior = self.truths[device], self.cameras[device]
            for control, value in setting.entries.items():
                if control in MODES:
                    continue
                value = behavior.accepts(control, value)
                done = [entry for entry in truth.sets if entry.control == control and entry.at <= answered]
                if what == "undone" and control in NEEDS and truth.accepted(NEEDS[control][0], answered) != NEEDS[control][1]:
                    continue  # It is in an automatic mode again, in which the value has no effect.
                # What it had shortly before may be put back by somebody else.
                if not done or done[-1].value != value or done[-1].at < asked or self.is_others(setting, device, control, value, answered):
                    continue
                if value not in [entry.value for entry in done if entry.at < asked][-4:] and done[0].was != value:
                    self.say(setting, f"{device} is {what}, and its {control} was set to {value}")

    def is_others(self, setting, device, control, value, answered):
        """Whether another transaction, or a bracket, may have set this value meanwhile."""
        begin, end = setting.first_asked - LATE, answered + LATE
        for other in self.settings:
            if other is not setting and device in targets(other.target) and control in other.entries and other.first_asked < end \
                    and other.ended > begin and self.cameras[device].accepts(control, other.entries[control]) == value:
                return True
        return control == "exposure_time_absolute" and any(
            photo.settings.get("bracket") and photo.seed == setting.seed and device in targets(photo.target) for photo in self.photos)


class PictureJudge(Checker):
    """Judges captures as the bench does, and what is said of each picture against what its camera did."""

    def __init__(self, rig, orders, watch, truths, cameras, settings):
        super().__init__(rig, orders, watch)
        self.truths, self.cameras = truths, cameras
        self.settings = {setting.id: setting for setting in settings}
        self.firsts = collections.defaultdict(list)  # device -> (first new frame, setting)
        for setting in settings:
            setting.accepted = {}
            for camera in [camera for _, _, report in setting.reports[:1] for camera in report["cameras"]]:
                if camera["outcome"] in HAVING and camera["effect"].get("firstNew"):
                    frame = truths[camera["device"]].nearest(int(camera["effect"]["firstNew"]["rigNanoseconds"]))
                    setting.accepted[camera["device"]] = int(camera["effect"]["acceptedRigNanoseconds"]) + SLACK
                    if frame:
                        self.firsts[camera["device"]].append((frame, setting))
        self.stills = []  # (path, shot, device, capture, file, frame)
        self.claimed = collections.Counter()
        self.offset = time.time_ns() - time.monotonic_ns()

    def run(self):
        super().run()
        self.check_stills()
        return self.problems

    def check_file(self, path, file, manifest, capture):
        further = file["kind"].startswith("photo.")
        if further:
            # A further picture of a bracket is not of T.
            timing = capture["timing"]
            capture = {**capture, "files": []}
            if not path.is_file():
                return self.say(f"shot {manifest['id']}: {path} is not there")
            self.stored[manifest["id"], device_of(capture)].add(file["digest"])
        else:
            super().check_file(path, file, manifest, capture)
            timing = capture["timing"]
        if base(file["kind"]) == "frames" and path.is_file():
            self.check_sidecar(path, f"take {manifest['id']}: {device_of(capture)}", device_of(capture))
        if base(file["kind"]) == "pairedVideo" and path.is_file():
            self.check_clip(f"shot {manifest['id']}: the clip of {device_of(capture)}", device_of(capture), capture["clip"])
        if base(file["kind"]) != "photo" or not path.is_file():
            return None
        try:
            code = decode(str(path))
        except (Unreadable, ValueError, subprocess.CalledProcessError) as error:
            return self.say(f"shot {manifest['id']}: {path} shows no time code: {error}") if further else None
        device = device_of(capture)
        frame = self.truths[device].nearest(code["realtimeNanoseconds"] - self.offset)
        name = f"shot {manifest['id']}: {file['kind']} of {device}"
        if not frame or frame.number != code["frameNumber"] or abs(frame.mid + self.offset - code["realtimeNanoseconds"]) > PERIOD // 4:
            return self.say(f"{name} shows frame {code['frameNumber']}, which its camera has not exposed then")
        if not further:
            if timing["sequence"] != frame.number:
                self.say(f"{name} is said to be frame {timing['sequence']}, its pixels show {frame.number}")
            if abs(timing["midExposure"]["time"] - frame.mid) > self.bound_of(timing) + CLOCK_SLACK:
                self.say(f"{name} is said to be exposed {(timing['midExposure']['time'] - frame.mid) / 1e6:.3f} ms from when it was")
            if "exposureNanoseconds" in timing:
                self.check_claim(name, "exposure time in the manifest", timing["exposureNanoseconds"], frame.exposure)
            if not {"flash", "bracket"} & set(manifest["request"]["settings"]):
                self.check_revision(name, device, timing, frame)
        self.stills.append((path, name, device, frame))
        return None

    def check_claim(self, name, what, told, true):
        self.claimed[what] += 1
        if abs(told - true) > max(true / 20, 100_000):
            self.say(f"{name} has an {what} of {told / 1e6:.3f} ms, it was exposed for {true / 1e6:.3f} ms")

    def check_sidecar(self, path, name, device):
        """What the sidecar of a movie says of each frame."""
        for line in path.read_text().splitlines():
            told = json.loads(line)
            if "number" not in told:
                continue
            frame = self.truths[device].nearest(told["rigTimeNanoseconds"])
            which = f"{name}: frame {told['number']} of its sidecar"
            if not frame or frame.number != told["number"]:
                self.say(f"{which} is said to be at {told['rigTimeNanoseconds']}, its camera has exposed {frame and frame.number} there")
                continue
            if "exposureNanoseconds" in told:
                self.check_claim(which, "exposure time in a sidecar", told["exposureNanoseconds"], frame.exposure)
            if "gain" in told:
                self.claimed["gain in a sidecar"] += 1
                if told["gain"] != frame.controls["gain"]:
                    self.say(f"{which} has a gain of {told['gain']}, it was taken with {frame.controls['gain']}")
            if "settings" in told:
                state = {"state": "changing"} if told["settings"] == "changing" else {"state": "inForce", "revision": told["settings"]}
                self.check_state(which, device, state, frame, "a frame of a movie")

    def check_clip(self, name, device, clip):
        """Which settings its frames have, as the manifest says."""
        changes = clip.get("settings", [])
        for offset in clip["frameOffsets"]:
            frame = self.truths[device].nearest(clip["start"]["time"] + offset)
            told = [change for change in changes if change["startNanoseconds"] <= offset]
            if told and told[-1].get("settings"):
                self.check_state(f"{name}: its frame at {offset / 1e6:.1f} ms", device, told[-1]["settings"], frame, "a frame of a clip")

    def check_revision(self, name, device, timing, frame):
        """The settings that a manifest names are in force at its frame. What is being changed names none."""
        told = timing.get("settings")
        self.check_present(name, device, told, frame)
        if told:
            self.check_state(name, device, told, frame, "a still")

    def is_of_bracket(self, device, control, value):
        """Whether this may be a value that a bracket sets for its pictures, beside the settings in force."""
        return any(getattr(order, "request", None) and order.settings.get("bracket") and device in targets(order.target) for order in self.orders) \
            and value in [self.cameras[device].accepts(control, int(step * 10)) for step in BRACKET.get(control, ())]

    def check_state(self, name, device, told, frame, what):
        self.claimed[f"settings {told['state']} at {what}"] += 1
        if told["state"] == "changing":
            if "revision" in told:
                self.say(f"{name} has a revision, and its settings are being changed")
            return
        setting = self.settings.get(told["revision"])
        if not setting:
            return self.say(f"{name} has the settings {told['revision']}, which nobody has asked for")
        if device not in targets(setting.target):
            return self.say(f"{name} has the settings of {setting}, which are not for it")
        for control, value in setting.entries.items():
            value = self.cameras[device].accepts(control, value)
            if frame.controls[control] != value and not self.is_of_bracket(device, control, frame.controls[control]):
                self.say(f"{name} has the settings of {setting}, its frame {frame.number} was taken with {control} {frame.controls[control]}")

    def check_present(self, name, device, told, frame):
        """A manifest names the settings that surely are in force."""
        truth = self.truths[device]
        first, setting = max((found for found in self.firsts[device] if found[0].mid <= frame.mid), default=(None, None), key=lambda f: f[0].mid)
        if not first or first.stream != frame.stream or told and told.get("revision") == setting.id:
            return
        begun = setting.reports[0][0]
        if any(setting.accepted[device] < entry.at < frame.mid for entry in truth.sets):
            return
        # It names them, and need not be sure as long as an earlier change may be on its way into the pictures.
        if told and told.get("to") == setting.id and frame.mid - setting.accepted[device] <= UNDECIDED:
            return
        if any(other is not setting and device in targets(other.target) and other.ended > begun and other.first_asked < frame.mid
               for other in self.settings.values()):
            return
        self.say(f"{name} has the settings {told}, and {setting} were in force")

    def check_stills(self):
        """EXIF and brightness of all pictures."""
        if not self.stills:
            return
        tags = exif([path for path, *_ in self.stills])
        lights = collections.defaultdict(list)
        for path, name, device, frame in self.stills:
            told = tags.get(str(path), {})
            if "ExposureTime" in told:
                self.check_claim(name, "exposure time in EXIF", float(told["ExposureTime"]) * 1e9, frame.exposure)
            # White balance changes the luma too.
            if FAINT < frame.brightness < PLAIN and frame.controls["white_balance_automatic"]:
                self.claimed["brightness"] += 1
                lights[device].append((frame.brightness, light(path), name))
        for found in lights.values():
            self.check_lights(found)

    def check_lights(self, found):
        """The picture is as bright as the light that the camera collected for it."""
        scale = numpy.median([seen / brightness for brightness, seen, _ in found])
        for brightness, seen, name in found:
            if abs(seen / scale - brightness) > max(0.12 * brightness, 0.05):
                self.say(f"{name} is {seen / scale:.2f} as bright as at normal exposure, its frame was to be {brightness:.2f}")


def exif(paths):
    """The tags of files, numbers as numbers, by path."""
    command = ["exiftool", "-j", "-n", "-ExposureTime", "-ISO", "-GainControl", "-Flash", "-@", "-"]
    done = subprocess.run(command, input="\n".join(map(str, paths)).encode(), capture_output=True, check=False)
    return {entry["SourceFile"]: entry for entry in json.loads(done.stdout or b"[]")}


def light(path):
    """Mean luma of the scene above black, below the time code and over a whole period of the pattern."""
    width, height, luma = load(str(path))
    pixels = numpy.frombuffer(luma[: width * height], numpy.uint8).reshape(height, width)
    return float(pixels[96:].mean()) - BLACK
