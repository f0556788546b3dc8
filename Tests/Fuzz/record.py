#!/usr/bin/env python3
"""Records the seeds of the fuzzers' corpora from a rig that runs: python record.py FOLDER-OF-RELEASE-PROGRAMS

A proxy stands between one agent and the coordinator, so that what both say is written down; what lies on their disks
is copied. Findings (`found-*`) stay as they are.
"""

import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

import zmq

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Interop"))

from caprig_client import (  # noqa: E402
    Keys, all_cameras, client, clock, collect, common, connect, control, new_shot_id, trigger_request,
)
from frames_channel import place as frames_place  # noqa: E402
from local_rig import LocalRig  # noqa: E402

CORPUS = HERE / "Corpus"
SIZE = 144, 88  # small pictures make small seeds; a time code needs as much


def keep(target, name, data):
    """Writes a seed; the first of a name stays."""
    path = CORPUS / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_bytes(data)


class Proxy(threading.Thread):
    """Hands messages from agents to one channel of the coordinator and back; `see` may change or drop them. To either it is the
    other, since it has the keys of both."""

    def __init__(self, target, see, coordinator, node):
        super().__init__(daemon=True)
        self.see, self.agent = see, None
        self.front, self.back = zmq.Context.instance().socket(zmq.ROUTER), connect(zmq.DEALER, target, -1, node)
        self.front.linger, self.front.curve_server, self.front.curve_secretkey = 0, True, coordinator.secret
        self.port = self.front.bind_to_random_port("tcp://127.0.0.1")
        self.start()

    def run(self):
        poller = zmq.Poller()
        poller.register(self.front, zmq.POLLIN)
        poller.register(self.back, zmq.POLLIN)
        while True:
            for socket, _ in poller.poll():
                parts = socket.recv_multipart()
                if socket is self.front:
                    self.agent, *parts = parts
                parts = self.see(parts, socket is self.front)
                if parts and socket is self.front:
                    self.back.send_multipart(parts)
                elif parts:
                    self.front.send_multipart([self.agent, *parts])


class Tap:
    """A client's socket whose messages are kept."""

    def __init__(self, socket):
        self.socket, self.kind = socket, ""

    def send(self, data):
        self.kind = client.ClientRequest.FromString(data).WhichOneof("body")
        keep("client-request", self.kind, data)
        self.socket.send(data)

    def recv(self):
        data = self.socket.recv()
        keep("client-reply", client.ClientReply.FromString(data).WhichOneof("body"), data)
        return data

    def __getattr__(self, name):
        return getattr(self.socket, name)


class RecordedRig(LocalRig):
    """A rig of one node whose agent finds the coordinator behind proxies."""

    def control_endpoint(self, node):
        self.others = {}
        self.control = self.proxy(self.endpoints["control"], self.see_control)
        return f"tcp://127.0.0.1:{self.control.port}"

    def proxy(self, target, see):
        coordinator = Keys.read(self.library / ".caprig" / "keys" / "coordinator.key_secret", self.admin.server)
        return Proxy(target, see, coordinator, self.node_keys(self.nodes[0]))

    def see_control(self, parts, from_agent):
        if from_agent:
            message = control.AgentMessage.FromString(parts[0])
            keep("agent-message", message.WhichOneof("body"), parts[0])
            return parts
        message = control.CoordinatorMessage.FromString(parts[0])
        if message.WhichOneof("body") == "welcome":
            for name, see in (("clock_port", self.see_clock), ("collect_port", self.see_collect)):
                port = getattr(message.welcome, name)
                if port not in self.others:
                    self.others[port] = self.proxy(f"tcp://127.0.0.1:{port}", see)
                setattr(message.welcome, name, self.others[port].port)
        keep("coordinator-message", message.WhichOneof("body"), parts[0])
        return [message.SerializeToString()]

    def see_clock(self, parts, from_agent):
        keep("clock", "probe" if from_agent else "reply", parts[0])
        return parts

    def see_collect(self, parts, from_agent):
        kind = collect.CollectFromAgent if from_agent else collect.CollectFromCoordinator
        body = kind.FromString(parts[0]).WhichOneof("body")
        keep("collect", f"{'agent' if from_agent else 'coordinator'}-{body}", parts[0])
        # A file that is not let go of stays in the spool, where it is copied.
        return None if body == "durable" else parts


def record(programs):
    rig = RecordedRig(programs, nodes=1, cameras=1, size=SIZE)
    try:
        with rig.client() as asking:
            asking.socket = Tap(asking.socket)
            record_requests(asking)
            record_feed(rig, asking)
            picture = record_frames(rig, asking)
        record_files(rig)
        record_pictures(picture)
    finally:
        rig.stop()


