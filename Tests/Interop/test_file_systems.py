#!/usr/bin/env python3
"""Libraries, spools and targets on file systems that people have: python test_file_systems.py FOLDER-OF-RELEASE-PROGRAMS [TEST]...

ext4 that is read-only or has no free inode, exFAT, NTFS and bindfs, which refuse `renameat2(RENAME_NOREPLACE)`. Needs root and FUSE; without
them, tests are skipped by name, and fail with CI=true.
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from case import Case
from local_rig import LocalRig
from mounted_disk import MountedDisk
from run_tests import NoRig, run_tests

programs = None
# File systems that give all files the same permissions.
WITHOUT_PERMISSIONS = ("exfat", "ntfs")


class RigOnDisk(LocalRig):
    """The keys of its nodes are on another disk than their spools."""

    def further_settings(self, node):
        return f"keys: {{ folder: {self.folder / node}.keys }}\n" if self.spools != self.folder else ""


class FileSystems(Case):
    def setUp(self):
        pass  # each test has a rig of its own

    def disk(self, kind, **options):
        problem = MountedDisk.obstacle(kind)
        if problem and os.environ.get("CI") != "true":
            self.skipTest(problem)
        disk = MountedDisk(kind, **options)
        self.addCleanup(disk.end)
        return disk

    def rig_on(self, **options):
        self.local = RigOnDisk(programs, nodes=1, cameras=2, rate=15, **options)
        self.addCleanup(self.end_rig)
        self.rig = self.local.client()
        self.addCleanup(self.rig.close)
        return self.local

    def end_rig(self):
        statuses = self.local.stop()
        self.assertEqual(set(statuses.values()), {0}, statuses)

    def capctl(self, *arguments):
        return self.local.admin.capctl(*arguments)

    def status(self):
        return self.capctl("status")

    def take(self):
        """A shot of all cameras, whose files are what the manifest says; the manifest."""
        # Some of these file systems need a second for one fsync.
        document = self.trigger(lead_ns=4_000_000_000, timeout_ns=30_000_000_000)
        manifest = json.loads(document.manifest.content)
        self.assertEqual(manifest["status"], "complete", manifest)
        self.assert_stored(manifest, next(self.local.library.glob(f"*/*/*/{manifest['id']}")))
        return manifest

    def assert_stored(self, manifest, folder):
        files = [file for capture in manifest["captures"] for file in capture["files"]]
        self.assertGreaterEqual(len(files), 2)
        for file in files:
            content = (folder / file["path"]).read_bytes()
            self.assertEqual(hashlib.sha256(content).hexdigest(), file["digest"], file)

    def assert_refused(self, *words):
        """No shot is begun, and the answer says why."""
        done = self.local.admin.run("trigger", "--all", "--timeout", "5s")
        said = (done.stdout + done.stderr).decode()
        self.assertEqual(done.returncode, 4, said)
        for word in words:
            self.assertIn(word, said)

    def work_on(self, kind):
        disk = self.disk(kind)
        (disk.path / "spools").mkdir()
        # Keys cannot be kept from other users on these.
        state = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "state" if kind in WITHOUT_PERMISSIONS else None
        self.rig_on(library=disk.path / "library", state=state, spools=disk.path / "spools")
        self.assertNotIn("libraryProblem", self.status())
        manifest = self.take()
        target = disk.path / "fetched"
        self.capctl("shots", "get", manifest["id"], "--to", target)
        self.assert_stored(manifest, target)
        self.assertEqual(list(target.rglob("*.part")), [])
        export = disk.path / "exported"
        self.capctl("export", manifest["id"], "--to", export, "--library", self.local.library)
        self.assertTrue([path for path in export.rglob("*.jpg")])
        self.take()
        for part in (self.local.library / ".incoming").iterdir():
            self.fail(f"{part} is left")

    def test_library_spool_and_targets_on_ntfs(self):
        self.work_on("ntfs")

    def test_library_spool_and_targets_on_exfat(self):
        self.work_on("exfat")

    def test_library_spool_and_targets_on_bindfs(self):
        self.work_on("bindfs")

    def start_error(self, program, *arguments):
        done = subprocess.run([programs / program, *map(str, arguments)], capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr.decode()

    def test_a_start_names_the_option_where_keys_cannot_be_private(self):
        for kind in WITHOUT_PERMISSIONS:
            with self.subTest(kind):
                disk = self.disk(kind)
                said = self.start_error("capcoordd", "--library", disk.path / "library", "--base-port", 0, "--until-eof")
                self.assertIn("--state", said)
                self.assertIn("keeps no permissions", said)
                self.assertNotIn("chmod", said)

    def test_a_start_on_ext4_that_is_read_only_says_so(self):
        disk = self.disk("ext4")
        disk.remount("ro")
        said = self.start_error(
            "capcoordd", "--library", disk.path / "library", "--state", self.state(), "--base-port", 0, "--until-eof")
        self.assertIn("read-only", said.lower())

    def test_library_on_ext4_without_a_free_inode(self):
        disk = self.disk("ext4", inodes=1024)
        self.rig_on(library=disk.path / "library", state=self.state())
        self.take()
        disk.use_inodes(leaving=0)
        self.await_true("the status does not say so", lambda: "inodes are free" in self.status().get("libraryProblem", ""))
        self.assert_refused("inodes are free")
        disk.free_inodes()
        self.await_true("it is not usable again", lambda: "libraryProblem" not in self.status())
        self.take()

    def state(self):
        return pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "state"

    def shortage(self):
        return self.status()["nodes"][0].get("spoolShortage", "")

    def test_spool_on_ext4_without_a_free_inode(self):
        disk = self.disk("ext4", inodes=1024)
        self.rig_on(spools=disk.path)
        self.take()
        disk.use_inodes(leaving=5)
        self.await_true("the status names no inodes", lambda: "inodes are free" in self.shortage())
        self.assert_refused("inodes are free")
        disk.free_inodes()
        self.await_true("there is room again", lambda: not self.shortage())
        self.take()

    def test_folders_that_are_removed_while_the_programs_run(self):
        self.rig_on()
        self.take()
        for name in (".incoming", ".quarantine", ".previews"):
            shutil.rmtree(self.local.library / name, ignore_errors=True)
        self.take()
        self.await_true("the status does not say so", lambda: "was removed" in self.status().get("libraryProblem", ""))
        spool = self.local.folder / "node1.spool"
        for name in ("captures", "deferred", "recordings", "settings", "controls"):
            shutil.rmtree(spool / name)
        self.take()


def main(folder, names):
    global programs
    programs = pathlib.Path(folder).resolve()
    return run_tests(NoRig(), names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [f"__main__.{name}" for name in sys.argv[2:]]))
