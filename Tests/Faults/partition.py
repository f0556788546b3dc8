"""A node on a machine of its own, as far as the network goes: a network namespace with one cable, which can be pulled.

Nothing is told to either end when it is: packets go nowhere, and connections seem to stand. Needs root and `ip`.
"""

import os
import pathlib
import random
import subprocess


def may_partition():
    """Why not; None where it may."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    try:
        with Cable():
            return None
    except (OSError, subprocess.CalledProcessError) as error:
        return f"no network namespace: {getattr(error, 'stderr', b'') or error}"


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


class Cable:
    """A namespace and the cable to it, until `remove`."""

    def __init__(self):
        # Interface names have at most 15 characters.
        dice = random.SystemRandom()
        self.name = f"cf{dice.randrange(1 << 28):07x}"
        subnet = f"10.{dice.randrange(200, 250)}.{dice.randrange(256)}"
        self.address = f"{subnet}.1"  # of this end
        try:
            ip("netns", "add", self.name)
            ip("link", "add", f"{self.name}a", "type", "veth", "peer", "name", f"{self.name}b", "netns", self.name)
            ip("addr", "add", f"{self.address}/30", "dev", f"{self.name}a")
            ip("link", "set", f"{self.name}a", "up")
            ip("-n", self.name, "addr", "add", f"{subnet}.2/30", "dev", f"{self.name}b")
            ip("-n", self.name, "link", "set", f"{self.name}b", "up")
            ip("-n", self.name, "link", "set", "lo", "up")
        except BaseException:
            self.remove()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    @property
    def command(self):
        """What a program is started with to be there; it takes this one's place."""
        return ("nsenter", f"--net={pathlib.Path('/run/netns') / self.name}")

    def pull(self):
        # The far end: this one's address stays, so that nothing here notices either.
        ip("-n", self.name, "link", "set", f"{self.name}b", "down")

    def plug(self):
        ip("-n", self.name, "link", "set", f"{self.name}b", "up")

    def remove(self):
        # The cable goes with the namespace.
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True, check=False)
