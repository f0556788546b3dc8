#!/usr/bin/env python3
"""What a change needs of programs in other languages, and of the page: python test_quick.py FOLDER-OF-PROGRAMS [TEST]...

A Python client and Chromium use one small rig with a gateway. No verdict depends on how quick the machine is: cameras are real-time, so a
shot may lack pictures on a busy machine. It has to say which and why, and a further one is taken until one is complete. test_interop.py,
test_keys.py and test_web.py are stricter.
"""

import hashlib
import pathlib
import re
import subprocess
import sys
import time

import zmq

import test_web
import timecode_decode
from admin import PATIENCE, repeated
from caprig_client import Keys, NoAnswer, Refused, Rig, all_cameras, changed, trigger_request
from case import Case
from manifest_schema import manifest_of

STORED = ("done", "late")
SETTLED = ("complete", "partial", "failed")
SIZE = (320, 184)


class QuickRig(test_web.WebRig):
    """Two nodes with a camera each, few frames and small pictures, and programs that have time."""

    def __init__(self, programs):
        super().__init__(programs, nodes=2, cameras=1, rate=5, size=SIZE)

    def client(self):
        return self.admin.client(PATIENCE)

    def await_readiness(self, seconds=PATIENCE):
        super().await_readiness(seconds)

    def run(self, name, *arguments):
        return repeated(lambda: super(QuickRig, self).run(name, *arguments))

    def capctl(self, *arguments, of=None):
        """Of the administrator; nobody else is needed."""
        return self.admin.document(arguments, repeated(lambda: self.admin.run(*arguments)))

    def stop(self, seconds=PATIENCE):
        return super().stop(seconds)


