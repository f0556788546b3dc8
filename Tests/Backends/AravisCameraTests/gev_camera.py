#!/usr/bin/env python3
"""A GigE Vision camera on loopback, for the tests of the backend `aravis`: GVCP and GVSP of GigE Vision 1.2, with a GenICam description.

It binds port 3956 of an address of 127/8, whose interface every program takes for lo. It prints `ready`, and then what it does, a line each:
`started`, `stopped`, `resent FIRST LAST`, `set FEATURE VALUE`, `faulty NUMBER`, `action PACKET`. A line `fault KIND` of its standard input spoils the next frame, as FAULTS
says. It ends with its standard input.

The first 16 bytes of a frame tell the truth, little-endian: when its exposure began, in nanoseconds of CLOCK_MONOTONIC, and how many frames were
exposed before it. The other samples are `sample(x, y)`. With --squares, the middle of the exposure is drawn over them, which JPEG images keep:
microseconds as 56 squares of 16 samples, black or white, the highest bit first.

With --actions, its clock is that of PTP: CLOCK_REALTIME and --utc-lead seconds. While TriggerMode is On, it exposes at scheduled action commands
(GigE Vision 2.0) with its keys, and never else: exactly at their time by its clock, as far as --action-shift leaves that.
"""

import argparse
import ctypes
import os
import random
import select
import socket
import struct
import sys
import time

PORT = 3956
XML_ADDRESS = 0x10000
DISCOVERY_SIZE = 0xF8
CONTROL, TIMESTAMP_CONTROL, TIMESTAMP = 0xA00, 0x944, 0x948
STREAM_PORT, PACKET_SIZE, STREAM_ADDRESS = 0xD00, 0xD04, 0xD18
WIDTH, HEIGHT, PIXEL_FORMAT, ACQUISITION, MODE, TRIGGER = 0x2000, 0x2004, 0x2008, 0x200C, 0x2010, 0x2014
OFFSET_X, OFFSET_Y, PAYLOAD, EXPOSURE_AUTO, PTP_ENABLE, PTP_STATUS, PTP_LATCH, BIAS = (
    0x2018, 0x201C, 0x2020, 0x2024, 0x2028, 0x202C, 0x2030, 0x2034)
EXPOSURE, RATE, GAIN, GAMMA = 0x2040, 0x2048, 0x2050, 0x2058
GRANDMASTER, OFFSET, ACTION_KEY, GROUP_KEY, GROUP_MASK, SOURCE = 0x2060, 0x2068, 0x2070, 0x2074, 0x2078, 0x207C
MASTER, SLAVE = 6, 9
NO_REF_TIME, OVERFLOW, ACTION_LATE = 0x8013, 0x8015, 0x8016
HEARTBEAT_NANOSECONDS = 3_000_000_000
SQUARE, BITS = 16, 56

# Number in the PFNC, bits of a sample, and how it is packed.
FORMATS = {
    "Mono8": (0x01080001, 8, "words"), "Mono10": (0x01100003, 10, "words"), "Mono12": (0x01100005, 12, "words"),
    "Mono16": (0x01100007, 16, "words"), "Mono10p": (0x010A0046, 10, "stream"), "Mono12p": (0x010C0047, 12, "stream"),
    "Mono10Packed": (0x010C0004, 10, "middle"), "Mono12Packed": (0x010C0006, 12, "middle"),
    "BayerRG8": (0x01080009, 8, "words"), "BayerGB12": (0x01100012, 12, "words"), "BayerBG12p": (0x010C0053, 12, "stream"),
    "BayerGR10Packed": (0x010C0026, 10, "middle"), "BayerRG16": (0x0110002F, 16, "words"), "RGB8": (0x02180014, 8, "words"),
    "BGR8": (0x02180015, 8, "words"), "YUV422_8": (0x02100032, 8, "words"),
}
SAMPLES = {"RGB8": 3, "BGR8": 3, "YUV422_8": 2}


