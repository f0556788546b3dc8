"""What movies hold, as ffprobe, ffmpeg, exiftool and djpeg tell."""

import json
import pathlib
import subprocess

from files import sha256
from timecode_decode import Unreadable, decode_bytes

EXACT = 1e-4  # seconds by which a time may differ from what is said of it


class Movie:
    """The picture track of a file."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        probed = json.loads(tool("ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
                                 "stream=codec_name:packet=pts_time,pos,size", "-of", "json", path)[0] or "{}")
        self.packets = probed.get("packets", [])
        self.codec = next((stream["codec_name"] for stream in probed.get("streams", [])), None)
        self.times = [float(packet["pts_time"]) for packet in self.packets]

    def complaints(self):
        """What is said of it when it is played to its end; empty of a sound movie."""
        # In the movie's own times: by its frame rate, two frames may round to one.
        return tool("ffmpeg", "-nostdin", "-v", "error", "-threads", "1", "-i", self.path, "-map", "0:v", "-map", "0:a?",
                    "-fps_mode", "passthrough", "-enc_time_base", "-1", "-f", "null", "-")[1].strip()

    def picture(self, index):
        """The bytes of a picture that is a JPEG."""
        packet = self.packets[index]
        with open(self.path, "rb") as file:
            file.seek(int(packet["pos"]))
            return file.read(int(packet["size"]))

    def time_code(self, index):
        """What the pixels of a picture say; None where they say nothing."""
        try:
            return decode_bytes(self.picture(index))
        except (Unreadable, ValueError, IndexError, subprocess.CalledProcessError):
            return None

    def still_time(self):
        """When a Live Photo's movie has its still, seconds; None where it does not say."""
        output = tool("ffprobe", "-v", "error", "-select_streams", "d", "-show_entries", "stream=codec_tag_string,start_time",
                      "-of", "json", self.path)[0]
        return next((float(stream["start_time"]) for stream in json.loads(output or "{}").get("streams", [])
                     if stream.get("codec_tag_string") == "mebx"), None)


def unlike(times, expected):
    """How two lists of instants differ, in words; None where they do not."""
    if len(times) != len(expected):
        return f"{len(times)} frames, not {len(expected)}"
    worst = max((abs(a - b) for a, b in zip(times, expected)), default=0)
    return f"frame times that are up to {worst * 1e3:.3f} ms off" if worst > EXACT else None


def lines(path):
    """What a sidecar says of its file, and of each frame; None where it cannot be read."""
    try:
        head, *rest = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    except ValueError:
        return None
    return head, [line for line in rest if "rigTimeNanoseconds" in line]


def motion(path, folder):
    """The movie within a motion photo, as a file in `folder`; None where there is none."""
    told = tool("exiftool", "-a", "-s3", "-DirectoryItemLength", path)[0].split()
    length = int(told[-1]) if told and told[-1].isdigit() else 0
    data = pathlib.Path(path).read_bytes()
    movie = data[len(data) - length:]
    if not length or data[len(data) - length - 2:len(data) - length] != b"\xff\xd9" or movie[4:8] != b"ftyp":
        return None
    out = pathlib.Path(folder) / "motion.mp4"
    out.write_bytes(movie)
    return Movie(out)


def tool(*command, told={}):
    """Output and complaints of a program about the files it is given. Asked again about the same bytes, it is not run again."""
    key = tuple(sha256(part) if pathlib.Path(part).is_file() else part for part in command)
    if key not in told:
        told[key] = run(command)
    return told[key]


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, check=False, timeout=120)
    return done.stdout.decode(), done.stderr.decode()
