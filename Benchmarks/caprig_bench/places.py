"""Folders to measure in: the disk, and memory, where fsync costs nothing."""

import contextlib
import pathlib
import shutil
import tempfile

MEMORY = pathlib.Path("/dev/shm")


def places(disk):
    """Names and folders; without memory where the machine has none mounted."""
    return {"disk": disk, **({"memory": str(MEMORY)} if MEMORY.is_dir() else {})}


@contextlib.contextmanager
def scratch(parent):
    folder = tempfile.mkdtemp(prefix="caprig-bench-", dir=parent)
    try:
        yield pathlib.Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
