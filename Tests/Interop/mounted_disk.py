"""File systems in files, mounted for the time of a test."""

import errno
import itertools
import os
import pathlib
import shutil
import subprocess
import tempfile

MEBIBYTE = 1 << 20


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr.decode()}{done.stdout.decode()}")
    return done.stdout.decode().strip()


class MountedDisk:
    """A file system on a loop device, or a view of a folder through FUSE."""

    TOOLS = {"ext4": ["mkfs.ext4"], "exfat": ["mkfs.exfat", "mount.exfat-fuse"], "ntfs": ["mkntfs", "ntfs-3g"], "bindfs": ["bindfs"]}

    @classmethod
    def obstacle(cls, kind):
        """Why this machine cannot mount it; None if it can."""
        if os.geteuid() != 0:
            return f"{kind}: needs root"
        if kind != "ext4" and not os.path.exists("/dev/fuse"):
            return f"{kind}: needs /dev/fuse"
        if kind != "bindfs" and not os.path.exists("/dev/loop-control"):
            return f"{kind}: needs loop devices"
        missing = [tool for tool in cls.TOOLS[kind] if not shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")]
        return f"{kind}: needs {', '.join(missing)}" if missing else None

    def __init__(self, kind, size=96 * MEBIBYTE, inodes=None):
        self.kind, self.loop = kind, None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"caprig-{kind}-"))
        self.path, image = self.folder / "disk", self.folder / "image"
        self.path.mkdir()
        try:
            if kind == "bindfs":
                image.mkdir()
                run("bindfs", image, self.path)
            else:
                with open(image, "wb") as file:
                    file.truncate(size)
                self.loop = run("losetup", "--find", "--show", image)
                {"ext4": self.mount_ext4, "exfat": self.mount_exfat, "ntfs": self.mount_ntfs}[kind](inodes)
            if not os.path.ismount(self.path):
                raise RuntimeError(f"{kind} is not mounted at {self.path}")
        except BaseException:
            self.end()
            raise

    def mount_ext4(self, inodes):
        # Nothing is kept for root, and the kernel initializes no tables beside the test.
        count = ["-N", inodes] if inodes else []
        run("mkfs.ext4", "-q", "-m", 0, "-E", "lazy_itable_init=0", *count, self.loop)
        run("mount", "-t", "ext4", self.loop, self.path)

    def mount_exfat(self, _):
        run("mkfs.exfat", self.loop)
        run("mount.exfat-fuse", self.loop, self.path)

    def mount_ntfs(self, _):
        run("mkntfs", "--quick", "--force", self.loop)
        run("ntfs-3g", self.loop, self.path)

    def remount(self, option):
        """Refused by the kernel while a file is open for writing."""
        run("mount", "-o", f"remount,{option}", self.path)

    def use_inodes(self, leaving):
        """Creates empty files until so many inodes are left."""
        filler = self.path / "filler"
        filler.mkdir()
        for number in itertools.count():
            if os.statvfs(self.path).f_favail <= leaving:
                return
            try:
                (filler / str(number)).touch()
            except OSError as error:
                # A daemon may take the last one in between.
                if error.errno != errno.ENOSPC:
                    raise
                return

    def free_inodes(self):
        shutil.rmtree(self.path / "filler")

    def end(self):
        if os.path.ismount(self.path):
            run("umount", self.path)
        if self.loop:
            # A daemon of FUSE has the device for a moment longer; the kernel then detaches it at the end.
            run("losetup", "--detach", self.loop)
        shutil.rmtree(self.folder, ignore_errors=True)
