"""Files of a library and spools, read without the programs that wrote them."""

import hashlib
import json
import pathlib


MANIFESTS = ("shot.json", "take.json")


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def manifests(library):
    """Every shot.json and take.json of the library: its folder and content."""
    for path in sorted(path for name in MANIFESTS for path in library.glob(f"[0-9]*/*/*/*/{name}")):
        try:
            yield path.parent, json.loads(path.read_text())
        except (OSError, ValueError) as error:
            yield path.parent, {"unreadable": str(error)}


def left_in(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
