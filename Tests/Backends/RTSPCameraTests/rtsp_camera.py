#!/usr/bin/python3
"""A network camera: GStreamer's RTSP server on loopback, with RTCP sender reports, on any free port.

Each picture has in its luma the instant of its exposure, in microseconds of CLOCK_MONOTONIC, as 56 squares of 16 pixels, black or white, the
highest bit first.

Prints the port. Ends when its standard output is closed.
"""

import argparse
import collections
import os
import random
import select
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

SQUARE, BITS = 16, 56
ENCODERS = {
    "h264": "x264enc tune=zerolatency speed-preset=ultrafast key-int-max={keys} bitrate=4000 ! rtph264pay pt=96",
    "h265": "x265enc tune=zerolatency speed-preset=ultrafast key-int-max={keys} bitrate=4000 ! h265parse ! rtph265pay pt=96",
    "mjpeg": "jpegenc quality=90 ! rtpjpegpay pt=26",
}


def picture(width, height, microseconds):
    """I420 with the time in its luma."""
    across = width // SQUARE
    luma = bytearray(b"\x80") * (width * height)
    for bit in range(BITS):
        value = b"\xeb" if microseconds >> (BITS - 1 - bit) & 1 else b"\x10"
        x, y = bit % across * SQUARE, bit // across * SQUARE
        for row in range(y, y + SQUARE):
            luma[row * width + x:row * width + x + SQUARE] = value * SQUARE
    return bytes(luma) + b"\x80" * (width * height // 2)


class Source:
    """What a viewer's stream is fed with, until he is gone."""

    def __init__(self, options, media):
        self.options, self.source = options, media.get_element().get_by_name("source")
        self.is_over = threading.Event()
        media.connect("unprepared", lambda _: self.is_over.set())
        threading.Thread(target=self.run, daemon=True).start()

    def running_time(self):
        clock = self.source.get_clock()
        return clock.get_time() - self.source.get_base_time() if clock else None

    def run(self):
        options, interval = self.options, 1 / self.options.rate
        due = time.monotonic()
        left, waiting = options.frames or 10**9, collections.deque()
        while (left or waiting) and not self.is_over.is_set():
            if left and time.monotonic() >= due:
                running, exposed = self.running_time(), time.monotonic_ns()
                due = max(due + interval, time.monotonic() - interval)
                if running is not None:
                    left -= 1
                    waiting.append((exposed, running, exposed + (random.random() * options.jitter) * 1e6))
            elif waiting and time.monotonic_ns() >= waiting[0][2]:
                exposed, running, _ = waiting.popleft()
                data = Gst.Buffer.new_wrapped(picture(options.width, options.height, exposed // 1000))
                data.pts, data.duration = running, int(interval * 1e9)
                # Refused before the stream runs.
                self.source.emit("push-buffer", data)
            else:
                ends = [due] * bool(left) + [waiting[0][2] / 1e9 for _ in waiting][:1]
                time.sleep(max(0, min(ends) - time.monotonic()))
        self.source.emit("end-of-stream")


def lose(pad, info, share):
    """Drops packets of a payloader that has numbered them."""
    if info.type & Gst.PadProbeType.BUFFER:
        return Gst.PadProbeReturn.DROP if random.random() < share else Gst.PadProbeReturn.OK
    # One by one, to be asked for again.
    packets = info.get_buffer_list()
    for index in range(packets.length()):
        pad.push(packets.get(index)) if random.random() >= share else None
    return Gst.PadProbeReturn.DROP


def authentication(user, password):
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string("media.factory.role", "viewer")
    if password is None:
        return None
    auth.set_supported_methods(2)
    auth.add_digest(user, password, token)
    return auth


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--codec", choices=ENCODERS, default="h264")
    parser.add_argument("--width", type=int, default=320)
    parser.add_argument("--height", type=int, default=240)
    parser.add_argument("--rate", type=float, default=25)
    parser.add_argument("--keys", type=int, default=25, help="pictures from one that can be decoded alone to the next")
    parser.add_argument("--jitter", type=float, default=0, help="the most milliseconds from an exposure to its encoder")
    parser.add_argument("--frames", type=int, default=0, help="the pictures after which the stream ends; 0: it does not")
    parser.add_argument("--loss", type=float, default=0, help="the share of packets that are lost")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--user", default="viewer")
    parser.add_argument("--password")
    parser.add_argument("--format", default="I420")
    options = parser.parse_args()

    Gst.init(None)
    server = GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service(str(options.port))
    factory = GstRtspServer.RTSPMediaFactory()
    caps = f"video/x-raw,format=I420,width={options.width},height={options.height},framerate={int(options.rate * 100)}/100"
    convert = "" if options.format == "I420" else f"! videoconvert ! video/x-raw,format={options.format} "
    factory.set_launch(
        f"( appsrc name=source is-live=true format=time max-bytes=4000000 caps={caps} {convert}! "
        + ENCODERS[options.codec].format(keys=options.keys)
        + " name=pay0 )")
    sources = []


    def configure(_, media):
        sources.append(Source(options, media))
        if options.loss:
            media.get_element().get_by_name("pay0").get_static_pad("src").add_probe(
                Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST, lose, options.loss)

    factory.connect("media-configure", configure)
    if auth := authentication(options.user, options.password):
        server.set_auth(auth)
        permissions = GstRtspServer.RTSPPermissions()
        permissions.add_permission_for_role("viewer", "media.factory.access", True)
        permissions.add_permission_for_role("viewer", "media.factory.construct", True)
        factory.set_permissions(permissions)
    server.get_mount_points().add_factory("/stream", factory)
    if server.attach(None) == 0:
        sys.exit("rtsp_camera: no port")
    print(server.get_bound_port(), flush=True)

    loop = GLib.MainLoop()

    def watch():
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        poll.poll()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()
    loop.run()


main()