class Quick(Case):
    """Shots on a machine that may be busy."""

    def member(self, name, role):
        """The keys of somebody who joins by code; an attempt that is not answered in time is made again."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self.local.admin.member(name, role)
            except NoAnswer:
                if time.monotonic() > deadline:
                    raise

    def settled(self, document):
        """An answer about a shot, when every file of it has its outcome."""
        deadline = time.monotonic() + PATIENCE
        while document.status not in SETTLED:
            self.assertLess(time.monotonic(), deadline, "the shot does not settle")
            time.sleep(0.2)
            document = self.rig.shot(document.shot_id)
        return document

    def complete(self, on_progress=None):
        """A request whose shot is complete, and the answer; each shot on the way is truthful."""
        deadline = time.monotonic() + PATIENCE
        while True:
            request = trigger_request(all_cameras(nodes=self.local.nodes), timeout_ns=60 * 10**9)
            document = self.settled(self.rig.trigger(request, on_progress))
            self.assertEqual(document.shot_id, request.shot_id)
            self.assert_truthful(document)
            if document.status == "complete":
                return request, document
            self.assertLess(time.monotonic(), deadline, document.manifest.content.decode())

    def assert_truthful(self, document):
        """What is stored has the bytes that the manifest tells, what is not has a reason, and no camera is left out."""
        manifest, whole = manifest_of(document), []
        self.assertEqual({capture["device"]["id"] for capture in manifest["captures"]}, set(self.local.numbers))
        for capture in manifest["captures"]:
            for file in capture["files"]:
                whole.append(file["outcome"] in STORED)
                if whole[-1]:
                    data = pathlib.Path(document.library, document.folder, file["path"]).read_bytes()
                    self.assertEqual((len(data), hashlib.sha256(data).hexdigest()), (file["byteCount"], file["digest"]))
                    self.assertEqual((data[:2], data[-2:]), (b"\xff\xd8", b"\xff\xd9"))
                else:
                    self.assertIn(file["outcome"], ("missed", "failed"))
                    self.assertTrue((file.get("problem") or capture.get("problem") or {}).get("message"), capture)
        self.assertEqual(manifest["status"], "complete" if all(whole) else "partial" if any(whole) else "failed")


class Client(Quick):
    """A client written from proto/ and docs/protocol/."""

    def test_every_camera_is_listed_with_what_the_configuration_says(self):
        devices = {f"{d.device.id.node}/{d.device.id.device}": d for d in self.rig.devices()}
        for name in self.local.numbers:
            described, condition = devices[name].device, devices[name].condition
            self.assertEqual((described.media_type, described.type, described.driver), ("video", "wide", "virtual"))
            self.assertEqual((list(described.labels), described.position), (["test"], "left"))
            self.assertEqual((condition.format.width, condition.format.height), SIZE)

    def test_a_shot_is_answered_when_every_picture_is_durable_and_the_manifest_is_the_file(self):
        seen = []
        _, document = self.complete(seen.append)
        told = [progress for progress in seen if progress.shot_id == document.shot_id]
        self.assertTrue(told, "no progress was told")
        self.assertEqual({progress.captures.expected for progress in told}, {len(self.local.numbers)})
        stored = pathlib.Path(document.library, document.folder, "shot.json").read_bytes()
        self.assertEqual(self.rig.manifest(document), stored)
        self.assertEqual(self.rig.manifest(self.rig.shot(document.shot_id)), stored)
        self.assertEqual({file.finding for file in self.rig.verify(document.shot_id)}, {"ok"})

    def test_the_skew_in_the_manifest_is_what_the_pixels_say(self):
        _, document = self.complete()
        manifest = manifest_of(document)
        pair = manifest["wallClock"]
        realtime_of_t = pair["realtimeNanoseconds"] + manifest["time"] - pair["monotonic"]
        for capture in manifest["captures"]:
            name, timing = capture["device"]["id"], capture["timing"]
            code = timecode_decode.decode(str(pathlib.Path(document.library, document.folder, capture["files"][0]["path"])))
            error = code["realtimeNanoseconds"] - realtime_of_t - timing["skewNanoseconds"]
            self.assertLessEqual(abs(error), timing["midExposure"]["boundNanoseconds"], name)
            self.assertEqual(code["cameraNumber"], self.local.numbers[name], name)

    def test_the_same_request_again_gets_the_same_shot(self):
        request, first = self.complete()
        self.assertEqual(manifest_of(self.rig.trigger(request)), manifest_of(first))
        self.assertEqual([shot.shot_id for shot in self.rig.shots()].count(request.shot_id), 1)
        with self.assertRaises(Refused) as refused:
            self.rig.trigger(changed(request, requireAll=True))
        self.assertEqual(refused.exception.code, "conflict")

    def test_the_feed_tells_of_a_shot_in_order_and_continues_without_a_gap(self):
        events = []
        with self.rig.feed() as feed:
            for _ in range(2):
                shot = self.complete()[1].shot_id
                # Nodes tell on their own that they are done.
                while (names := self.names(events, shot)).count("capture.didFinishCapture") < len(self.local.numbers) \
                        or "shot.settled" not in names:
                    events.append(feed.next(PATIENCE))
            self.assertEqual(feed.lost, 0)
        self.assertEqual([event.sequence for event in events], list(range(1, len(events) + 1)))
        self.assertEqual(len({event.coordinator_epoch for event in events}), 1)
        self.assertEqual(names[0], "shot.accepted")
        self.assertEqual((names.count("shot.settled"), names.count("capture.willBeginCapture")), (1, len(self.local.numbers)), names)

    @staticmethod
    def names(events, shot):
        return [event.event.name for event in events if event.event.shot_id == shot]

    def test_a_code_admits_a_key_with_its_role_and_a_key_without_one_gets_no_answer(self):
        keys = self.member("anna", "viewer")
        with Rig(self.local.endpoints["client"], PATIENCE, keys=keys) as anna:
            self.assertEqual({node.node for node in anna.status().nodes}, set(self.local.nodes))
            with self.assertRaises(Refused) as refused:
                anna.trigger(trigger_request(all_cameras()))
            self.assertEqual(refused.exception.code, "notPermitted")
        with Rig(self.local.endpoints["client"], 2, keys=Keys(*zmq.curve_keypair(), keys.server)) as stranger:
            with self.assertRaises(NoAnswer):
                stranger.status()


class Page(test_web.Page):
    """A person with Chromium."""

    def test_a_shot_is_triggered_on_the_page_and_its_result_shown(self):
        self.page.set_default_timeout(PATIENCE * 1000)
        self.expect.set_options(timeout=PATIENCE * 1000)
        self.sign_in("view", "read", "trigger")
        self.drawn(PATIENCE)
        deadline = time.monotonic() + PATIENCE
        progress, outcome, last = self.own_shots.first, None, ""
        while outcome != "complete":
            self.assertLess(time.monotonic(), deadline, f"no shot is complete, the last one is {outcome}")
            self.page.get_by_role("button", name="Trigger", exact=True).click()
            link = progress.locator("a")
            self.expect(link).not_to_have_attribute("href", last)
            last = link.get_attribute("href")
            badge = progress.locator(".badge")
            self.expect(badge).to_have_text(re.compile("(complete|partial|failed)$", re.I))
            outcome = re.search("[a-z]+$", badge.inner_text().lower())[0]
        link.click()
        cards = self.page.locator(".card.capture")
        self.expect(cards).to_have_count(len(self.local.numbers))
        for camera in self.local.numbers:
            self.expect(cards.filter(has_text=camera).locator("img")).to_be_visible()
        self.view("Library")
        self.expect(self.page.locator("caprig-library li.card").first).to_be_visible()
        self.page.get_by_role("checkbox", name=re.compile("^Select ")).first.check()
        self.expect(self.page.locator("caprig-library .export").get_by_text("1 shot selected.")).to_be_visible()
        self.view("Nodes")
        self.expect(self.page.locator("caprig-nodes h3")).to_have_text(["Coordinator", *self.local.nodes])
        self.view("Events")
        self.expect(self.page.locator("caprig-events").get_by_text("shot.settled").first).to_be_visible()
        self.view("Keys")
        self.expect(self.page.get_by_role("list", name="Sessions").get_by_text("this session")).to_be_visible()
        self.view("Live")
        self.open_panel("Settings")
        self.expect(self.page.locator("caprig-camera-settings").get_by_role("slider", name="Gain")).to_be_disabled()
        self.assertEqual(self.problems, [])


def main(programs, names):
    rig = QuickRig(pathlib.Path(programs).resolve())
    return test_web.run_in_chromium(rig, names, Page, timeout=PATIENCE * 1000)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
