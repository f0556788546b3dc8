#!/usr/bin/env python3
"""What is said of the frames at which settings came into the pictures: python test_changeover.py FOLDER-OF-RELEASE-PROGRAMS [TEST]...

Eight cameras act 0 to 6 frames late, one more or one less each time, and state nothing with their frames; what is read back is the accepted value.
Half of them see flickering light. A take records every frame. Its movies are decoded by ffmpeg, and the frame at which the brightness has changed is
compared with the reports.
"""

import collections
import concurrent.futures
import json
import math
import pathlib
import random
import shutil
import sys
import tempfile
import time

from case import Case
from judge_changeover import PERIOD, Movie
from local_rig import LocalRig
from run_tests import run_tests

RATE, WIDTH, HEIGHT = 60, 512, 184
DELAYS = [0, 1, 2, 3, 4, 5, 6, 3]
TRANSACTIONS = 100
EXPOSURES, GAINS = (25, 160), (0, 12)  # 100 µs, dB
LIGHTS = (0.25, 3.2)  # of the normal exposure; more is clipped
LATEST = 14  # frames after the acceptance until all cameras have acted
LONGEST = 40  # frames after the acceptance
TRUTHS = pathlib.Path(tempfile.mkdtemp(prefix="caprig-changeover-"))


def virtual(number, delay):
    # A delay of 0 cannot be one frame shorter.
    controls = f"delayFrames: {max(delay - 1, 0)}, delayJitterFrames: {2 if delay else 1}, reportsFrameValues: false"
    look = "vignetting: 0.15" + (", flickerHertz: 100, flickerDepth: 0.01" if number % 2 == 0 else "")
    return (f", model: Late camera {number}, seed: {40 + number}, truth: {TRUTHS}/cam{number}, look: {{ {look} }}, "
            f"controls: {{ {controls} }}")


class Steps:
    """Random steps of one control, of 1 % to fourfold."""

    def __init__(self, seed):
        self.dice, self.exposure, self.gain = random.Random(seed), 80, 0

    def next(self):
        """The entry, and the ratio of the light."""
        while True:
            if self.dice.random() < 0.25:
                gain = self.gain + self.dice.choice((-1, 1)) * self.dice.randint(1, 12)
                exposure = self.exposure
            else:
                size = math.exp(self.dice.choice((-1, 1)) * math.exp(self.dice.uniform(math.log(math.log(1.01)), math.log(math.log(4)))))
                gain, exposure = self.gain, round(self.exposure * size)
            ratio = exposure / self.exposure * 10 ** ((gain - self.gain) / 20)
            light = exposure / 80 * 10 ** (gain / 20)
            if not (EXPOSURES[0] <= exposure <= EXPOSURES[1] and GAINS[0] <= gain <= GAINS[1] and LIGHTS[0] <= light <= LIGHTS[1]):
                continue
            if 0.009 < abs(math.log(ratio)) < math.log(4.05):
                entry = f"gain=raw:{gain}" if gain != self.gain else f"exposure=raw:{exposure}"
                self.exposure, self.gain = exposure, gain
                return entry, ratio


class Truth:
    """What a camera says that it did: the frames at which the values in force changed."""

    def __init__(self, path):
        self.frames, streams = {}, 0
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            streams += "open" in entry
            if "frame" in entry:
                controls = entry["controls"]
                self.frames[entry["frame"]] = (controls["exposure_time_absolute"], controls["gain"])
        if streams != 1:
            raise ValueError(f"the camera of {path} has had {streams} streams")

    def changes(self, numbers):
        return [n for n in numbers if n in self.frames and n - 1 in self.frames and self.frames[n] != self.frames[n - 1]]


