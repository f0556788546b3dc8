"""PTP/IP cameras on loopback, for the tests: what libgphoto2's ptpip port needs, and what cameras do wrong.

Writes a line with the port when it listens; then a line for each thing that it does: `exposed HANDLE NANOSECONDS`
(CLOCK_MONOTONIC, the middle of the exposure) of an image, `raw HANDLE NANOSECONDS` of a raw file, `deleted HANDLE`,
`asked`, `refused`, `opened`. With --library, it says `lost HANDLE` before it deletes a file that is not in that folder.
A line `expose` on its standard input is what a trigger box does, and `fault KIND` spoils the next request or download,
as FAULTS says; it then says `faulty KIND`. It ends with its standard input.
"""

import argparse
import os
import random
import socket
import struct
import sys
import threading
import time

OPERATIONS = [0x1001, 0x1002, 0x1003, 0x1004, 0x1005, 0x1006, 0x1007, 0x1008, 0x1009, 0x100B, 0x100E, 0x1014, 0x1015,
              0x1016, 0x101B]
OBJECT_ADDED, STORE_FULL, CAPTURE_COMPLETE = 0x4002, 0x400A, 0x400D
OK, GENERAL_ERROR, UNSUPPORTED, BAD_HANDLE, NO_SPACE, ACCESS_DENIED, BUSY = (
    0x2001, 0x2002, 0x2005, 0x2009, 0x200C, 0x200F, 0x2019)
# Of format 0x3000, "undefined", libgphoto2 2.5.30 fetches nothing as a whole.
JPEG, RAW = 0x3801, 0xB101
# Number, type (4: 16 bits, 6: 32 bits), values, the first of which is set. They are those of every PTP camera.
F_NUMBER, EXPOSURE_TIME, EXPOSURE_INDEX = 0x5007, 0x500D, 0x500F
PROPERTIES = {
    F_NUMBER: (4, [800, 280, 400, 560, 1100]),
    EXPOSURE_TIME: (6, [80, 10, 40, 160, 10000]),  # of 0.1 ms
    EXPOSURE_INDEX: (4, [200, 100, 400, 800]),
}


# What a line `fault KIND` of the standard input spoils: the next request for a picture, or the next download.
FAULTS = {
    "stuck": "request: no answer", "mute": "request: accepted, and not carried out", "vanish": "request: the connections break",
    "refuse": "request: the camera is busy", "full": "request: the card is full", "garbage": "request: noise for an answer",
    "lag": "request: the exposure comes late", "repeat": "request: the file before is announced again first",
    "stranger": "request: a file that there is not is announced first", "flood": "request: 300 events first",
    "half": "download: the connections break in the middle", "short": "download: the last bytes are missing",
    "stall": "download: no answer", "gone": "download: the file is not there", "slow": "download: half a second late",
}


def text(value):
    if not value:
        return b"\0"
    return struct.pack("<B", len(value) + 1) + (value + "\0").encode("utf-16-le")


def array(values, form="H"):
    return struct.pack("<I", len(values)) + b"".join(struct.pack("<" + form, value) for value in values)


def packet(kind, body):
    return struct.pack("<II", len(body) + 8, kind) + body


def receive(connection, count):
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def read_packet(connection):
    length, kind = struct.unpack("<II", receive(connection, 8))
    if not 8 <= length <= 1 << 20:
        raise EOFError
    return kind, receive(connection, length - 8)


def raw_file(words):
    """A TIFF as raw files are, with one tag: ImageDescription. Then come bytes that no JPEG image has."""
    value = words + b"\0"
    directory = struct.pack("<HHHIII", 1, 270, 2, len(value), 26, 0)
    return b"II*\0" + struct.pack("<I", 8) + directory + value + random.Random(words).randbytes(200_000)


class Noise(Exception):
    """What is sent in the place of an answer, after which the connections break."""

    def __init__(self, data):
        super().__init__()
        self.data = data


