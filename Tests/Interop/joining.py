"""Joins a rig by code, written from docs/protocol/join-code.md, docs/protocol/join.md and proto/ alone.

    code = Code.read("caprig1-…")
    keys, admission = join(code)
    rig = Rig(f"tcp://{code.endpoints[0][0]}:{admission.client_port}", keys=keys)
"""

import dataclasses
import hashlib
import ipaddress
import re
import time

import zmq

from caprig_client import PB, PROTOCOL_VERSION, Keys, NoAnswer, connect

DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
ROLES = ("viewer", "operator", "node", "dashboard", "admin")
LIMIT = 4 << 10  # bytes of a message on the join channel
PATIENCE = 5.0  # seconds for the handshake and the answer


class NotACode(Exception):
    pass


class Refused(Exception):
    def __init__(self, refusal):
        super().__init__(f"{refusal.code}: {refusal.message}")
        self.code = refusal.code
        self.pause = refusal.retry_after_ns / 1e9 if refusal.HasField("retry_after_ns") else None  # seconds before another attempt


@dataclasses.dataclass
class Code:
    token: bytes
    coordinator: bytes  # public key, 32 bytes
    role: str
    name: str
    rig: str
    endpoints: list  # of host and port

    @classmethod
    def read(cls, text):
        text = re.sub(r"[\s\"'`<>*.,;]", "", text).lower().replace("o", "0")
        prefix, hyphen, rest = text.partition("-")
        version = re.fullmatch(r"capr[i1l]g(\d+)", prefix)
        if not hyphen or not version:
            raise NotACode("no prefix")
        if version[1] != "1":
            raise NotACode("a newer program is needed")
        rest = re.sub(r"[il]", "1", rest)
        if len(rest) < 3 or set(rest) - set(DIGITS):
            raise NotACode("mistyped")
        numbers = [DIGITS.index(digit) for digit in rest]
        if numbers[2] != rotate(numbers[0] ^ rotate(numbers[1], 2), 1) ^ 21:
            raise NotACode("mistyped")
        length = numbers[0] << 5 | numbers[1]
        digits = (length * 8 + 4) // 5
        if len(numbers) - 3 < digits:
            raise NotACode("cut off")
        value = 0
        for number in numbers[3:]:
            value = value << 5 | number
        spare = (len(numbers) - 3) * 5 - length * 8
        if len(numbers) - 3 != digits or value & ((1 << spare) - 1):
            raise NotACode("mistyped")
        data = (value >> spare).to_bytes(length, "big")
        content, checksum = data[:-5], data[-5:]
        if hashlib.sha256(f"caprig1-{rest[:2]}".encode() + content).digest()[:5] != checksum:
            raise NotACode("mistyped")
        return cls.parse(content)

    @classmethod
    def parse(cls, content):
        def take(count):
            nonlocal content
            piece, content = content[:count], content[count:]
            return piece

        def text():
            return take(take(1)[0]).decode()

        token, key, role = take(16), take(32), ROLES[take(1)[0]]
        name, rig, endpoints = text(), text(), []
        for _ in range(take(1)[0]):
            kind = take(1)[0]
            if kind in (4, 6):
                host = str(ipaddress.ip_address(take(4 if kind == 4 else 16)))
            elif kind == 1:
                host = text()
            else:
                raise NotACode("a newer program is needed")
            endpoints.append((f"[{host}]" if ":" in host else host, int.from_bytes(take(2), "big")))
        if content:
            raise NotACode("a newer program is needed")
        return cls(token, key, role, name, rig, endpoints)


def rotate(number, count):
    """Five bits to the left."""
    return (number << count | number >> 5 - count) & 31


def join(code, pair=None, seconds=30):
    """Has the coordinator admit a key pair, by default a new one; the keys to connect with, and the admission. Waits for so long
    where it is asked to try again."""
    keys, deadline = Keys(*(pair or zmq.curve_keypair()), code.coordinator), time.monotonic() + seconds
    while True:
        try:
            return keys, attempt(code, keys)
        except Refused as refusal:
            if refusal.pause is None or time.monotonic() + refusal.pause > deadline:
                raise
            time.sleep(refusal.pause)


def attempt(code, keys):
    for host, port in code.endpoints:
        socket = connect(zmq.DEALER, f"tcp://{host}:{port}", LIMIT, keys)
        try:
            request = PB["join"].Join(request_id=1, protocol_version=PROTOCOL_VERSION, token=code.token)
            socket.send(request.SerializeToString())
            if not socket.poll(PATIENCE * 1000):
                continue
            reply = PB["join"].JoinReply.FromString(socket.recv())
        finally:
            socket.close()
        if reply.WhichOneof("body") == "refusal":
            raise Refused(reply.refusal)
        return reply.admission
    raise NoAnswer(f"nobody answers at {code.endpoints}")


def ask(endpoint, keys, name, role):
    """Asks without a code to be approved; the kind of the coordinator's answer."""
    socket = connect(zmq.DEALER, endpoint, LIMIT, keys)
    try:
        request = PB["join"].Join(request_id=1, protocol_version=PROTOCOL_VERSION, approval={"name": name, "role": role})
        socket.send(request.SerializeToString())
        if not socket.poll(PATIENCE * 1000):
            raise NoAnswer(f"nobody answers at {endpoint}")
        return PB["join"].JoinReply.FromString(socket.recv()).WhichOneof("body")
    finally:
        socket.close()