class Changeover(Case):
    def settings(self, *words):
        done = self.local.admin.run("settings", *words)
        self.assertEqual(done.returncode, 0, done.stderr.decode() + done.stdout.decode())
        return json.loads(done.stdout)

    def set(self, *entries):
        report = self.settings("set", *entries, "--all")
        # After a change that was not seen, none is for 60 frames; after others, pictures of the value before are needed.
        unseen = any(camera.get("effect", {}).get("evidence") == "unknown" for camera in report["cameras"])
        time.sleep(1 if unseen else 0.15)
        return report

    def record(self, body):
        """Records a take while something is done; its movies by device."""
        started = self.local.admin.run("record", "start", "--all")
        self.assertEqual(started.returncode, 0, started.stdout.decode() + started.stderr.decode())
        body()
        answer = self.local.admin.capctl("record", "stop")
        folder = pathlib.Path(answer["folder"])
        paths = {device: next((folder / device.replace("/", ".")).glob("movie*.mov")) for device in self.local.numbers}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            movies = pool.map(lambda path: Movie(path, WIDTH, HEIGHT), paths.values())
            found = dict(zip(paths, movies))
        for device, movie in found.items():
            self.assertEqual(movie.cameras, {self.local.numbers[device]})
        return found

    def test_1_every_interval_has_the_true_frame_and_most_are_one_frame_long(self):
        steps, made = Steps(25), []

        def body():
            for _ in range(TRANSACTIONS):
                entry, ratio = steps.next()
                made.append((entry, ratio, self.set(entry)))

        movies = self.record(body)
        truths = {device: Truth(TRUTHS / device.split("/")[1]) for device in movies}
        counts, evidence, problems, lengths = collections.Counter(), collections.Counter(), [], collections.Counter()
        for entry, ratio, report in made:
            for camera in report["cameras"]:
                device = camera["device"]
                what = f"{device}, {entry}, {ratio:.3f}"
                effect = camera.get("effect")
                if not effect:
                    problems.append(f"{what}: {camera}")
                    continue
                evidence[effect["evidence"]] += 1
                found = self.judge(effect, ratio, movies[device], truths[device], what, problems)
                counts[found] += 1
                old, new = (int(effect[key]["sequence"]) if key in effect else None for key in ("lastOld", "firstNew"))
                if abs(math.log(ratio)) > math.log(1.1):
                    lengths["above 10 %"] += 1
                    lengths["one frame"] += old is not None and new == old + 1
        print(dict(counts), dict(evidence), dict(lengths))
        self.assertEqual(problems, [])
        self.assertEqual(counts.total(), TRANSACTIONS * len(DELAYS))
        self.assertGreaterEqual(counts["contained"], 0.95 * counts.total())
        self.assertGreaterEqual(lengths["one frame"], 0.9 * lengths["above 10 %"])

    def test_2_calibrated_cameras_act_within_one_frame_of_T(self):
        self.set("exposure=raw:80")
        self.set("gain=raw:2")
        before = self.values()
        report = self.settings("calibrate", "--all")
        self.assertEqual(self.values(), before, "the values are put back")
        for camera, delay in zip(report["cameras"], DELAYS):
            for control in camera["controls"]:
                # Frames that are planned, or may have begun, before the acceptance.
                self.assertLessEqual(control["fewest"], delay + 1, camera)
                self.assertGreaterEqual(control["most"], delay, camera)
                self.assertLessEqual(control["most"] - control["fewest"], 7, camera)
            self.assertTrue(pathlib.Path(camera["file"]).is_file(), camera)
        dice, made, gain = random.Random(7), [], 2

        def body():
            nonlocal gain
            for number in range(25):
                # Pictures do not show two controls, so that the measured delay is the evidence.
                gain = dice.choice([g for g in range(0, 7) if g != gain])
                entries = [f"gain=raw:{gain}", f"exposure=raw:{60 if number % 2 else 100}"] if number % 5 == 4 else [f"gain=raw:{gain}"]
                made.append(self.set(*entries))

        movies = self.record(body)
        truths = {device: Truth(TRUTHS / device.split("/")[1]) for device in movies}
        problems, early, evidence = [], collections.Counter(), collections.Counter()
        for report in made:
            for camera in report["cameras"]:
                device, effect = camera["device"], camera["effect"]
                truth, old, new = truths[device], effect.get("lastOld"), effect.get("firstNew")
                evidence[effect["evidence"]] += 1
                accepted, mark = int(effect["acceptedRigNanoseconds"]), new or old
                at = int(mark["sequence"]) + round((accepted - int(mark["rigNanoseconds"])) * RATE / 1e9)
                changes = truth.changes(range(at - 2, at + LATEST))
                if not changes or old and int(old["sequence"]) >= changes[0] or new and int(new["sequence"]) < changes[-1]:
                    problems.append(f"{device}: {effect}, its camera has changed at {changes}")
                    continue
                time_of_frame = int(mark["rigNanoseconds"]) + (changes[-1] - int(mark["sequence"])) * 1e9 / RATE
                # The frame nearest to T, and the one at which the values are in force.
                distance = round((time_of_frame - int(report["timeRigNanoseconds"])) * RATE / 1e9)
                early[distance] += 1
        print(dict(sorted(early.items())), dict(evidence))
        self.assertEqual(problems, [])
        self.assertGreater(evidence["calibrated"], 0)
        self.assertGreaterEqual(early[-1] + early[0] + early[1], 0.95 * early.total())

    def values(self):
        """The controls of every camera, read back."""
        found = {}
        for device in self.local.numbers:
            shown = self.local.admin.capctl("devices", "show", device)["capabilities"]["controls"]
            found[device] = {control["name"]: control.get("value") for control in shown if control["name"] in ("gain", "exposure_time_absolute")}
        return found

    def judge(self, effect, ratio, movie, truth, what, problems):
        """Whether an interval contains the frame at which the pixels have changed."""
        accepted, mark = int(effect["acceptedRigNanoseconds"]), effect.get("lastOld") or effect.get("firstNew")
        if mark is None:
            movie.quiet = None
            return "nothing said"
        # The frame that was exposed when the camera accepted the value.
        at = int(mark["sequence"]) + round((accepted - int(mark["rigNanoseconds"])) * RATE / 1e9)
        window = range(at - 2, at + LONGEST)
        stated = next(iter(truth.changes(window)), None)
        # Frames after the change before.
        noise = movie.noise(range(max(at - 14, movie.quiet), at - 2)) if movie.quiet is not None else None
        seen = movie.first_change(window, 1.5 * noise + 0.05) if noise is not None else None
        movie.quiet = None
        if stated is None or seen not in (stated, None):
            problems.append(f"{what}: its pixels have changed at {seen}, its camera says {stated}")
            return "missed"
        old, new = (int(effect[key]["sequence"]) if key in effect else None for key in ("lastOld", "firstNew"))
        if old is not None and not old < stated or new is not None and not stated <= new:
            problems.append(f"{what}: is said to change after {old} until {new}, it has at {stated}")
            return "missed"
        movie.quiet = stated + PERIOD
        # Lost frames, and changes within the flicker, are not seen.
        return "contained" if seen else "contained, unseen"


def main(programs, names):
    Case.local = rig = LocalRig(
        pathlib.Path(programs).resolve(), nodes=1, rate=RATE, size=(WIDTH, HEIGHT), spool="4 GiB",
        virtual=[virtual(number, delay) for number, delay in enumerate(DELAYS, 1)])
    try:
        return run_tests(rig, names)
    finally:
        shutil.rmtree(TRUTHS, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [f"__main__.{name}" for name in sys.argv[2:]]))