def strange(source):
    """A packet of a frame that there is not: of data, or of all at once."""
    return struct.pack(">HHBBH", 0, source.randrange(1, 65536), source.choice([3, 4]), 0, source.randrange(4)) + source.randbytes(40)


# What becomes of a frame's packets.
FAULTS = {
    "lost": lambda camera, packets: [],
    "leader": lambda camera, packets: packets[1:],
    "trailer": lambda camera, packets: packets[:-1],
    "payload": lambda camera, packets: packets[:1] + packets[2:],
    "half": lambda camera, packets: packets[: len(packets) // 2],
    "twice": lambda camera, packets: packets + packets,
    "reordered": lambda camera, packets: camera.random.sample(packets, len(packets)),
    "truncated": lambda camera, packets: [packets[0], packets[1][:-5], *packets[2:]],
    "resized": lambda camera, packets: [packets[0][:24] + struct.pack(">II", 8, 2) + packets[0][32:], *packets[1:]],
    "recolored": lambda camera, packets: [packets[0][:20] + struct.pack(">I", 0x02180014) + packets[0][24:], *packets[1:]],
    "strange": lambda camera, packets: [strange(camera.random) for _ in range(20)] + packets,
    "short": lambda camera, packets: [camera.random.randbytes(camera.random.randrange(8)) for _ in range(5)] + packets,
    # For which Aravis 0.8.26 wants more memory than there is, which ends it.
    "crash": lambda camera, packets: [struct.pack(">HHBBHQI", 0, 0, 0x82, 0, 0, 1 << 40, 0xFFFFFFF0), *packets],
    "late": lambda camera, packets: time.sleep(0.06) or packets,
    # It answers nothing from then on, or has ended.
    "silent": lambda camera, packets: camera.fall_silent(),
    "dead": lambda camera, packets: os._exit(0),
}


def sample(column, row, bits):
    return (column * 37 + row * 101) & ((1 << bits) - 1)


def packed(name, width, height):
    """The bytes of a frame, without its truth."""
    _, bits, packing = FORMATS[name]
    columns = width * SAMPLES.get(name, 1)
    rows = []
    for row in range(height):
        samples = [sample(column, row, bits) for column in range(columns)]
        if packing == "words":
            rows.append(bytes(samples) if bits == 8 else struct.pack(f"<{columns}H", *samples))
        elif packing == "stream":
            rows.append(sum(value << bits * column for column, value in enumerate(samples)).to_bytes(columns * bits // 8, "little"))
        else:
            low = (1 << bits - 8) - 1
            pairs = zip(samples[::2], samples[1::2])
            rows.append(b"".join(bytes([one >> bits - 8, one & low | (two & low) << 4, two >> bits - 8]) for one, two in pairs))
    return bytearray(b"".join(rows))


def integer(name, address, mode="RW", extra=""):
    return f"""<Integer Name="{name}" NameSpace="Standard"><pValue>{name}Register</pValue>{extra}</Integer>
<IntReg Name="{name}Register"><Address>{address}</Address><Length>4</Length><AccessMode>{mode}</AccessMode><pPort>Device</pPort>
<Sign>Unsigned</Sign><Endianess>BigEndian</Endianess></IntReg>"""


def register(name, address, mode="RW", length=4):
    return f"""<IntReg Name="{name}"><Address>{address}</Address><Length>{length}</Length><AccessMode>{mode}</AccessMode><pPort>Device</pPort>
<Sign>Unsigned</Sign><Endianess>BigEndian</Endianess></IntReg>"""


def wide(name, address, sign):
    return f"""<Integer Name="{name}" NameSpace="Standard"><pValue>{name}Register</pValue></Integer>
<IntReg Name="{name}Register"><Address>{address}</Address><Length>8</Length><AccessMode>RO</AccessMode><pPort>Device</pPort>
<Sign>{sign}</Sign><Endianess>BigEndian</Endianess></IntReg>"""


def floating(name, address, least, most, unit):
    return f"""<Float Name="{name}" NameSpace="Standard"><pValue>{name}Register</pValue><Min>{least}</Min><Max>{most}</Max><Unit>{unit}</Unit></Float>
<FloatReg Name="{name}Register"><Address>{address}</Address><Length>8</Length><AccessMode>RW</AccessMode><pPort>Device</pPort>
<Endianess>BigEndian</Endianess></FloatReg>"""


def choice(name, address, entries, mode="RW"):
    listed = "".join(f'<EnumEntry Name="{entry}"><Value>{value}</Value></EnumEntry>' for entry, value in entries.items())
    return f"""<Enumeration Name="{name}" NameSpace="Standard">{listed}<pValue>{name}Register</pValue></Enumeration>
{register(name + "Register", address, mode)}"""


def command(name, address, value=1):
    return f"""<Command Name="{name}" NameSpace="Standard"><pValue>{name}Register</pValue><CommandValue>{value}</CommandValue></Command>
{register(name + "Register", address)}"""


def string(name, address, length):
    return f"""<StringReg Name="{name}" NameSpace="Standard"><Address>{address}</Address><Length>{length}</Length><AccessMode>RO</AccessMode>
<pPort>Device</pPort></StringReg>"""


def description(options):
    nodes = [
        string("DeviceVendorName", 0x48, 32), string("DeviceModelName", 0x68, 32), string("DeviceSerialNumber", 0xD8, 16),
        integer("Width", WIDTH, extra=f"<Min>8</Min><Max>{options.width}</Max><Inc>8</Inc>"),
        integer("Height", HEIGHT, extra=f"<Min>2</Min><Max>{options.height}</Max><Inc>2</Inc>"),
        integer("OffsetX", OFFSET_X, extra=f"<Min>0</Min><Max>{options.width}</Max><Inc>8</Inc>"),
        integer("OffsetY", OFFSET_Y, extra=f"<Min>0</Min><Max>{options.height}</Max><Inc>2</Inc>"),
        choice("PixelFormat", PIXEL_FORMAT, {name: FORMATS[name][0] for name in options.formats}),
        integer("PayloadSize", PAYLOAD, mode="RO"),
        choice("AcquisitionMode", MODE, {"Continuous": 0, "SingleFrame": 1}),
        f"""<Command Name="AcquisitionStart"><pValue>AcquisitionRegister</pValue><CommandValue>1</CommandValue></Command>
<Command Name="AcquisitionStop"><pValue>AcquisitionRegister</pValue><CommandValue>0</CommandValue></Command>
{register("AcquisitionRegister", ACQUISITION)}""",
        choice("TriggerMode", TRIGGER, {"Off": 0, "On": 1}),
        floating("AcquisitionFrameRate", RATE, 1.0, 200.0, "Hz"),
        floating("ExposureTime", EXPOSURE, 50.0, 1000000.0, "us"), choice("ExposureAuto", EXPOSURE_AUTO, {"Off": 0, "Continuous": 2}),
        floating("Gain", GAIN, 0.0, 24.0, "dB"), floating("Gamma", GAMMA, 0.25, 4.0, ""),
        f"""<Boolean Name="PtpEnable"><pValue>PtpEnableRegister</pValue></Boolean>{register("PtpEnableRegister", PTP_ENABLE)}""",
        choice("PtpStatus", PTP_STATUS, {"Initializing": 1, "Listening": 4, "Master": 6, "Slave": 9}, mode="RO"),
        command("PtpDataSetLatch", PTP_LATCH), integer("SensorBias", BIAS, extra="<Min>0</Min><Max>100</Max><Inc>5</Inc>"),
    ]
    if options.actions:
        nodes += [
            wide("PtpGrandmasterClockID", GRANDMASTER, "Unsigned"), wide("PtpOffsetFromMaster", OFFSET, "Signed"),
            integer("ActionDeviceKey", ACTION_KEY), integer("ActionGroupKey", GROUP_KEY), integer("ActionGroupMask", GROUP_MASK),
            choice("TriggerSource", SOURCE, {"Line1": 1, "Action0": 2}),
        ]
    return f"""<?xml version="1.0" encoding="utf-8"?>
<RegisterDescription ModelName="Fake" VendorName="Caprig" StandardNameSpace="None" SchemaMajorVersion="1" SchemaMinorVersion="0"
 SchemaSubMinorVersion="1" MajorVersion="1" MinorVersion="0" SubMinorVersion="0" ToolTip="Fake camera" ProductGuid="0" VersionGuid="0"
 xmlns="http://www.genicam.org/GenApi/Version_1_0">
<Category Name="Root" NameSpace="Standard"><pFeature>Width</pFeature></Category>
{chr(10).join(nodes)}
<Port Name="Device" NameSpace="Standard"></Port>
</RegisterDescription>
""".encode()


class Camera:
    def __init__(self, options):
        self.options = options
        self.memory = bytearray(0x3000)
        self.xml = description(options)
        self.controller, self.heard = None, 0
        self.packets, self.frame = {}, 0
        self.grid = None
        self.is_silent = False
        self.is_running = False
        # When exposures begin that actions have caused, and what was answered to the last commands.
        self.queue, self.answers = [], {}
        self.unheard, self.unanswered = options.lose_actions, options.lose_answers
        self.lead = wall_clock_lead() + options.utc_lead * 1_000_000_000
        self.faults = []
        self.random = random.Random(options.seed)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((options.address, PORT))
        self.stream = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
        self.stream.bind((options.address, 0))
        self.put(0x0, struct.pack(">II", 0x00010002, 0x80000001))
        self.put(0x8, bytes.fromhex("0000020000") + bytes([0, 0, 1]))
        self.put(0x24, socket.inet_aton(options.address))
        self.put(0x48, b"Caprig")
        self.put(0x68, b"Fake camera")
        self.put(0xD8, options.serial.encode()[:15])
        self.put(0x200, f"Local:fake.xml;{XML_ADDRESS:x};{len(self.xml):x}".encode())
        for address, value in {0x600: 1, 0x904: 1, 0x934: (2 if options.no_resend else 6) | (0xA0040 if options.actions else 0) & ~options.without, 0x938: 3000, 0x940: 1_000_000_000, PACKET_SIZE: 1400,
                               WIDTH: options.width, HEIGHT: options.height, PIXEL_FORMAT: FORMATS[options.formats[0]][0],
                               PTP_STATUS: options.ptp, 0xD1C: self.stream.getsockname()[1]}.items():
            self.put(address, struct.pack(">I", value))
        self.put(GRANDMASTER, struct.pack(">Q", options.grandmaster))
        self.put(OFFSET, struct.pack(">q", options.ptp_offset))
        for address, value in {EXPOSURE: options.exposure, RATE: options.fps, GAIN: 6.0, GAMMA: 1.0}.items():
            self.put(address, struct.pack(">d", value))

    def put(self, address, data):
        self.memory[address : address + len(data)] = data

    def word(self, address):
        return struct.unpack_from(">I", self.memory, address)[0]

    def double(self, address):
        return struct.unpack_from(">d", self.memory, address)[0]

    @property
    def format(self):
        code = self.word(PIXEL_FORMAT)
        return next(name for name in self.options.formats if FORMATS[name][0] == code)

    def clock(self, monotonic):
        """The camera's own clock."""
        if self.options.actions:
            return monotonic + self.lead + self.options.clock_error
        return self.options.clock_offset + monotonic + int(monotonic * self.options.drift / 1e6)

    # GVCP

    def serve(self):
        data, peer = self.socket.recvfrom(65536)
        if self.is_silent or len(data) < 8 or data[0] != 0x42:
            return
        _, flags, code, length, number = struct.unpack(">BBHHH", data[:8])
        body, status, reply = data[8 : 8 + length], 0, b""
        if code == 0x0002:
            reply = bytes(self.memory[:DISCOVERY_SIZE])
        elif code == 0x0080:
            for (address,) in struct.iter_unpack(">I", body):
                self.touch(address, peer)
                reply += self.read(address, 4)
        elif code == 0x0084:
            address, _, count = struct.unpack(">IHH", body)
            reply = body[:4] + self.read(address, count)
        elif code in (0x0082, 0x0086):
            status, reply = self.change(code, body, peer)
        elif code == 0x0040:
            return self.resend(body)
        elif code == 0x0100 and self.options.actions:
            status = self.act(data, peer)
            if status is None:
                return
        else:
            status = 0x8001
        if flags & 1 or code == 0x0002:
            self.socket.sendto(struct.pack(">HHHH", status, code + 1, len(reply), number) + reply, peer)

    def act(self, data, peer):
        """Carries out an action command. Returns the status to acknowledge; None if there is nothing to answer."""
        say("action", data.hex())
        if self.unheard:
            self.unheard -= 1
            return None
        _, flags, _, length, number = struct.unpack(">BBHHH", data[:8])
        if (flags, length, len(data)) != (0x81, 20, 28) or number == 0:
            return 0x800E
        device, group, mask, instant = struct.unpack(">IIIQ", data[8:])
        if (device, group) != (self.word(ACTION_KEY), self.word(GROUP_KEY)) or not mask & self.word(GROUP_MASK):
            return None
        # A command that is repeated is carried out once.
        if (peer, number) not in self.answers:
            self.answers = {**dict(list(self.answers.items())[-15:]), (peer, number): self.schedule(instant)}
        if self.unanswered:
            self.unanswered -= 1
            return None
        return self.answers[peer, number]

    def schedule(self, instant):
        if self.options.answer:
            return self.options.answer
        if self.word(PTP_STATUS) not in (MASTER, SLAVE):
            return NO_REF_TIME
        if len(self.queue) >= self.options.action_queue:
            return OVERFLOW
        now = time.monotonic_ns()
        begin = instant - self.clock(0)
        if self.is_running and self.word(TRIGGER) and self.word(SOURCE) == 2 and not self.options.no_exposure:
            self.queue = sorted([*self.queue, max(now, begin) + self.options.action_shift])
        return 0 if begin > now else ACTION_LATE

    def read(self, address, count):
        if address == PAYLOAD:
            return struct.pack(">I", self.payload_size())[:count]
        if address >= XML_ADDRESS:
            return self.xml[address - XML_ADDRESS :][:count].ljust(count, b"\0")
        return bytes(self.memory[address : address + count]).ljust(count, b"\0")

    def touch(self, address, peer):
        if address == CONTROL and peer == self.controller:
            self.heard = time.monotonic_ns()

    def change(self, code, body, peer):
        if self.controller not in (None, peer) and time.monotonic_ns() - self.heard < HEARTBEAT_NANOSECONDS:
            return 0x8006, struct.pack(">HH", 0, 0)
        pairs = [(address, struct.pack(">I", value)) for address, value in struct.iter_unpack(">II", body)] if code == 0x0082 else [
            (struct.unpack(">I", body[:4])[0], body[4:])]
        for index, (address, data) in enumerate(pairs):
            if address in self.options.refuse:
                return 0x8002, struct.pack(">HH", 0, index)
            self.put(address, data)
            self.changed(address, data, peer)
        return 0, struct.pack(">HH", 0, len(pairs))

    def changed(self, address, data, peer):
        if address == CONTROL:
            self.controller, self.heard = (peer, time.monotonic_ns()) if self.word(CONTROL) else (None, 0)
            if not self.word(CONTROL):
                self.stop()
        elif address == TIMESTAMP_CONTROL and data[-1] & 2 and not self.options.no_latch:
            self.put(TIMESTAMP, struct.pack(">Q", self.clock(time.monotonic_ns())))
        elif address == ACQUISITION:
            if self.word(ACQUISITION):
                self.start()
            else:
                self.stop()
        elif address == PTP_ENABLE and self.word(PTP_ENABLE) == 0:
            self.put(PTP_STATUS, struct.pack(">I", 1))
        else:
            names = {EXPOSURE: "ExposureTime", RATE: "AcquisitionFrameRate", GAIN: "Gain", GAMMA: "Gamma"}
            if address in names:
                say("set", names[address], f"{self.double(address):g}")

    # GVSP

    def payload_size(self):
        code = self.word(PIXEL_FORMAT)
        return self.word(WIDTH) * self.word(HEIGHT) * (code >> 16 & 0xFF) // 8

    def start(self):
        self.picture = packed(self.format, self.word(WIDTH), self.word(HEIGHT))
        self.grid = time.monotonic_ns() + 5_000_000
        self.is_running = True
        say("started", self.format, self.word(WIDTH), self.word(HEIGHT))

    def stop(self):
        if self.is_running:
            say("stopped")
        self.is_running, self.grid, self.queue = False, None, []

    @property
    def interval(self):
        return int(1e9 / self.double(RATE))

    @property
    def due(self):
        """When the next frame is sent; None while there is none."""
        began = next(iter(self.queue), None) if self.word(TRIGGER) else self.grid
        return None if began is None else began + int(self.double(EXPOSURE) * 1000) + self.options.readout

    def expose(self):
        """Sends the frame whose exposure has ended."""
        if self.word(TRIGGER):
            began = self.queue.pop(0)
        else:
            began, self.grid = self.grid, self.grid + self.interval
        identity = self.frame
        number = (self.options.first_id - 1 + identity) % 65535 + 1
        struct.pack_into("<QQ", self.picture, 0, began, self.frame)
        if self.options.squares:
            self.draw((began + int(self.double(EXPOSURE) * 500)) // 1000)
        self.frame += 1
        # A camera that cannot keep up skips frames, and counts them.
        late = 0 if self.word(TRIGGER) else max(0, time.monotonic_ns() - self.grid) // self.interval
        self.grid, self.frame = self.grid + late * self.interval, self.frame + late
        stamp = self.clock(began) + self.options.stamp_shift
        width, height, code = self.word(WIDTH), self.word(HEIGHT), self.word(PIXEL_FORMAT)
        room = (self.word(PACKET_SIZE) & 0xFFFF) - 36
        packets = [struct.pack(">HHBBHHHIIIIIIIHH", 0, number, 1, 0, 0, 0, 1, stamp >> 32 & 0xFFFFFFFF, stamp & 0xFFFFFFFF, code, width, height,
                               self.word(OFFSET_X), self.word(OFFSET_Y), 0, 0)]
        for place in range(0, len(self.picture), room):
            index = len(packets)
            packets.append(struct.pack(">HHBBH", 0, number, 3, index >> 16, index & 0xFFFF) + self.picture[place : place + room])
        index = len(packets)
        packets.append(struct.pack(">HHBBHHHI", 0, number, 2, index >> 16, index & 0xFFFF, 0, 1, height))
        self.packets = {**dict(list(self.packets.items())[-3:]), number: packets}
        every = self.options.damage_every
        dropped = {self.random.randrange(len(packets))} if every and (identity + 1) % every == 0 else set()
        if self.faults:
            say("faulty", identity)
            packets, dropped = FAULTS[self.faults.pop(0)](self, packets), set()
        for index, packet in enumerate(packets):
            if index not in dropped and self.random.random() >= self.options.lose:
                self.send(packet)

    def fall_silent(self):
        self.is_silent, self.grid = True, None
        return []

    def draw(self, microseconds):
        width = self.word(WIDTH)
        across = width // SQUARE
        for bit in range(BITS):
            value = b"\xeb" if microseconds >> (BITS - 1 - bit) & 1 else b"\x10"
            x, y = bit % across * SQUARE, bit // across * SQUARE
            for row in range(y, y + SQUARE):
                self.picture[row * width + x : row * width + x + SQUARE] = value * SQUARE

    def send(self, packet):
        address = socket.inet_ntoa(self.memory[STREAM_ADDRESS : STREAM_ADDRESS + 4])
        self.stream.sendto(packet, (address, self.word(STREAM_PORT)))

    def resend(self, body):
        _, number, first, last = struct.unpack(">HHII", body[:12])
        if self.options.no_resend:
            return
        say("resent", first, last)
        for packet in self.packets.get(number, [])[first & 0xFFFFFF : (last & 0xFFFFFF) + 1]:
            self.send(packet)


def wall_clock_lead():
    """How far CLOCK_REALTIME is ahead of CLOCK_MONOTONIC, by the closest of many readings."""
    readings = []
    for _ in range(200):
        before, wall, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        readings.append((after - before, wall - (before + after) // 2))
    return min(readings)[1]


def say(*words):
    print(*words, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--address", required=True)
    parser.add_argument("--serial", default="FAKE1")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--height", type=int, default=48)
    parser.add_argument("--fps", type=float, default=30)
    parser.add_argument("--formats", type=lambda text: text.split(","), default=["Mono8"])
    parser.add_argument("--exposure", type=float, default=4000, help="microseconds")
    parser.add_argument("--readout", type=int, default=1_000_000, help="nanoseconds from the end of an exposure to its first packet")
    parser.add_argument("--clock-offset", type=int, default=1_700_000_000_123_456_789, help="nanoseconds of the camera's clock")
    parser.add_argument("--drift", type=float, default=40, help="of the camera's clock, parts per million")
    parser.add_argument("--no-latch", action="store_true", help="the camera's clock cannot be read")
    parser.add_argument("--first-id", type=int, default=65530)
    parser.add_argument("--lose", type=float, default=0, help="the share of packets that are lost")
    parser.add_argument("--damage-every", type=int, default=0, help="of every so many frames, one lacks a packet")
    parser.add_argument("--no-resend", action="store_true")
    parser.add_argument("--squares", action="store_true", help="of formats of 8 bits")
    parser.add_argument("--refuse", type=lambda text: {int(text, 0)}, default=set(), help="an address that is not written")
    parser.add_argument("--ptp", type=int, default=9)
    parser.add_argument("--actions", action="store_true", help="it has scheduled action commands, and the clock of PTP")
    parser.add_argument("--utc-lead", type=int, default=37, help="seconds by which PTP's time is ahead of UTC")
    parser.add_argument("--clock-error", type=int, default=0, help="nanoseconds by which its clock is ahead of PTP's")
    parser.add_argument("--grandmaster", type=lambda text: int(text, 16), default=0x7ACC9BFFFE1234AB)
    parser.add_argument("--ptp-offset", type=int, default=0, help="nanoseconds that it tells as its offset")
    parser.add_argument("--without", type=lambda text: int(text, 0), default=0, help="bits of the capabilities that it lacks")
    parser.add_argument("--action-queue", type=int, default=16, help="actions that may wait")
    parser.add_argument("--action-shift", type=int, default=0, help="nanoseconds by which it exposes later than it is told")
    parser.add_argument("--stamp-shift", type=int, default=0, help="nanoseconds by which its stamps are later than its exposures")
    parser.add_argument("--answer", type=lambda text: int(text, 0), default=0, help="the status that it answers to every action")
    parser.add_argument("--no-exposure", action="store_true", help="actions expose nothing, whatever is answered")
    parser.add_argument("--lose-actions", type=int, default=0, help="the first so many action commands do not reach it")
    parser.add_argument("--lose-answers", type=int, default=0, help="the first so many answers to them are lost")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(29, 1, 0, 0, 0)  # PR_SET_TIMERSLACK: wake on time
    camera = Camera(options)
    say("ready")
    while True:
        due = camera.due
        wait = None if due is None else max(0, due - time.monotonic_ns()) / 1e9
        readable, _, _ = select.select([camera.socket, sys.stdin], [], [], wait)
        if sys.stdin in readable:
            line = os.read(0, 4096).decode()
            if not line:
                return
            camera.faults += [word for word in line.split() if word in FAULTS]
        if camera.socket in readable:
            camera.serve()
        if camera.due is not None and time.monotonic_ns() >= camera.due:
            camera.expose()


if __name__ == "__main__":
    main()
