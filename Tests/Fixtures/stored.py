"""What programs have left on the disk, read by the documented formats alone: docs/directories.md and `EventRecord.swift`."""

import dataclasses
import json
import pathlib
import struct
import sys
import zlib

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "Faults"), str(TESTS / "Interop")]

from caprig_client import PB  # noqa: E402
from checker import SETTLED, device_of  # noqa: E402
from files import manifests, sha256  # noqa: E402
from movies import lines  # noqa: E402

common, client = PB["common"], PB["client"]

HEADER = struct.Struct("<4sBQQI")  # marker, kind, epoch, sequence, payload length
EVENT, ACKNOWLEDGEMENT, OPENING, CLOSING, BEGINNING = range(1, 6)


@dataclasses.dataclass(frozen=True)
class Record:
    kind: int
    epoch: int
    sequence: int
    event: bytes


def records(folder):
    """Every record of a journal, in order. A journal that is damaged anywhere is none that a test may begin with."""
    for path in sorted(pathlib.Path(folder).glob("*.events")):
        data, offset = path.read_bytes(), 0
        while offset < len(data):
            marker, kind, epoch, sequence, count = HEADER.unpack_from(data, offset)
            end = offset + HEADER.size + count
            if marker != b"CEJ1" or struct.unpack_from("<I", data, end)[0] != zlib.crc32(data[offset + 4:end]):
                raise ValueError(f"{path} is damaged at byte {offset}")
            payload = data[offset + HEADER.size:end]
            # The payload of an event that opens or closes a life begins with the life's name.
            yield Record(kind, epoch, sequence, payload[1 + payload[0]:] if kind in (OPENING, CLOSING) else payload)
            offset = end + 4


def unacknowledged(folder):
    """{(epoch, sequence): Event} of a node's journal that no coordinator has acknowledged, in order."""
    found, acknowledged = {}, {}
    for record in records(folder):
        if record.kind == ACKNOWLEDGEMENT:
            acknowledged[record.epoch] = max(record.sequence, acknowledged.get(record.epoch, 0))
        elif record.kind != BEGINNING:
            found[record.epoch, record.sequence] = common.Event.FromString(record.event)
    return {key: event for key, event in found.items() if key[1] > acknowledged.get(key[0], 0)}


def told(folder):
    """The FeedEvents that a coordinator's journal holds, in order."""
    return [client.FeedEvent.FromString(record.event) for record in records(folder) if record.kind == EVENT]


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
