"""Machines to follow the pages on: namespaces of their own for network and mounts, with a cable in between.

What is installed on one is seen there alone: `/etc` and `/usr/local` are copies, and `/var/lib` is empty; they end with the machine.
"""

import pathlib
import subprocess

# $1: a folder to mount the machine's own files on.
SETUP = r"""
set -e
mount -t tmpfs none "$1"
mkdir "$1/etc" "$1/local"
cp -a /etc/. "$1/etc"
mount --bind "$1/etc" /etc
mount -t tmpfs none /var/lib
mount --bind /usr/local "$1/local"
mount -t tmpfs none /usr/local
for entry in "$1"/local/*; do
  case ${entry##*/} in
  bin|share) mkdir "/usr/local/${entry##*/}"; find "$entry" -mindepth 1 -maxdepth 1 -exec ln -st "/usr/local/${entry##*/}" {} + ;;
  *) ln -s "$entry" /usr/local ;;
  esac
done
ip link set lo up
echo ready
exec cat
"""


class Machine:
    """Exists until `end`, or until this program ends."""

    def __init__(self, name, folder):
        self.name, self.folder = name, pathlib.Path(folder) / name
        self.folder.mkdir()
        own = self.folder / ".machine"
        own.mkdir()
        self.holder = subprocess.Popen(
            ["unshare", "--mount", "--net", "--propagation", "private", "bash", "-c", SETUP, "machine", str(own)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if self.holder.stdout.readline() != b"ready\n":
            raise OSError(f"no namespaces: {self.holder.stderr.read().decode(errors='replace').strip()}")
        self.daemons = {}  # by program
        self.variables = {"HOME": str(self.folder)}  # of the shell

    @property
    def process(self):
        return self.holder.pid

    def inside(self, *command):
        """What a program is started with to be on this machine; it takes this one's place."""
        return ["nsenter", f"--target={self.process}", "--mount", "--net", f"--wd={self.folder}", *command]

    def ip(self, *arguments):
        subprocess.run(self.inside("ip", *arguments), check=True, capture_output=True)

    def connect(self, other, address, other_address):
        """A cable between the two."""
        self.ip("link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", str(other.process))
        for machine, own in (self, address), (other, other_address):
            machine.ip("addr", "add", f"{own}/24", "dev", "eth0")
            machine.ip("link", "set", "eth0", "up")

    def end(self):
        self.holder.communicate()


def may_follow(folder):
    """Why there can be no machine; None where there can."""
    try:
        Machine("trial", folder).end()
        return None
    except OSError as error:
        return str(error)
