"""An agent in another language, with the key of a node: says hello on the control channel, then what it is told to. It captures
nothing."""

import os

import zmq

from caprig_client import PROTOCOL_VERSION, clock, collect, common, connect, control

CONTROL_LIMIT = 4 << 20


class Stranger:
    def __init__(self, endpoint, node, keys, epoch=None):
        self.host, self.keys = endpoint.rsplit(":", 1)[0], keys
        self.node, self.epoch = node, epoch or int.from_bytes(os.urandom(8), "big") | 1
        self.coordinator_epoch = 0
        self.control = connect(zmq.DEALER, endpoint, CONTROL_LIMIT, keys)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.control.close()

    def say(self, **body):
        message = control.AgentMessage(
            node=self.node, epoch=self.epoch, coordinator_epoch=self.coordinator_epoch, **body
        )
        self.control.send(message.SerializeToString())

    def hear(self, *kinds, seconds=5):
        """The next message of one of these kinds, as (kind, content); others are passed over."""
        while self.control.poll(seconds * 1000):
            message = control.CoordinatorMessage.FromString(self.control.recv())
            kind = message.WhichOneof("body")
            if kind in kinds:
                self.coordinator_epoch = message.epoch
                return kind, getattr(message, kind)
        raise TimeoutError(f"none of {kinds} came")

    def join(self, devices=(), boot_id="another-machine", version=PROTOCOL_VERSION, ring_depth_ns=10**9,
             software="stranger", bus_library=None):
        """Says hello and returns the answer: ("welcome", …) or ("refused", …)."""
        self.say(
            hello=control.Hello(
                protocol_version=version, software=software, boot_id=boot_id, devices=devices,
                ring_depth_ns=ring_depth_ns, bus_library=bus_library,
            )
        )
        return self.hear("welcome", "refused")

    def connect_clock(self, welcome):
        return connect(zmq.DEALER, f"{self.host}:{welcome.clock_port}", 256, self.keys)

    def connect_collect(self, welcome):
        return connect(zmq.DEALER, f"{self.host}:{welcome.collect_port}", 1 << 20, self.keys)

    def camera(self, name, **condition):
        """A camera that claims to run."""
        frames = common.VideoFormat(pixel_format="MJPG", width=640, height=360, frame_interval_ns=33_333_333)
        return common.DeviceStatus(
            device=common.DeviceDescription(
                id=common.DeviceId(node=self.node, device=name), media_type="video", type="wide",
                position="unspecified", purpose="A camera that is not there", driver="virtual",
            ),
            condition=common.DeviceCondition(
                state="running", format=frames, counters=common.FrameCounters(), **condition
            ),
        )


def probe(socket, sequence, t1=123):
    """One clock probe and its ClockReply."""
    socket.send(clock.ClockProbe(sequence=sequence, t1_local_ns=t1).SerializeToString())
    if not socket.poll(5000):
        raise TimeoutError("the clock channel does not answer")
    return clock.ClockReply.FromString(socket.recv())


def collect_say(socket, node, epoch, **body):
    """Sends on the collect channel and returns the answer; None where there is none within a second."""
    message = collect.CollectFromAgent(node=node, epoch=epoch, **body)
    socket.send(message.SerializeToString())
    return collect.CollectFromCoordinator.FromString(socket.recv()) if socket.poll(1000) else None