class Camera:
    def __init__(self, options):
        self.options = options
        with open(options.picture, "rb") as file:
            self.picture = file.read()
        self.random = random.Random(options.seed)
        self.lock = threading.Lock()
        self.objects = {}  # handle: (name, format, bytes)
        self.next_handle, self.exposures, self.shots, self.data_sent = 1, 0, 0, 0
        self.values = {number: values[0] for number, (_, values) in PROPERTIES.items()}
        self.events, self.connections = [], []
        self.fault, self.last = None, None
        for _ in range(options.left):
            self.store("left over")

    def say(self, line):
        with self.lock:
            print(line, flush=True)

    # Pictures

    def store(self, comment):
        """Stores a picture; with --raw, the sensor's data first, as cameras do. Returns the handles."""
        self.exposures += 1
        name = f"DSC_{self.exposures:04d}"
        words = comment.encode()
        picture = self.picture[:2] + b"\xff\xfe" + struct.pack(">H", len(words) + 2) + words + self.picture[2:]
        if self.options.torn == self.exposures:
            picture = picture[:len(picture) // 2]
        files = []
        if self.options.raw and self.options.lost_raw != self.exposures:
            files.append((name + ".NEF", RAW, raw_file(words)))
        if self.options.lost_image != self.exposures:
            files.append((name + ".JPG", JPEG, picture))
        handles = []
        for file in files:
            self.objects[self.next_handle] = file
            if self.options.copies:
                with open(f"{self.options.copies}/{self.next_handle}.{file[0]}", "wb") as copy:
                    copy.write(file[2])
            handles.append(self.next_handle)
            self.next_handle += 1
        return handles

    def expose(self, transaction, fault=None):
        options = self.options
        lag = options.lag + self.random.uniform(0, options.jitter)
        if fault == "repeat" and self.last is not None:
            self.tell(OBJECT_ADDED, transaction, self.last)
        if fault == "stranger":
            self.tell(OBJECT_ADDED, transaction, 0xFFFF00)
        if fault == "flood":
            for number in range(300):
                self.tell(self.random.choice([0x4001, 0x4006, 0x4008, 0xC101]), transaction, number)
        time.sleep((lag + (300 if fault in ("lag", "repeat") else 0)) / 1000)
        now = time.monotonic_ns()
        with self.lock:
            handles = self.store(f"exposed {now}")
            for handle in handles:
                self.last = handle
                print("exposed" if self.objects[handle][1] == JPEG else "raw", handle, now, flush=True)
        time.sleep(options.write / 1000)
        for handle in handles:
            self.tell(OBJECT_ADDED, transaction, handle)
        self.tell(CAPTURE_COMPLETE, transaction)

    def tell(self, code, transaction, *parameters):
        body = struct.pack("<HI", code, transaction) + b"".join(struct.pack("<I", value) for value in parameters)
        for connection in list(self.events):
            try:
                connection.sendall(packet(8, body))
            except OSError:
                pass

    def begin_fault(self, phase):
        """Returns what is to go wrong with this request or download; None if nothing is."""
        fault = self.fault
        if fault is None or not FAULTS[fault].startswith(phase):
            return None
        self.fault = None
        self.say(f"faulty {fault}")
        return fault

    def capture(self, transaction):
        options = self.options
        self.shots += 1
        fault = self.begin_fault("request")
        if options.stuck == self.shots or fault == "stuck":
            self.say("stuck")
            # As bodies with a lens that hunts: neither an answer nor a picture.
            time.sleep(1_000_000)
        if options.disconnect == self.shots or fault == "vanish":
            self.say("disconnected")
            self.drop()
            raise EOFError
        if options.mute == self.shots or fault == "mute":
            self.say("mute")
            return OK
        if fault == "garbage":
            raise Noise(self.random.randbytes(self.random.randrange(1, 200)))
        if fault == "refuse":
            return BUSY
        if fault == "full":
            return NO_SPACE
        if options.refuse_after and len(self.objects) >= options.refuse_after:
            self.say("refused")
            return BUSY
        if options.capacity and len(self.objects) >= options.capacity:
            self.say("full")
            return NO_SPACE
        self.say("asked")
        threading.Thread(target=self.expose, args=(transaction, fault), daemon=True).start()
        return OK

    def drop(self):
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    # Answers

    def device_info(self):
        options = self.options
        return (struct.pack("<HIH", 100, 0, 100) + text("") + struct.pack("<H", 0)
                + array(options.operations) + array([OBJECT_ADDED, STORE_FULL, CAPTURE_COMPLETE])
                + array(list(PROPERTIES)) + array([JPEG]) + array([JPEG, RAW]) + text("Caprig") + text("Test camera")
                + text("1.0") + text(options.serial))

    def storage_info(self):
        options = self.options
        free = max(0, options.capacity - len(self.objects)) if options.capacity else 1 << 16
        return struct.pack("<HHHQQI", 3, 2, 0, 1 << 34, free << 14, free) + text("card") + text("card")

    def object_info(self, handle):
        name, form, data = self.objects[handle]
        return (struct.pack("<IHHIHIIIIIIIHII", 0x10001, form, 0, len(data), 0x3808, 0, 0, 0, 320, 240, 24, 0, 0, 0, 0)
                + struct.pack("<I", 0) + text(name) + text("20261124T120000") + text("20261124T120000") + text(""))

    def property(self, number):
        kind, values = PROPERTIES[number]
        form = {4: "H", 6: "I"}[kind]
        packed = [struct.pack("<" + form, value) for value in values]
        present = struct.pack("<" + form, self.values[number])
        return (struct.pack("<HHB", number, kind, 1) + packed[0] + present
                + struct.pack("<BH", 2, len(values)) + b"".join(packed))

    def answer(self, code, transaction, parameters, sent):
        """Returns the code, the parameters and the data of an answer."""
        first = parameters[0] if parameters else 0
        if code == 0x1001:
            return OK, b"", self.device_info()
        if code in (0x1002, 0x1003):
            return OK, b"", None
        if code == 0x1004:
            return OK, b"", array([0x10001], "I")
        if code == 0x1005:
            return OK, b"", self.storage_info()
        if code == 0x1006:
            return OK, struct.pack("<I", len(self.objects)), None
        if code == 0x1007:
            return OK, b"", array(list(self.objects), "I")
        if code == 0x100E:
            return self.capture(transaction), b"", None
        if code in (0x1014, 0x1015, 0x1016):
            if first not in PROPERTIES:
                return 0x200A, b"", None
            form = {4: "<H", 6: "<I"}[PROPERTIES[first][0]]
            if code == 0x1014:
                return OK, b"", self.property(first)
            if code == 0x1015:
                return OK, b"", struct.pack(form, self.values[first])
            (value,) = struct.unpack(form, sent)
            if value not in PROPERTIES[first][1]:
                return 0x201C, b"", None
            self.values[first] = value
            self.say(f"set {first:x} {value}")
            return OK, b"", None
        if code in (0x1008, 0x1009, 0x100B, 0x101B):
            if first not in self.objects:
                return BAD_HANDLE, b"", None
            if code == 0x1008:
                return OK, b"", self.object_info(first)
            if code == 0x100B:
                with self.lock:
                    if self.options.library and not self.is_stored(self.objects[first][2]):
                        print("lost", first, flush=True)
                    del self.objects[first]
                    print("deleted", first, flush=True)
                return OK, b"", None
            fault = self.begin_fault("download")
            if fault == "stall":
                time.sleep(1_000_000)
            if fault == "slow":
                time.sleep(0.5)
            if fault == "gone":
                return BAD_HANDLE, b"", None
            data = self.objects[first][2]
            if code == 0x101B:
                data = data[parameters[1]:parameters[1] + parameters[2]]
            if fault == "short":
                data = data[:len(data) // 2]
            if fault == "half":
                start = packet(9, struct.pack("<IQ", transaction, len(data)))
                raise Noise(start + packet(12, struct.pack("<I", transaction) + data)[:len(data) // 2])
            if self.options.rate:
                time.sleep(len(data) / self.options.rate)
            parameter = struct.pack("<I", len(data)) if code == 0x101B else b""
            return OK, parameter, data
        return UNSUPPORTED, b"", None

    def is_stored(self, data):
        """Whether the library has a file of these bytes, under its final name: hidden folders have parts and small pictures."""
        for folder, folders, files in os.walk(self.options.library):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for path in (os.path.join(folder, name) for name in files if name.endswith((".jpg", ".nef"))):
                with open(path, "rb") as file:
                    if file.read() == data:
                        return True
        return False

    # Connections

    def serve(self, connection):
        kind, _ = read_packet(connection)
        if kind == 3:
            connection.sendall(packet(4, b""))
            self.events.append(connection)
            while True:
                read_packet(connection)
        if kind != 1:
            return
        name = "fake\0".encode("utf-16-le")
        connection.sendall(packet(2, struct.pack("<I", 1) + b"G" * 16 + name + struct.pack("<I", 0x10000)))
        self.say("opened")
        while True:
            kind, body = read_packet(connection)
            if kind != 6:
                continue
            phase, code, transaction = struct.unpack("<IHI", body[:10])
            parameters = struct.unpack("<%dI" % ((len(body) - 10) // 4), body[10:])
            sent = self.read_data(connection) if phase == 2 else b""
            try:
                result, values, data = self.answer(code, transaction, parameters, sent)
            except Noise as noise:
                connection.sendall(noise.data)
                return self.drop()
            if data is not None:
                connection.sendall(packet(9, struct.pack("<IQ", transaction, len(data))))
                connection.sendall(packet(12, struct.pack("<I", transaction) + data))
            connection.sendall(packet(7, struct.pack("<HI", result, transaction) + values))

    @staticmethod
    def read_data(connection):
        data = b""
        while True:
            kind, body = read_packet(connection)
            if kind in (10, 12):
                data += body[4:]
            if kind == 12:
                return data

    def run(self, connection):
        self.connections.append(connection)
        try:
            self.serve(connection)
        except (EOFError, OSError, struct.error):
            pass
        finally:
            self.connections.remove(connection)
            if connection in self.events:
                self.events.remove(connection)
            connection.close()

    def listen(self):
        listener = socket.create_server(("127.0.0.1", self.options.port))
        self.say(listener.getsockname()[1])
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.run, args=(connection,), daemon=True).start()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--picture", required=True)
    parser.add_argument("--serial", default="FAKE1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lag", type=float, default=20, help="milliseconds from the request to the exposure")
    parser.add_argument("--jitter", type=float, default=0, help="the most milliseconds more")
    parser.add_argument("--write", type=float, default=10, help="milliseconds from the exposure to the event")
    parser.add_argument("--rate", type=int, default=0, help="bytes per second of a download")
    parser.add_argument("--left", type=int, default=0, help="pictures that are on the card at first")
    parser.add_argument("--capacity", type=int, default=0, help="files for which the card has room")
    parser.add_argument("--refuse-after", type=int, default=0, help="files on the card with which it refuses")
    parser.add_argument("--stuck", type=int, default=0, help="the request that it never answers")
    parser.add_argument("--mute", type=int, default=0, help="the request that it accepts and does not carry out")
    parser.add_argument("--disconnect", type=int, default=0, help="the request at which it breaks the connection")
    parser.add_argument("--torn", type=int, default=0, help="the picture of which only half is written")
    parser.add_argument("--library", help="the folder in which each file has to be before it is removed")
    parser.add_argument("--raw", action="store_true")
    parser.add_argument("--lost-raw", type=int, default=0, help="the picture of which it stores no raw file")
    parser.add_argument("--lost-image", type=int, default=0, help="the picture of which it stores no JPEG image")
    parser.add_argument("--copies", help="a folder in which it stores each file of its card too, by handle and name")
    parser.add_argument("--whole", action="store_true", help="it sends no parts of files")
    options = parser.parse_args()
    options.operations = [code for code in OPERATIONS if code != 0x101B or not options.whole]
    camera = Camera(options)
    threading.Thread(target=camera.listen, daemon=True).start()
    for line in sys.stdin:
        if line.strip() == "expose":
            camera.expose(0)
        elif line.strip() == "drop":
            camera.drop()
        elif line.startswith("fault "):
            camera.fault = line.split()[1]


main()
