"""What programs have left on the disk, read by the documented formats alone: docs/directories.md."""

import dataclasses
import json
import pathlib
import struct
import sys
import uuid
import zlib

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "Faults"), str(TESTS / "Interop")]

from caprig_client import PB  # noqa: E402
from checker import SETTLED, device_of  # noqa: E402
from files import manifests, sha256  # noqa: E402
from movies import lines  # noqa: E402

common, client = PB["common"], PB["client"]

HEADER = struct.Struct("<4sBQQI")  # of version 1: marker, kind, epoch, sequence, payload length
KINDS = ["event", "acked", "opens", "close", "begun"]  # by the numbers of version 1, from 1


@dataclasses.dataclass(frozen=True)
class Record:
    version: int
    kind: str
    epoch: int
    sequence: int
    document: bytes

    def event(self):
        """The Event of a node's journal."""
        return common.Event.FromString(self.document) if self.version == 1 else event_of(json.loads(self.document))

    def feed_event(self):
        """The FeedEvent of a coordinator's journal."""
        if self.version == 1:
            return client.FeedEvent.FromString(self.document)
        members = json.loads(self.document)
        return client.FeedEvent(
            coordinator_epoch=self.epoch, sequence=self.sequence, node=members.get("node", ""),
            source_epoch=int(members["sourceEpoch"], 16), source_sequence=members["sourceSequence"],
            event=event_of(members))


def event_of(members):
    event = common.Event(
        realtime_ns=members["realtimeNs"], local_ns=members["localNs"], rig_ns=members.get("rigNs"),
        bound_ns=members.get("boundNs"), name=members["name"], details=members.get("details", {}))
    if "device" in members:
        event.device.node, event.device.device = members["device"].split("/")
    if "shot" in members:
        event.shot_id = uuid.UUID(members["shot"]).bytes
    return event


def records(folder):
    """Every record of a journal, in order. A journal that is damaged anywhere is none that a test may begin with."""
    for path in sorted(pathlib.Path(folder).glob("*.events")):
        data, offset = path.read_bytes(), 0
        while offset < len(data):
            read = record_1 if data[offset:offset + 4] == b"CEJ1" else record_2
            try:
                record, offset = read(data, offset)
            except (ValueError, struct.error) as error:
                raise ValueError(f"{path} is damaged at byte {offset}: {error}") from error
            yield record


def record_1(data, offset):
    marker, kind, epoch, sequence, count = HEADER.unpack_from(data, offset)
    end = offset + HEADER.size + count
    if struct.unpack_from("<I", data, end)[0] != zlib.crc32(data[offset + 4:end]):
        raise ValueError("its checksum is another")
    payload = data[offset + HEADER.size:end]
    # The payload of an event that opens or closes a life begins with the life's name.
    document = payload[1 + payload[0]:] if KINDS[kind - 1] in ("opens", "close") else payload
    return Record(1, KINDS[kind - 1], epoch, sequence, document), end + 4


def record_2(data, offset):
    marker, count, checksum, _ = data[offset:offset + 23].split(b" ")
    end = offset + 23 + int(count, 16)
    content = data[offset + 23:end]
    if marker != b"CEJ2" or data[end:end + 1] != b"\n" or int(checksum, 16) != zlib.crc32(content):
        raise ValueError("it is no record")
    kind, epoch, sequence, *rest = content.split(b" ", 3)
    # An event that opens or closes a life has the life's name before its document.
    document = rest[0].split(b" ", 1)[1] if kind in (b"opens", b"close") else b"".join(rest)
    return Record(2, kind.decode(), int(epoch, 16), int(sequence), document), end + 1


def unacknowledged(folder):
    """{(epoch, sequence): Event} of a node's journal that no coordinator has acknowledged, in order."""
    found, acknowledged = {}, {}
    for record in records(folder):
        if record.kind == "acked":
            acknowledged[record.epoch] = max(record.sequence, acknowledged.get(record.epoch, 0))
        elif record.kind != "begun":
            found[record.epoch, record.sequence] = record.event()
    return {key: event for key, event in found.items() if key[1] > acknowledged.get(key[0], 0)}


def told(folder):
    """The FeedEvents that a coordinator's journal holds, in order."""
    return [record.feed_event() for record in records(folder) if record.kind == "event"]


def outcomes(manifest):
    """{device: {kind: outcome}}: `stored`, or the code of why it is not."""
    found = {}
    for capture in manifest["captures"]:
        problem = capture.get("problem") or {}
        found[device_of(capture)] = {
            file["kind"]: "stored" if file["outcome"] in ("done", "late") else
            f"{file['outcome']} {(file.get('problem') or problem).get('code')}" for file in capture["files"]}
    return found


def read_capture(path):
    """What a spool's manifest says of its capture."""
    return json.loads(path.read_text())["capture"]


class Stored:
    """The content of a rig's folders at one moment. Paths are relative to the folder."""

    def __init__(self, folder, nodes, kept=()):
        """`kept`: files of spools that stay there, whatever is completed."""
        self.folder = folder
        self.kept = {name: sha256(folder / name) for name in kept}
        library = folder / "library"
        self.shots = dict(self.read_shots(library))
        self.settled = {path.relative_to(folder): sha256(path) for shot, manifest in self.shots.values()
                        if manifest["status"] in SETTLED for path in shot.rglob("*") if path.is_file()}
        self.roster = json.loads((library / ".caprig/roster.json").read_text())["devices"]
        self.told = told(library / ".caprig/feed")
        self.unacknowledged = {node: unacknowledged(folder / f"{node}.spool/events") for node in nodes}
        self.captures = [(path, read_capture(path)) for path in self.all("captures/*.capture.json")]
        # Also files that no manifest names any more, since the library has them.
        self.files = {path.relative_to(folder): sha256(path) for path in self.all("captures/*")
                      if not path.name.endswith((".capture.json", ".tmp"))}
        self.works = [json.loads(path.read_text()) for path in self.all("deferred/*.work.json")]
        self.sidecars = {path.name: lines(path)[1] for path in self.all("recordings/*.frames.jsonl")}

    def all(self, pattern):
        return sorted(path for path in self.folder.glob(f"*.spool/{pattern}")
                      if str(path.relative_to(self.folder)) not in self.kept)

    @staticmethod
    def read_shots(library):
        for folder, manifest in manifests(library):
            if "unreadable" in manifest:
                raise ValueError(f"the manifest in {folder} cannot be read: {manifest['unreadable']}")
            yield manifest["id"], (folder, manifest)

    def open_shots(self):
        return {shot for shot, (_, manifest) in self.shots.items() if manifest["status"] not in SETTLED}
