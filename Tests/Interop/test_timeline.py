#!/usr/bin/env python3
"""Takes as editing programs get them: python test_timeline.py FOLDER-OF-RELEASE-PROGRAMS [TEST]...

A rig of virtual cameras records a take, and `capctl export` makes FCPXML and OpenTimelineIO of it. What both say of when each
frame is shown is compared with the movies as ffprobe reads them, and with what OpenTimelineIO's own library makes of them.
"""

import json
import pathlib
import subprocess
import sys
import time
import urllib.parse
import xml.etree.ElementTree
from fractions import Fraction

import opentimelineio as otio

from case import Case
from local_rig import LocalRig
from run_tests import run_tests

RATE = Fraction(30000, 1001)
CAMERAS = ["microphone: desk", "", "orientation: 90"]


def seconds(text):
    """A time of FCPXML: `842/90000s`."""
    assert text.endswith("s"), text
    return Fraction(text[:-1])


def probe(path, *arguments):
    command = ["ffprobe", "-v", "error", "-of", "json", *arguments, str(path)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, timeout=60).stdout)


class Movie:
    """A movie by ffprobe: exact times of its frames, and its time code."""

    def __init__(self, path):
        streams = probe(path, "-show_streams")["streams"]
        video = next(stream for stream in streams if stream["codec_type"] == "video")
        packets = probe(path, "-select_streams", "v:0", "-show_entries", "packet=pts")["packets"]
        base = Fraction(video["time_base"])
        self.first = packets[0]["pts"] * base
        # By its index; of the last packet's duration ffprobe takes off what comes before the first one.
        self.end = (video["start_pts"] + video["duration_ts"]) * base
        self.timecode = next(stream["tags"]["timecode"] for stream in streams if "timecode" in stream.get("tags", {}))
        self.has_sound = any(stream["codec_type"] == "audio" for stream in streams)

    def start(self):
        """The time of the frame that the time code names, as its rate counts."""
        return Fraction(round(otio.opentime.from_timecode(self.timecode, float(RATE)).value)) / RATE


