"""What must be true of the movies of takes, and of the clips of Live Photos."""

import subprocess
import tempfile

from timecode_decode import Unreadable, decode

from movies import EXACT, Movie, lines, motion, unlike
from rig import FRAMES_PER_SECOND, NUMBERS

PERIOD = 1e9 / FRAMES_PER_SECOND
# Frames by which a movie may begin late or end early, as a camera that runs free has it, and a process that had to wait.
FREE_FRAMES = 2.5
LONGEST = 600e9  # nanoseconds that no take of a bench lasts
WHOLE = {"stopped", "durationLimit", "sizeLimit"}


class MovieChecker:
    """Judges one capture's movies for a checker, which it tells."""

    def __init__(self, checker, folder, manifest, capture, device):
        self.checker, self.folder, self.manifest, self.capture, self.device = checker, folder, manifest, capture, device
        self.files = {file["kind"]: folder / file["path"] for file in capture["files"]
                      if file["outcome"] in ("done", "late") and (folder / file["path"]).is_file()}

    def say(self, text):
        self.checker.say(f"{self.manifest['id']}: {self.device} {text}")

    def check_take(self):
        """The movie is what its sidecar, its manifest and its pixels say, from T to the stop."""
        told = self.capture.get("movie")
        suffixes = sorted({file["kind"][len(kind):] for file in self.capture["files"] for kind in ("movie", "frames")
                           if file["kind"].split(".")[0] == kind})
        if not any(kind + suffix in self.files for suffix in suffixes for kind in ("movie", "frames")):
            return
        if told is None:
            return self.say("has a movie, and nothing is told of it")
        if (told["end"] in WHOLE) == ("problem" in told):
            self.say(f"has a movie that ended by {told['end']}, its problem is {told.get('problem')}")
        parts = [self.check_file(suffix, number) for number, suffix in enumerate(suffixes, 1)]
        # Files that were lost have their reason; the others are whole by themselves.
        if not all(parts):
            return
        frames = [frame for part in parts for frame in part]
        self.check_frames(frames, told)
        self.check_span(frames, told)

    def check_file(self, suffix, number):
        """One file of the movie is what its sidecar and its pixels say; its frames."""
        if "movie" + suffix not in self.files or "frames" + suffix not in self.files:
            return None
        read = lines(self.files["frames" + suffix])
        if not read or not read[1]:
            return self.say("has a sidecar that cannot be read, or of no frame")
        head, frames = read
        start = head.get("segmentStart", -1)
        if (head.get("schemaVersion"), head.get("timeScale"), head.get("segment")) != (1, 90_000, number) or \
                (start == 0) != (number == 1):
            self.say(f"has a sidecar that begins with {head}")
        movie = Movie(self.files["movie" + suffix])
        stated = [frame["presentationTime"] / 90_000 for frame in frames]
        if difference := unlike(movie.times, stated):
            self.say(f"has a movie with other frames than its sidecar: {difference}")
        exposed = [(frame["rigTimeNanoseconds"] - self.manifest["time"]) / 1e9 for frame in frames]
        # A first frame that the node has learnt to lie before T since it chose it stands at T.
        if -self.bound_of_first(frames) / 1e9 <= exposed[0] < 0:
            exposed[0] = 0
        if difference := unlike([time + start / 90_000 for time in stated], exposed):
            self.say(f"has a sidecar whose presentation times are not those of the rig: {difference}")
        for index in (0, -1):
            self.check_pixels(movie, index, frames[index])
        if complaints := movie.complaints():
            self.say(f"has a movie that does not play: {complaints[:200]}")
        return frames

    def check_frames(self, frames, told):
        exposed = [(frame["rigTimeNanoseconds"] - self.manifest["time"]) / 1e9 for frame in frames]
        if told["frameCount"] != len(frames):
            self.say(f"has {len(frames)} frames, told are {told['frameCount']}")
        if abs(told["durationNanoseconds"] / 1e9 - exposed[-1]) > EXACT:
            self.say(f"has a movie of {exposed[-1]:.4f} s, told are {told['durationNanoseconds'] / 1e9:.4f} s")
        missing = sum(frame["droppedBefore"] for frame in frames[1:])
        gapless = all(after["number"] - before["number"] - 1 == after["droppedBefore"]
                      for before, after in zip(frames, frames[1:]))
        if missing != told["missingFrames"] or not gapless:
            self.say(f"lacks {missing} frames by its sidecar, {told['missingFrames']} are told, its numbers are "
                     f"{frames[0]['number']} to {frames[-1]['number']} of {len(frames)} frames")

    def check_span(self, frames, told):
        """No frame before T or after the stop; fewer than the others only for a reason."""
        start, stop = self.manifest["time"], self.manifest["take"].get("stopTime")
        first, last = frames[0]["rigTimeNanoseconds"], frames[-1]["rigTimeNanoseconds"]
        if first < start - PERIOD:
            self.say(f"has a frame {(start - first) / 1e6:.1f} ms before T")
        if stop is not None and last >= stop and not told.get("note"):
            self.say(f"has a frame {(last - stop) / 1e6:.1f} ms after the stop")
        # A camera that has lost its frames of T begins late, and its skew says so, by what the node knew of the clock then.
        if abs(first - start - self.capture["timing"]["skewNanoseconds"]) > self.bound_of_first(frames):
            self.say(f"begins {(first - start) / 1e6:.3f} ms after T, told are "
                     f"{self.capture['timing']['skewNanoseconds'] / 1e6:.3f} ms")
        most = (FREE_FRAMES + told["missingFrames"]) * PERIOD
        if told["end"] == "stopped" and not told.get("note") and stop is not None and stop - last > most:
            self.say(f"ends {(stop - last) / 1e6:.0f} ms before the stop, and nobody says why")

    def bound_of_first(self, frames):
        """By how much the first frame's instant and the skew that was told of it may differ."""
        return frames[0]["boundNanoseconds"] + self.checker.bound_of(self.capture["timing"])

    def check_pixels(self, movie, index, frame):
        which = "first" if index == 0 else "last"
        code = movie.time_code(index)
        if code is None:
            return self.say(f"has no time code in the {which} frame of its movie")
        if code["cameraNumber"] != NUMBERS[self.device]:
            self.say(f"has a movie whose {which} frame is of camera {code['cameraNumber']}")
        skew = self.checker.skew(code, frame["rigTimeNanoseconds"], self.manifest, self.device)
        if abs(skew) > PERIOD + frame["boundNanoseconds"]:
            self.say(f"has a movie whose {which} frame was exposed {skew / 1e6:.1f} ms from what its sidecar says")

    def check_clip(self):
        """Clip and motion photo hold the frames that the manifest tells, and are coded as was asked for."""
        clip = self.capture.get("clip")
        if not {"pairedVideo", "motionPhoto"} & set(self.files):
            return
        if clip is None:
            return self.say("has a clip, and nothing is told of it")
        offsets = [offset / 1e9 for offset in clip["frameOffsets"]]
        if "pairedVideo" in self.files:
            self.check_paired(Movie(self.files["pairedVideo"]), offsets, clip)
        if "motionPhoto" in self.files:
            self.check_motion(self.files["motionPhoto"], offsets)

    def check_paired(self, movie, offsets, clip):
        self.check_times(movie, offsets, "a clip")
        file = next(file for file in self.capture["files"] if file["kind"] == "pairedVideo")
        asked = self.manifest["request"]["settings"].get("clipCodec", "mjpeg")
        if movie.codec != asked and "shortfall" not in file:
            self.say(f"has a clip in {movie.codec}, {asked} was asked for, and nobody says why")
        still, stated = movie.still_time(), offsets[clip["stillFrame"]]
        if not movie.times or still is None or abs(still - movie.times[0] - stated) > EXACT:
            self.say(f"has its still in the clip at {still} s, told are {stated} s after the first frame")

    def check_motion(self, path, offsets):
        with tempfile.TemporaryDirectory() as folder:
            movie = motion(path, folder)
            if movie is None:
                return self.say("has a motion photo of which no movie can be cut")
            self.check_times(movie, offsets, "a motion photo")
            if movie.codec != "h264":
                self.say(f"has a motion photo in {movie.codec}")
        if "photo" not in self.files:
            return
        try:
            shown = [decode(str(image))["realtimeNanoseconds"] for image in (path, self.files["photo"])]
        except (Unreadable, OSError, ValueError, subprocess.CalledProcessError) as error:
            return self.say(f"has a motion photo that shows no time code: {error}")
        if shown[0] != shown[1]:
            self.say("has a motion photo with another picture than its photo")

    def check_times(self, movie, offsets, what):
        times = [time - movie.times[0] for time in movie.times]
        if difference := unlike(times, offsets):
            self.say(f"has {what} with other frames than is told: {difference}")
        if complaints := movie.complaints():
            self.say(f"has {what} that does not play: {complaints[:200]}")


def check_orders(say, order, manifest):
    """What a take's clients were told is in its manifest."""
    take = manifest["take"]
    marks = {mark["id"]: (mark["time"], mark["text"]) for mark in take["marks"]}
    if len(marks) != len(take["marks"]):
        say(f"take {order.id} has a mark twice")
    for identity, told in order.marks.items():
        if marks.get(identity) != told:
            say(f"take {order.id}: mark {identity} was answered as {told}, its manifest has {marks.get(identity)}")
    for instant in order.stops:
        if take.get("stopTime") != instant:
            say(f"take {order.id}: its stop was answered as {instant}, its manifest has {take.get('stopTime')}")
    for instant in [time for time, _ in marks.values()] + [take[name] for name in take if name == "stopTime"]:
        if abs(instant - manifest["time"]) > LONGEST:
            say(f"take {order.id}: an instant {(instant - manifest['time']) / 1e9:.0f} s from T is not of its time line")
