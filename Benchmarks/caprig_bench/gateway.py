"""The gateway of a rig whose cameras are those of Benchmarks/Camera."""

import contextlib
import dataclasses
import os
import pathlib
import subprocess
import urllib.parse

from . import daemons
from .cameras import HEIGHT, WIDTH

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources" / "Interfaces" / "WebGateway" / "Page"
DEVICE = (
    "  - {{ name: cam{number}, purpose: Is measured, source: {{ v4l2: {{ path: {node} }} }}, format: "
    "{{ pixelFormat: MJPG, width: {width}, height: {height}, framesPerSecond: {rate} }} }}\n"
)


@dataclasses.dataclass
class Gateway:
    rig: daemons.Coordinator
    pid: int
    address: str

    @property
    def port(self):
        return urllib.parse.urlsplit(self.address).port

    def link(self):
        """What signs a browser in that may look."""
        return self.rig.ask("web", "login", "--at", self.address, "--may", "view")["link"]

    def token(self):
        """What lets a program look."""
        return self.rig.ask("web", "token", "--label", "bench", "--may", "view")["token"]


class Rig:
    """A coordinator with agents, which may have gateways."""

    def __init__(self, coordinator, folder, agents):
        self.coordinator, self.folder, self.agents = coordinator, folder, agents  # the agents' process ids
        self.environment = {"XDG_CONFIG_HOME": str(folder / "web")}
        self.join()

    def join(self):
        """Gives the gateways their key (docs/web.md)."""
        code = self.coordinator.ask("keys", "invite", "web", "--role", "dashboard")["code"]
        subprocess.run(
            [self.coordinator.programs / "capctl", "join", code, "--context", "rig"], check=True, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, env={**os.environ, **self.environment})

    @contextlib.contextmanager
    def gateway(self, name="capwebd"):
        command = [self.coordinator.programs / "capwebd", "--context", "rig", "--page", PAGE, "--port", 0]
        with daemons.daemon(self.folder / f"{name}.log", *command, environment=self.environment) as announced:
            yield Gateway(self.coordinator, announced["pid"], announced["address"])

    def frames(self):
        """What the nodes have published and scaled."""
        return self.coordinator.ask("frames", "info")["nodes"]


def configuration(node, cameras, rate):
    devices = "".join(DEVICE.format(number=number, node=path, width=WIDTH, height=HEIGHT, rate=rate) for number, path in cameras)
    return f"node: {node}\nspool: {{ limit: 64 MiB, reserve: 1 MiB }}\nring: {{ depth: 3 s }}\ndevices:\n{devices}"


@contextlib.contextmanager
def rig(programs, folder, source, nodes, rate):
    """A rig whose nodes share the cameras evenly. They are named by their numbers."""
    with contextlib.ExitStack() as stack:
        coordinator = stack.enter_context(daemons.coordinator(programs, folder))
        cameras, agents = list(enumerate(source.nodes)), []
        for number in range(nodes):
            place, mine = folder / f"node{number + 1}", cameras[number::nodes]
            place.mkdir()
            text = configuration(place.name, mine, rate)
            told = stack.enter_context(daemons.agent(coordinator, place, text, shift=0, environment=source.environment))
            if told["running"] != len(mine):
                log = (place / "agent.log").read_text()[-2000:]
                raise RuntimeError(f"only {told['running']} of {len(mine)} cameras of {place.name} run:\n{log}")
            agents.append(told["pid"])
        yield Rig(coordinator, folder, agents)
