#!/usr/bin/python3
"""Whatever speaks RTSP badly: on each connection another fault, by `--seed`. Prints the port. Ends when its standard output is closed."""

import argparse
import os
import random
import select
import socket
import struct
import threading

SDP = """v=0\r
o=- 0 0 IN IP4 127.0.0.1\r
s=-\r
c=IN IP4 0.0.0.0\r
t=0 0\r
m=video 0 RTP/AVP {pt}\r
{map}a=control:track1\r
"""
CODECS = {
    "H264": (96, "a=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1;sprop-parameter-sets={sets}\r\n"),
    "H265": (96, "a=rtpmap:96 H265/90000\r\na=fmtp:96 sprop-vps={sets};sprop-sps={sets};sprop-pps={sets}\r\n"),
    "JPEG": (26, ""),
    "MPEG4": (96, "a=rtpmap:96 MP4V-ES/90000\r\n"),
    "SVQ3": (96, "a=rtpmap:96 X-SV3V-ES/90000\r\n"),
}
SETS = ["Z0LADZKAoPQ=,aM4yyA==", "", "AAAA", "!!!!", "Z" * 5000]


class Connection:
    def __init__(self, stream, seed):
        self.stream, self.random = stream, random.Random(seed)

    def noise(self, most):
        return self.random.randbytes(self.random.randrange(most))

    def answer(self, request, headers="", body="", status="200 OK"):
        number = next((line[5:].strip() for line in request.split("\r\n") if line.lower().startswith("cseq:")), "1")
        if self.random.random() < 0.03:
            status = self.random.choice(["401 Unauthorized", "302 Moved", "999 What", "", "200", "500 " + "x" * 9000])
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        if self.random.random() < 0.03:
            length = f"Content-Length: {self.random.choice([-1, 2**31, 10**12, 7])}\r\n"
        self.stream.sendall(f"RTSP/1.0 {status}\r\nCSeq: {number}\r\n{headers}{length}\r\n{body}".encode())

    def request(self):
        data = b""
        while b"\r\n\r\n" not in data:
            more = self.stream.recv(4096)
            if not more or len(data) > 65536:
                raise ConnectionError
            data += more
        return data.decode("latin-1")

    def run(self):
        kind = self.random.randrange(6)
        if kind == 0:
            for _ in range(self.random.randrange(1, 200)):
                self.stream.sendall(self.noise(4096) or b"\r\n")
        elif kind == 1:
            self.request()
            self.stream.sendall(b"RTSP/1.0 200 OK\r\n" + b"X: " + b"y" * 2_000_000 + b"\r\n")
        elif kind == 2:
            self.request()
        else:
            self.play()

    def play(self):
        codec = self.random.choice(list(CODECS))
        pt, mapping = CODECS[codec]
        body = SDP.format(pt=pt, map=mapping.format(sets=self.random.choice(SETS)))
        if self.random.random() < 0.2:
            body = "".join(c if self.random.random() > 0.02 else chr(self.random.randrange(1, 127)) for c in body)
        while True:
            request = self.request()
            method = request.split(" ", 1)[0]
            if method == "DESCRIBE":
                self.answer(request, "Content-Type: application/sdp\r\n", body)
            elif method == "SETUP":
                self.answer(request, "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 12\r\n")
            elif method == "PLAY":
                self.answer(request, "Session: 12\r\n")
                return self.media(codec, pt)
            else:
                self.answer(request, "Public: DESCRIBE, SETUP, PLAY, TEARDOWN\r\n")

    def media(self, codec, pt):
        number, clock = self.random.randrange(65536), self.random.randrange(2**32)
        for _ in range(self.random.randrange(1, 4000)):
            number += 1 if self.random.random() > 0.05 else self.random.randrange(70000)
            clock += self.random.choice([0, 3600, 3600, self.random.randrange(2**32)])
            head = struct.pack(">BBHII", 0x80, pt | self.random.choice([0, 0x80]), number & 0xFFFF, clock & 0xFFFFFFFF, 7)
            if codec == "H264":
                load = bytes([self.random.choice([0x65, 0x41, 0x67, 0x68, 0x06, 0x78, 0x7C, 0x7C])])
                load += bytes([self.random.choice([0x85, 0x05, 0x45, 0x88])]) + self.noise(1200)
            elif codec == "H265":
                load = bytes([self.random.choice([0x26, 0x02, 0x40, 0x42, 0x44, 0x60, 0x62]), 1]) + self.noise(1200)
            elif codec == "JPEG":
                load = struct.pack(">B3sBBBB", 0, self.random.choice([b"\0\0\0", self.random.randbytes(3)]),
                                   self.random.choice([0, 1, 64, 255]), self.random.choice([0, 50, 255]),
                                   self.random.randrange(256), self.random.randrange(256)) + self.noise(1200)
            else:
                load = self.noise(1200)
            packet, channel = head + load, 0
            if self.random.random() < 0.05:
                packet, channel = struct.pack(">BBHIQII", 0x80, 200, 6, 7, self.random.randrange(2**64), clock & 0xFFFFFFFF, 0), 1
                packet += self.noise(64)
            length = len(packet) if self.random.random() > 0.01 else self.random.randrange(65536)
            self.stream.sendall(struct.pack(">cBH", b"$", channel, length) + packet)


def serve(stream, seed):
    with stream:
        try:
            stream.settimeout(20)
            Connection(stream, seed).run()
        except OSError:
            pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1], flush=True)
    seed = options.seed
    while True:
        ready = select.poll()
        ready.register(server, select.POLLIN)
        ready.register(1, 0)
        if any(file == 1 for file, _ in ready.poll()):
            os._exit(0)
        seed += 1
        threading.Thread(target=serve, args=(server.accept()[0], seed), daemon=True).start()


main()