def record_requests(asking):
    device = asking.devices()[0].device.id
    while asking.status().nodes[0].ring_depth_ns < 500_000_000:
        time.sleep(0.1)
    asking.trigger(trigger_request(all_cameras(), relative_ns=-300_000_000))
    selection = {"choice": {"first": {"_0": [{"type": "wide"}], "per": "node"}}}
    taken = asking.trigger(trigger_request(selection, settings={"previewSize": 64, "quality": 80}))
    asking.shot(taken.shot_id)
    asking.shots(limit=2)
    asking.verify(taken.shot_id)
    asking.replay()
    asking.ask(device_request=client.ClientRequest().device_request.__class__(device=device, describe={}))
    try:
        asking.shot(new_shot_id())
    except Exception as error:
        print(f"recorded: {error}")
    asking.forget([common.DeviceId(node="nobody", device="cam1")])


def record_feed(rig, asking):
    socket = connect(zmq.SUB, rig.endpoints["feed"], 1 << 17, asking.keys)
    socket.subscribe(b"")
    for _ in range(2):
        asking.trigger(trigger_request(all_cameras()))
    for _ in range(20):
        data = socket.recv()
        keep("feed", data.partition(b"\0")[0].decode().replace("/", "-"), data)
    socket.close()


def record_frames(rig, asking):
    """Returns a whole message's payload."""
    picture = b""
    place = frames_place(asking, "node1")
    for kind in ("full", "quarter"):
        socket = connect(zmq.SUB, place.endpoint, 1 << 25, place.keys)
        socket.subscribe(f"node1/cam1/{kind}\0".encode())
        data = socket.recv()
        keep("frame", kind, data)
        picture = picture or data[data.index(b"\xff\xd8") :]
        socket.close()
    return picture


def record_files(rig):
    copies = {
        "capture-manifest": "*.spool/captures/*.capture.json", "event-journal": "*.spool/events/*.events",
        "shot-manifest": "library/20*/*/*/*/shot.json", "roster": "**/roster.json", "agent-configuration": "*.yaml",
    }
    for target, pattern in copies.items():
        found = sorted(rig.folder.glob(pattern))
        if not found:
            raise RuntimeError(f"no file {pattern}")
        for number, path in enumerate(found[-2:], 1):
            keep(target, f"real-{number}", path.read_bytes())
    photo = sorted(rig.library.glob("20*/*/*/*/*/photo.jpg"))[0].read_bytes()
    keep("jpeg", "still", photo)
    keep("jpeg-pixels", "still", photo)
    for path in sorted((HERE.parent.parent / "deploy" / "examples").glob("*.yaml")):
        keep("coordinator-configuration" if "coord" in path.name else "agent-configuration", path.stem, path.read_bytes())


def bombs(progressive):
    """Few bytes that claim more pixels, or more scans, than are decoded."""
    def claiming(side):
        frame = progressive.index(b"\xff\xc2")
        return progressive[:frame + 5] + 2 * side.to_bytes(2, "big") + progressive[frame + 9:]

    scan, end = progressive.index(b"\xff\xda"), progressive.rindex(b"\xff\xd9")
    return {
        "bomb": claiming(65535), "bomb-progressive": claiming(256),
        "bomb-scans": progressive[:end] + progressive[scan:scan + 14] * 100 + progressive[end:],
    }


def record_pictures(picture):
    """The camera's own picture, and the same rearranged as other cameras send it."""
    def changed(*arguments):
        return subprocess.run(["jpegtran", *arguments], input=picture, check=True, capture_output=True).stdout

    forms = {
        "camera": picture, "padded": picture + bytes(64), "bare": without_huffman_tables(picture),
        "progressive": changed("-progressive"), "gray": changed("-grayscale"), "restarts": changed("-restart", "1"),
        "arithmetic": changed("-arithmetic"),
    }
    for name, data in forms.items():
        keep("jpeg", name, data)
        keep("jpeg-pixels", name, data)
    for name, data in bombs(forms["progressive"]).items():
        keep("jpeg-pixels", name, data)
    keep("recording", "two", picture + bytes(5) + forms["restarts"])
    keep("recording", "torn", picture + picture[:300])
    gray = subprocess.run(["djpeg", "-grayscale", "-pnm"], input=picture, check=True, capture_output=True).stdout
    keep("time-code", "pgm", gray)


