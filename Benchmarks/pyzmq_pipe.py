"""What collecting a file costs at least, with pyzmq: sent in chunks over TCP, hashed, written and synced.

    pyzmq_pipe.py FROM TO    prints the nanoseconds from the first chunk that is asked for to the synced file
"""

import hashlib
import multiprocessing
import os
import sys
import time

import zmq

CHUNK = 256 << 10


def send(path, endpoint):
    socket = zmq.Context().socket(zmq.PUSH)
    socket.sndhwm = 16
    socket.connect(endpoint)
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            socket.send(chunk, copy=False)
    socket.close()


def receive(path, socket, size):
    digest = hashlib.sha256()
    with open(path, "wb") as file:
        while size > 0:
            chunk = socket.recv(copy=False).buffer
            digest.update(chunk)
            file.write(chunk)
            size -= len(chunk)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def main(source, target):
    socket = zmq.Context.instance().socket(zmq.PULL)
    socket.rcvhwm = 16
    socket.bind("tcp://127.0.0.1:*")
    sender = multiprocessing.get_context("spawn").Process(target=send, args=(source, socket.getsockopt_string(zmq.LAST_ENDPOINT)))
    sender.start()
    socket.poll()  # until the first chunk is here: the other process has started
    began = time.monotonic_ns()
    receive(target, socket, os.path.getsize(source))
    print(time.monotonic_ns() - began)
    sender.join()
    socket.close(0)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