class Timelines(Case):
    @classmethod
    def setUpClass(cls):
        cls.take = cls.record()
        cls.folder = cls.local.folder / "set"
        cls.export = cls.local.admin.capctl(
            "export", cls.take["id"], "--layout", "timeline", "--to", cls.folder, "--library", cls.local.library)
        cls.xml = xml.etree.ElementTree.parse(cls.folder / f"{cls.take['id']}.fcpxml").getroot()
        cls.otio = otio.adapters.read_from_file(str(cls.folder / f"{cls.take['id']}.otio"))
        cls.movies = {}
        for file in cls.export["files"]:
            if file["kind"] == "movie":
                cls.movies[file["device"]] = (cls.folder / file["path"], Movie(cls.folder / file["path"]))

    @classmethod
    def record(cls):
        """The manifest of a take of all cameras with two marks, a title and a note."""
        capctl = cls.local.admin.capctl
        take = capctl("record", "start", "--all")["take"]["id"]
        for number, length in enumerate([5e8, 15e8, 25e8]):
            deadline = time.monotonic() + 60
            while True:
                cameras = capctl("record", "status")["takes"][0]["cameras"]
                if sum(int(camera["durationNanoseconds"]) > length for camera in cameras) == len(CAMERAS):
                    break
                if time.monotonic() > deadline:
                    raise RuntimeError(f"recorded: {cameras}")
            if number < 2:
                capctl("record", "mark", f"<mark> & \"{number}\"")
        capctl("record", "stop", take)
        capctl("takes", "edit", take, "--title", "Sprung & \"Läufer\"", "--note", "one\ntwo <three>")
        return capctl("takes", "show", take)["take"]

    def test_fcpxml_has_every_camera_where_its_frames_were_exposed(self):
        subprocess.run(["xmllint", "--noout", self.folder / f"{self.take['id']}.fcpxml"], check=True)
        assets = {asset.get("id"): asset for asset in self.xml.iter("asset")}
        formats = {format.get("id"): format for format in self.xml.iter("format")}
        angles = list(self.xml.iter("mc-angle"))
        self.assertEqual([angle.get("name") for angle in angles], sorted(self.movies))
        for angle in angles:
            path, movie = self.movies[angle.get("name")]
            clip = angle.find("asset-clip")
            asset = assets[clip.get("ref")]
            self.assertEqual(seconds(clip.get("offset")), movie.first)
            self.assertEqual(sum(seconds(gap.get("duration")) for gap in angle.findall("gap")), movie.first)
            self.assertEqual(seconds(clip.get("duration")), movie.end - movie.first)
            self.assertEqual(seconds(asset.get("start")), movie.start())
            self.assertEqual(seconds(asset.get("duration")), movie.end)
            self.assertEqual(seconds(clip.get("start")) - seconds(asset.get("start")), movie.first)
            self.assertEqual(clip.get("tcFormat"), "DF")
            self.assertIn(";", movie.timecode)
            self.assertEqual(asset.get("hasAudio") == "1", movie.has_sound)
            self.assertEqual(seconds(formats[clip.get("format")].get("frameDuration")), 1 / RATE)
            found = self.folder / urllib.parse.unquote(asset.get("src"))
            self.assertEqual(found.resolve(), path.resolve())
        sizes = [(formats[asset.get("format")].get("width"), formats[asset.get("format")].get("height"))
                 for asset in assets.values()]
        self.assertEqual(sizes, [("640", "360"), ("640", "360"), ("360", "640")])

    def test_fcpxml_has_title_note_and_marks(self):
        clips = list(self.xml.iter("mc-clip"))
        media = self.xml.find("resources/media")
        self.assertEqual(len(clips), 2)
        for clip in clips:
            self.assertEqual(clip.get("ref"), media.get("id"))
            self.assertEqual(clip.get("name"), "Sprung & \"Läufer\"")
            self.assertEqual(clip.find("note").text, "one\ntwo <three>")
            marks = [(mark.get("value"), seconds(mark.get("start"))) for mark in clip.findall("marker")]
            self.assertEqual(marks, self.marks())
            self.assertEqual(seconds(clip.get("duration")), max(movie.end for _, movie in self.movies.values()))

    def marks(self):
        return [(mark["text"], Fraction(mark["time"] - self.take["time"], 10**9)) for mark in self.take["take"]["marks"]]

    def test_opentimelineio_reads_the_same_times(self):
        self.assertEqual(self.otio.name, "Sprung & \"Läufer\"")
        self.assertEqual(self.otio.metadata["caprig"]["note"], "one\ntwo <three>")
        tracks = list(self.otio.video_tracks())
        self.assertEqual([track.name for track in tracks], sorted(self.movies))
        self.assertEqual([track.name for track in self.otio.audio_tracks()],
                         [name for name, (_, movie) in sorted(self.movies.items()) if movie.has_sound])
        for track in [*tracks, *self.otio.audio_tracks()]:
            path, movie = self.movies[track.name]
            (clip,) = track.find_clips()
            place = clip.range_in_parent()
            self.near(place.start_time, movie.first)
            self.near(place.duration, movie.end - movie.first)
            self.near(clip.source_range.start_time - clip.available_range().start_time, movie.first)
            self.near(clip.available_range().duration, movie.end)
            self.assertEqual(clip.available_range().start_time.to_timecode(), movie.timecode)
            self.assertEqual(seconds(clip.metadata["caprig"]["firstFrame"]), movie.first)
            self.assertEqual((self.folder / clip.media_reference.target_url).resolve(), path.resolve())
        marks = [(mark.name, mark.marked_range.start_time) for mark in self.otio.tracks.markers]
        self.assertEqual([name for name, _ in marks], [name for name, _ in self.marks()])
        for (_, found), (_, expected) in zip(marks, self.marks()):
            self.near(found, expected)

    def near(self, found, expected):
        self.assertLess(abs(found.value / found.rate - float(expected)), 1e-9)

    def test_cameras_stand_where_rig_time_says(self):
        for name, (path, movie) in self.movies.items():
            lines = pathlib.Path(str(path).replace(".movie.mov", ".frames.jsonl")).read_text().splitlines()
            first = next(line for line in map(json.loads, lines) if "rigTimeNanoseconds" in line)
            elapsed = Fraction(first["rigTimeNanoseconds"] - self.take["time"], 10**9)
            # The clock is measured again between the start, which placed the movie, and its first frame.
            bound = Fraction(6, 10**6) + Fraction(first["boundNanoseconds"], 10**9)
            self.assertLess(abs(movie.first - elapsed), bound, name)


def main(programs, names):
    Case.local = rig = LocalRig(pathlib.Path(programs).resolve(), nodes=1, rate=29.97, settings=CAMERAS)
    return run_tests(rig, names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [f"__main__.{name}" for name in sys.argv[2:]]))
