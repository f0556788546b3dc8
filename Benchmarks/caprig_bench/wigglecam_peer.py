"""wigglecam's nodes with its virtual camera, triggered and collected as its demo hub does."""

import contextlib
import pathlib
import random
import socket
import subprocess
import sys
import time
import uuid

try:
    import pynng
    from wigglecam.dto import ImageMessage

    PROBLEM = None
except ImportError as error:
    PROBLEM = str(error)

NODE = pathlib.Path(sys.executable).parent / "wigglecam-node"


def free_base_port():
    """A port with two free ones after it; another program may still take them first."""
    while True:
        base = random.randrange(20_000, 60_000)
        with contextlib.ExitStack() as sockets, contextlib.suppress(OSError):
            for port in range(base, base + 3):
                sockets.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return base


@contextlib.contextmanager
def nodes(count):
    """Base ports of running nodes."""
    ports = [free_base_port() for _ in range(count)]
    running = [
        subprocess.Popen(
            [NODE, "--device-id", str(number), "--bind-ip", "127.0.0.1", "--base-port", str(port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for number, port in enumerate(ports)
    ]
    try:
        yield ports
    finally:
        for node in running:
            node.terminate()
        for node in running:
            node.wait(10)


def collect(results, job, folder, count):
    """Receives and writes the pictures of a job; files are not synced, as in the hub."""
    missing = count
    while missing:
        message = ImageMessage.from_bytes(results.recv())
        if message.job_id == job:
            (folder / f"{job}-{message.device_id}.jpg").write_bytes(message.jpg_bytes)
            missing -= 1


def shoot(trigger, results, folder, count):
    """Nanoseconds from sending a trigger to the last picture written."""
    job = uuid.uuid4()
    start = time.monotonic_ns()
    trigger.send(job.bytes)
    collect(results, job, folder, count)
    return time.monotonic_ns() - start


def measure(folder, count, shots):
    with nodes(count) as ports, pynng.Pub0() as trigger, pynng.Sub0(recv_timeout=5_000) as results:
        results.subscribe(b"")
        for port in ports:
            dial(trigger, port)
            dial(results, port + 2)
        # The nodes' subscriptions and cameras have no way to say that they are ready.
        time.sleep(1)
        times = []
        for _ in range(shots):
            times.append(shoot(trigger, results, folder, count))
            time.sleep(random.uniform(0.05, 0.15))
        return times


def dial(endpoint, port, seconds=30):
    deadline = time.monotonic() + seconds
    while True:
        try:
            return endpoint.dial(f"tcp://127.0.0.1:{port}", block=True)
        except pynng.ConnectionRefused:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
