"""ustreamer, a process for every camera, which serves the cameras' own JPEG bytes over HTTP."""

import contextlib
import shutil
import socket
import subprocess
import time

PROGRAM = shutil.which("ustreamer")
PROBLEM = None if PROGRAM else "it is not installed; Debian's package is ustreamer"


def version():
    return subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, text=True).stdout.strip()


def free_ports(count):
    """Ports that were free a moment ago; another program may still take them first."""
    with contextlib.ExitStack() as sockets:
        held = [sockets.enter_context(socket.socket()) for _ in range(count)]
        for each in held:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in held]


def command(node, port, width, height, rate):
    return [PROGRAM, f"--device={node}", "--format=MJPEG", "--encoder=HW", f"--resolution={width}x{height}",
            f"--desired-fps={rate}", "--host=127.0.0.1", f"--port={port}", "--tcp-nodelay"]


@contextlib.contextmanager
def running(log, nodes, environment, width, height, rate, options=()):
    """Process ids, and what a viewer is told to watch, of servers that answer."""
    ports = free_ports(len(nodes))
    with open(log, "wb") as file:
        processes = [
            subprocess.Popen(
                [*command(node, port, width, height, rate), *options], stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                env=environment)
            for node, port in zip(nodes, ports)
        ]
    try:
        for port in ports:
            await_listener(port)
        yield [process.pid for process in processes], ["http", *(f"127.0.0.1:{port}/stream" for port in ports)]
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(10)


def await_listener(port, seconds=10):
    deadline = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