def record_movies():
    """Small movies of the layouts that FFmpeg knows."""
    layouts = {
        "plain.mov": [], "index-first.mov": ["-movflags", "faststart"], "plain.mp4": ["-c:v", "libx264", "-c:a", "aac"],
        "fragmented.mov": ["-movflags", "frag_keyframe+empty_moov+default_base_moof"],
        "texts.mov": ["-movflags", "use_metadata_tags", "-metadata", "com.apple.quicktime.content.identifier=A"],
        "time-code.mov": ["-timecode", "01:02:03:04"],
    }
    for name, options in layouts.items():
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            sources = ["-f", "lavfi", "-i", "testsrc=size=16x16:rate=30", "-f", "lavfi", "-i", "sine=sample_rate=8000"]
            coded = ["-t", "0.1", "-c:v", "mjpeg", "-c:a", "pcm_s16le", *options]
            subprocess.run(["ffmpeg", "-v", "error", *sources, *coded, str(path)], check=True)
            keep("movie", name.replace(".", "-"), path.read_bytes())


def record_crashes():
    """Recordings as a crash leaves them: in fragments, with a time code, whole and cut off; and one that was whole."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "recording.mov")
        for name, codec in (("mjpeg", ["mjpeg"]), ("h264", ["libx264", "-g", "3"])):
            sources = ["-f", "lavfi", "-i", "testsrc=size=16x16:rate=30", "-f", "lavfi", "-i", "sine=sample_rate=8000"]
            coded = ["-t", "0.3", "-c:v", *codec, "-c:a", "pcm_s16le", "-timecode", "01:02:03:04", "-frag_duration", "100000"]
            parts = ["-movflags", "empty_moov+default_base_moof"]
            subprocess.run(["ffmpeg", "-y", "-v", "error", *sources, *coded, *parts, str(path)], check=True)
            data = path.read_bytes()
            keep("crashed-recording", name, data)
            keep("crashed-recording", f"{name}-cut", data[: len(data) * 2 // 3])
            keep("crashed-recording", f"{name}-beginning", data[: data.index(b"moof") - 4])
    keep("crashed-recording", "whole", (CORPUS / "movie" / "plain-mov").read_bytes())


def record_stills():
    """What an encoder makes of a picture of 64 by 64, alone and with a small one beside it."""
    with tempfile.TemporaryDirectory() as folder:
        source, still = pathlib.Path(folder, "a.jpg"), pathlib.Path(folder, "a.heic")
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x64", "-frames:v", "1", str(source)], check=True)
        for name, options in (("plain", []), ("thumbnail", ["-t", "32"]), ("lossless", ["-L"])):
            subprocess.run(["heif-enc", *options, "-o", str(still), str(source)], check=True, capture_output=True)
            keep("heif", name, still.read_bytes())


def without_huffman_tables(data):
    """As many UVC cameras send it."""
    kept, position = data[:2], 2
    while data[position + 1] != 0xDA:
        length = 2 + int.from_bytes(data[position + 2 : position + 4], "big")
        if data[position + 1] != 0xC4:
            kept += data[position : position + length]
        position += length
    return kept + data[position:]


def write_texts():
    """Seeds of what has no file or message of its own."""
    words = [
        "250ms", "-0.5s", "+1.5s", "2min", "2026-11-21T10:15:43.25Z", "2026-11-21T11:15:43+01:00", "8ms@10", "640x360",
        "node1/cam1", "node1/cam1/preview", "tcp://127.0.0.1:7710", "tcp://[fe80::1]:1", "event/shot.settled",
        "019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50", "img9.jpg\nimg10.jpg",
    ]
    for number, word in enumerate(words):
        keep("command-line", f"word-{number}", b"\x01" + word.encode())
    line = "--first --type wide --position left --per node --label a --bracket 2ms,8ms@3 --at +250ms --require-all"
    keep("command-line", "line", b"\0" + line.replace(" ", "\n").encode())
    path = "/devices/pci0000:00/usb1/1-2/video4linux/video0"
    texts = f"ACTION=add\0DEVPATH={path}\0SUBSYSTEM=video4linux\0DEVNAME=video0\0SEQNUM=3407\0".encode()
    keep("device-event", "kernel", f"add@{path}\0".encode() + texts)
    header = b"libudev\0\xfe\xed\xca\xfe" + (40).to_bytes(4, "little") * 2 + len(texts).to_bytes(4, "little")
    keep("device-event", "udev", header + bytes(16) + texts)
    noise = random.Random(1)
    for target in ("clock", "collect-queue", "event-journal", "time-code", "v4l2-frame"):
        for number in range(3):
            keep(target, f"numbers-{number}", noise.randbytes(200))
    keep("recording", "empty", bytes(16))


if __name__ == "__main__":
    write_texts()
    record_movies()
    record_crashes()
    record_stills()
    record(pathlib.Path(sys.argv[1]).resolve())
