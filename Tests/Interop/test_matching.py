#!/usr/bin/env python3
"""Cameras are matched and locked, judged from stills of another scene: python test_matching.py FOLDER-OF-RELEASE-PROGRAMS [TEST]...

The cameras have hidden sensitivities, tints, tone curves, vignetting, and light that flickers. They are matched with a gray card, and judged with six
patches of other colors.
"""

import json
import pathlib
import sys
import tempfile
import time

import judge_color
from case import Case
from local_rig import LocalRig
from manifest_schema import manifest_of
from run_tests import run_tests

HIDDEN = [  # gainDecibels, red, blue, toneExponent, vignetting
    (0, 1.05, 0.97, 1.0, 0.12),  # the reference
    (2, 1.15, 0.9, 1.05, 0.15), (-2.5, 0.85, 1.12, 0.95, 0.2), (1, 1.25, 0.8, 1.04, 0.1), (-4, 0.95, 1.3, 0.96, 0.18),
    (3.5, 1.05, 0.75, 1.02, 0.05), (-1, 0.75, 1.1, 0.98, 0.14),
]
FLICKER = "flickerHertz: 100, flickerDepth: 0.06"
FALLS_BACK = "reportsAutomaticValues: false"


def virtual(gain, red, blue, tone, vignetting, further=FLICKER, controls=FALLS_BACK):
    return (f", look: {{ gainDecibels: {gain}, red: {red}, blue: {blue}, toneExponent: {tone}, vignetting: {vignetting}, "
            f"adaptationFrames: 12, {further} }}, controls: {{ {controls} }}")


COARSE = "steps: { exposure_time_absolute: 64, gain: 48 }, " + FALLS_BACK
CAMERAS = [virtual(*look) for look in HIDDEN] + [
    virtual(3, 1, 1, 1, 0.1, controls=COARSE),  # has no value near enough
    virtual(17, 1, 1, 1, 0.1),  # its target is clipped
    virtual(0, 1, 1, 1, 0.1, "flickerHertz: 0.12, flickerDepth: 0.5"),  # the light is never steady
    "", ", exposureMilliseconds: 5",  # as they are without a look
]
REFERENCE, MATCHED, COARSE, CLIPPED, UNSTEADY, PLAIN, PLAIN_DARK = "node1/cam1", [f"node1/cam{n}" for n in range(2, 8)], *[
    f"node1/cam{n}" for n in range(8, 13)]
PATCHES, CARD = (0.22, 0.27, 0.56, 0.46), (0.35, 0.35, 0.3, 0.3)
FRAMES = ("--frames", "15")


class Colors(Case):
    def settings(self, *words):
        """The report of a command about settings, and its status."""
        done = self.local.admin.run("settings", *words)
        self.assertTrue(done.stdout, done.stderr.decode())
        return json.loads(done.stdout), done.returncode

    def set(self, *entries, devices):
        report, status = self.settings("set", *entries, *[f"--device={device}" for device in devices])
        self.assertEqual(status, 0, report)
        # Longer than a real camera would be late.
        time.sleep(0.5)

    def means(self, part, devices, shots=6):
        """What the judge sees of each camera in some stills. Where a busy machine has cost a camera its frame, which the shot says, all are
        taken again."""
        stills, incomplete = {device: [] for device in devices}, []
        while len(stills[devices[0]]) < shots:
            document = self.trigger()
            shot = manifest_of(document)
            if document.status != "complete":
                incomplete.append(shot)
                self.assertLess(len(incomplete), shots, incomplete)
                continue
            folder = next(self.local.library.glob(f"[0-9]*/*/*/{shot['id']}"))
            for device in devices:
                stills[device].append(folder / device.replace("/", ".") / "photo.jpg")
        return {device: judge_color.mean(paths, part) for device, paths in stills.items()}


