#!/usr/bin/env python3
"""Viewers of one camera over the gateway's WebSocket, which acknowledge every picture: docs/api/README.md.

    live_viewers.py PORT DEVICE COUNT RATE     with a token that may look in the environment, as CAPRIG_BENCH_TOKEN

Says `ready` when each viewer has a picture. Counts from a line on its standard input to its end, then prints as JSON what has come: of
each viewer the pictures, of all the bytes, the ages in nanoseconds, and how many different pictures there were from the start on.
"""

import asyncio
import base64
import json
import os
import struct
import sys
import time
import urllib.request

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
HEADER = struct.Struct("<BBHHHHHIqq")  # of a picture
HAS_TIME = 2
PATIENCE = 30  # seconds until each viewer has a picture
LARGEST = 1 << 24  # bytes of a message


class Count:
    """What has come since the line, and of all time the pictures that differ, by the instants of their exposure."""

    def __init__(self, viewers):
        self.exposures = set()
        self.pictures = [0] * viewers
        self.begin()

    def begin(self):
        self.pictures, self.bytes, self.ages = [0] * len(self.pictures), 0, []

    def add(self, viewer, message):
        _, flags, *_, exposed, _ = HEADER.unpack_from(message)
        self.pictures[viewer] += 1
        self.bytes += len(message)
        self.exposures.add(exposed)
        # The coordinator is on this machine, so its clock, which is rig time, is CLOCK_MONOTONIC.
        if flags & HAS_TIME:
            self.ages.append(time.monotonic_ns() - exposed)

    @property
    def document(self):
        return {"pictures": self.pictures, "bytes": self.bytes, "ages": self.ages, "different": len(self.exposures)}


def frame(opcode, payload):
    """A message in one piece; a client's are masked, here by zeros, which change nothing."""
    length = bytes([0x80 | len(payload)]) if len(payload) < 126 else bytes([0x80 | 126]) + struct.pack(">H", len(payload))
    return bytes([0x80 | opcode]) + length + bytes(4) + payload


async def message(reader):
    """Opcode and payload of the next message; the gateway sends each in one piece."""
    first, length = await reader.readexactly(2)
    if length >= 126:
        length = int.from_bytes(await reader.readexactly(2 if length == 126 else 8), "big")
    if not first & 0x80 or length > LARGEST:
        raise RuntimeError("the gateway has sent a piece of a message, or one that is too large")
    return first & 0x0F, await reader.readexactly(length)


async def connect(port, path, token):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    key = base64.b64encode(os.urandom(16)).decode()
    writer.write("\r\n".join([
        f"GET /{path}/live HTTP/1.1", f"Host: localhost:{port}", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {key}", f"Authorization: Bearer {token}", "", ""]).encode())
    answer = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0].decode()
    if " 101 " not in answer:
        raise RuntimeError(f"the gateway does not open a WebSocket: {answer}")
    return reader, writer


async def view(number, connection, device, rate, count, seen):
    reader, writer = connection
    watch = {"type": "watch", "camera": number, "device": device, "kind": "preview", "rate": rate}
    acknowledgement = frame(TEXT, json.dumps({"type": "ack", "camera": number}).encode())
    writer.write(frame(TEXT, json.dumps(watch).encode()))
    while True:
        opcode, payload = await message(reader)
        if opcode == BINARY:
            count.add(number, payload)
            writer.write(acknowledgement)
            seen.set()
        elif opcode == PING:
            writer.write(frame(PONG, payload))
        elif opcode == CLOSE or opcode == TEXT and json.loads(payload)["type"] == "ended":
            raise RuntimeError(f"the gateway has ended viewer {number}: {payload.decode(errors='replace')}")


async def commands(count):
    """Until standard input ends."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await reader.readline()
    count.begin()
    await reader.read()


async def main(port, device, viewers, rate):
    with urllib.request.urlopen(f"http://localhost:{port}/api/v1/rig", timeout=10) as answer:
        path = json.load(answer)["path"]
    count, seen = Count(viewers), [asyncio.Event() for _ in range(viewers)]
    connections = [await connect(port, path, os.environ["CAPRIG_BENCH_TOKEN"]) for _ in range(viewers)]
    # A viewer that fails ends the program.
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(view(number, connection, device, rate, count, seen[number]))
                 for number, connection in enumerate(connections)]
        async with asyncio.timeout(PATIENCE):
            for each in seen:
                await each.wait()
        print("ready", flush=True)
        await commands(count)
        print(json.dumps(count.document))
        for task in tasks:
            task.cancel()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))
