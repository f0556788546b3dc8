#!/usr/bin/env python3
"""Manifests that tests have had written, held against docs/schema: python check_manifests.py [--quick] FOLDER...

`make unit` and `make system` keep a copy of every manifest in a folder that a test removes. It fails too where there are fewer of them, or
fewer kinds, than there were: then tests no longer keep them. Before it is believed, it is lied to.

--quick: less is expected, as the tests of a quick run (CAPRIG_TESTS=quick) leave it.
"""

import copy
import json
import pathlib
import sys

from manifest_schema import request_problems, schema_problems

# A manifest of each kind, bit for bit as programs write it.
GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "Storage/ShotDocumentsTests/Manifests"

# At least so many, by the name of the folder.
LEAST = {"unit": 1500, "system": 50}
LEAST_OF_QUICK = {"unit": 300, "system": 10}


def files(manifest):
    return [file for capture in manifest["captures"] for file in capture["files"]]


def has_kind(*kinds):
    return lambda m: any(file["kind"] in kinds for file in files(m))


def has_outcome(outcome):
    return lambda m: any(file["outcome"] == outcome for file in files(m))


def has_member(name):
    return lambda m: any(name in capture for capture in m["captures"])


KINDS = {
    "photo": has_kind("photo"),
    "preview": has_kind("preview"),
    "bracket": has_kind("photo.2"),
    "raw file": has_kind("alternatePhoto"),
    "raw file of a camera": has_kind("cameraRaw.nef"),
    "HEIC": has_kind("photoHEIC"),
    "Live Photo": has_member("clip"),
    "motion photo": has_kind("motionPhoto"),
    "still larger than the stream": has_member("streamGap"),
    "take": has_member("movie"),
    "take in several files": has_kind("movie.02"),
    "take with marks": lambda m: m.get("take", {}).get("marks"),
    "open shot": lambda m: m["status"] == "open",
    "complete shot": lambda m: m["status"] == "complete",
    "partial shot": lambda m: m["status"] == "partial",
    "failed shot": lambda m: m["status"] == "failed",
    "late file": has_outcome("late"),
    "missed file": has_outcome("missed"),
    "failed file": has_outcome("failed"),
    "problem": has_member("problem"),
    "doubted claim": has_member("doubts"),
    "closed camera": lambda m: m.get("leftOut"),
}

# Those that the suite System/CapabilityTests and the unit tests leave.
KINDS_OF_QUICK = {
    "photo", "preview", "raw file", "raw file of a camera", "Live Photo", "take", "open shot", "complete shot", "partial shot", "failed shot", "late file",
    "missed file", "failed file", "problem",
}

LIES = {
    "a member that the schema does not know": lambda m: m["captures"][0].update(mood="good"),
    "a member that is null": lambda m: m["captures"][0].update(rawNote=None),
    "a word that the schema does not know": lambda m: m["captures"][0].update(phase="finished"),
    "a member that is missing": lambda m: m["request"].pop("requireAll"),
    "a number as text": lambda m: m.update(time=str(m["time"])),
    "an id that is none": lambda m: m["captures"][0]["device"].update(id="node1/../cam1"),
}


def believed(manifest):
    """The lies about a manifest that are not found."""
    for name, tell in LIES.items():
        told = copy.deepcopy(manifest)
        tell(told)
        if not schema_problems(told):
            yield f"'{name}' is not found"


REQUEST_LIES = {
    "an unknown member": lambda r: r["settings"].update(hdr=True),
    "a word that the schema does not know": lambda r: r["settings"].update(flash="bright"),
    "a quality of none": lambda r: r["settings"].update(quality=0),
    "two choices": lambda r: r["selection"].update(choice={"all": {}, "matching": {"_0": []}}),
    "an instant in two ways": lambda r: r.update(time={"soon": {}, "relative": {"nanoseconds": 1}}),
    "no cameras": lambda r: r.update(selection={"nodes": []}),
}


def golden():
    """What is wrong with the manifests of the unit tests, and with their requests as requests."""
    for path in sorted(GOLDEN.glob("*.json")):
        manifest = json.loads(path.read_text())
        yield from (f"{path.name}: {problem}" for problem in schema_problems(manifest) + request_problems(manifest["request"]))
        for name, tell in REQUEST_LIES.items():
            told = copy.deepcopy(manifest["request"])
            tell(told)
            if not request_problems(told):
                yield f"{path.name}: '{name}' is not found"


def main(folders, least, expected):
    problems, kinds, manifest, checked = [], dict(expected), None, 0
    for folder in map(pathlib.Path, folders):
        paths = sorted(folder.glob("*.json"))
        if len(paths) < least[folder.name]:
            problems.append(f"{folder} has {len(paths)} manifests, at least {least[folder.name]} were expected")
        for path in paths:
            try:
                manifest = json.loads(path.read_text())
                found = schema_problems(manifest)
            except ValueError as error:
                found = [str(error)]
            problems += [f"{path.name}: {problem}" for problem in found]
            if not found:
                kinds = {name: is_of for name, is_of in kinds.items() if not is_of(manifest)}
            checked += 1
    problems += [f"no manifest of this kind: {name}" for name in kinds]
    problems += believed(manifest) if manifest else []
    problems += golden()
    for problem in problems:
        print(f"FAIL {problem}")
    print(f"{checked} manifests of {len(expected) - len(kinds)} of {len(expected)} expected kinds")
    print(f"{checked + len(expected) + len(LIES) + len(REQUEST_LIES) - len(problems)} passed, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--quick"]:
        quick = {name: is_of for name, is_of in KINDS.items() if name in KINDS_OF_QUICK}
        sys.exit(main(sys.argv[2:], LEAST_OF_QUICK, quick))
    sys.exit(main(sys.argv[1:], LEAST, KINDS))