class Matching(Colors):
    def test_1_six_hidden_cameras_are_within_3_percent_of_the_reference_on_another_scene(self):
        every = [REFERENCE, *MATCHED, COARSE]
        self.set("whiteBalanceMode=manual", "driver.test_pattern=1", devices=every)
        before = self.means(PATCHES, every)
        for device in MATCHED:
            self.assertGreater(judge_color.deviation(before[device], before[REFERENCE]), 0.1, f"{device} was equal before")
        self.set("driver.test_pattern=0", devices=every)

        pictures = pathlib.Path(tempfile.mkdtemp(prefix="caprig-match-", dir=self.local.folder))
        devices = [f"--device={device}" for device in [REFERENCE, *MATCHED, COARSE, CLIPPED]]
        report, status = self.settings(
            "match", *devices, "--reference", REFERENCE, "--tolerance", "2%", "--pictures", pictures, *FRAMES)
        self.assertEqual(status, 3, report)
        cameras = {camera["device"]: camera for camera in report["cameras"]}
        self.assertEqual(set(cameras), {*MATCHED, COARSE, CLIPPED})
        for device in MATCHED:
            camera = cameras[device]
            self.assertEqual((camera["outcome"], camera["after"]["linearization"]), ("matched", "assumedSRGB"), camera)
            self.assertLessEqual(camera["iterations"], 5)
            self.assertGreater(max(map(abs, camera["before"]["residual"])), 0.1)
            self.assertLessEqual(max(map(abs, camera["after"]["residual"])), 0.02)
            for moment in ("before", "after"):
                picture = pictures / f"{device.replace('/', '.')}.{moment}.jpg"
                self.assertGreater(judge_color.linear_picture(picture).shape[1], 100)
        self.assertEqual((cameras[CLIPPED]["outcome"], cameras[CLIPPED]["settings"]), ("refused", []))
        self.assertIn("clipped", cameras[CLIPPED]["reason"])

        self.set("driver.test_pattern=1", devices=every)
        after = self.means(PATCHES, every)
        deviations = {device: judge_color.deviation(after[device], after[REFERENCE]) for device in every}
        print({device: round(deviation, 4) for device, deviation in deviations.items()})
        for device in MATCHED:
            self.assertLess(deviations[device], 0.03, deviations)
        # What cannot be reached is reported, and true.
        coarse = cameras[COARSE]
        self.assertEqual(coarse["outcome"], "notConverged", coarse)
        residual = max(map(abs, coarse["after"]["residual"]))
        self.assertGreater(residual, 0.03)
        self.assertIn("%", coarse["reason"])
        self.assertLess(abs(residual - deviations[COARSE]), 0.03, deviations)

    def test_2_a_card_makes_a_camera_neutral_without_a_reference(self):
        device = MATCHED[0]
        self.set("driver.test_pattern=0", "whiteBalanceMode=manual", "driver.red_balance=100", devices=[device])
        for arguments in (["--card", "grey"], ["--gray-world"]):
            report, status = self.settings("match", f"--device={device}", *arguments, *FRAMES)
            self.assertEqual(status, 0, report)
        seen = self.means(CARD, [device], shots=3)[device]
        self.assertLess(max(seen) / min(seen), 1.07, "3 % either side, and what the stills' moments do")

    def test_3_a_lock_keeps_what_automatic_modes_have_chosen_although_cameras_fall_back(self):
        devices = [MATCHED[1], MATCHED[3], COARSE, UNSTEADY]
        self.set("driver.test_pattern=0", "exposure=raw:30", devices=devices[:3])
        self.set("exposureMode=auto", "whiteBalanceMode=auto", devices=devices)
        report, status = self.settings(
            "lock", *[f"--device={device}" for device in devices], "--timeout", "9s", *FRAMES)
        self.assertEqual(status, 3, report)
        cameras = {camera["device"]: camera for camera in report["cameras"]}
        for device in devices[:2]:
            camera = cameras[device]
            self.assertEqual((camera["outcome"], camera["steady"]), ("locked", True), camera)
            self.assertGreaterEqual(camera["iterations"], 2, "it fell back, which was corrected")
            self.assertLess(max(map(abs, camera["after"]["residual"])), 0.03)
            # The automatic mode shows the card as 18 %, before its tone curve.
            self.assertAlmostEqual(camera["before"]["linear"]["green"], 0.18, delta=0.03)
        self.assertEqual(cameras[COARSE]["outcome"], "notConverged", cameras[COARSE])
        self.assertEqual((cameras[UNSTEADY]["outcome"], cameras[UNSTEADY]["settings"]), ("notSteady", []), cameras[UNSTEADY])
        self.assertIn("adjusting", cameras[UNSTEADY]["reason"])
        seen = self.means(CARD, devices[:2])
        for device in devices[:2]:
            green = cameras[device]["before"]["linear"]["green"]
            self.assertLess(abs(seen[device][1] / green - 1), 0.04, "the pictures are as they were before the lock")
        for device in devices[:3]:
            self.assertEqual(self.modes(device), {"auto_exposure": 1, "white_balance_automatic": 0})

    def test_4_cameras_without_a_look_are_locked_and_matched(self):
        before = self.means(CARD, [PLAIN, PLAIN_DARK], shots=3)
        self.assertGreater(judge_color.deviation(before[PLAIN_DARK], before[PLAIN]), 0.1, before)
        report, status = self.settings(
            "match", f"--device={PLAIN}", f"--device={PLAIN_DARK}", "--reference", PLAIN, "--tolerance", "2%", *FRAMES)
        self.assertEqual(status, 0, report)
        self.assertEqual([(camera["device"], camera["outcome"]) for camera in report["cameras"]], [(PLAIN_DARK, "matched")])
        seen = self.means(CARD, [PLAIN, PLAIN_DARK], shots=3)
        self.assertLess(judge_color.deviation(seen[PLAIN_DARK], seen[PLAIN]), 0.03, seen)

    def modes(self, device):
        controls = self.local.admin.capctl("devices", "show", device)["capabilities"]["controls"]
        names = ("auto_exposure", "white_balance_automatic")
        return {control["name"]: int(control["value"]) for control in controls if control["name"] in names}


def main(programs, names):
    Case.local = rig = LocalRig(pathlib.Path(programs).resolve(), nodes=1, rate=15, virtual=CAMERAS)
    return run_tests(rig, names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [f"__main__.{name}" for name in sys.argv[2:]]))
