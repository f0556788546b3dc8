"""As much of V4L2 as the check of the cameras needs: a program that streams by mapped buffers."""

import fcntl
import mmap
import os
import struct
from typing import NamedTuple

CAPTURE, MAPPED = 1, 1


def request_code(direction, number, size):
    """An ioctl's number as the kernel makes it (asm-generic/ioctl.h): 1 writes, 2 reads."""
    return direction << 30 | size << 16 | ord("V") << 8 | number


# Of linux/videodev2.h on 64-bit machines.
BUFFERS = struct.Struct("=IIIIB3x")
BUFFER = struct.Struct("=IIIII4xqq16sIIQIII4x")
REQBUFS, QUERYBUF = request_code(3, 8, 20), request_code(3, 9, 88)
QBUF, DQBUF = request_code(3, 15, 88), request_code(3, 17, 88)
STREAMON, STREAMOFF = request_code(1, 18, 4), request_code(1, 19, 4)
QUERYCTRL = request_code(3, 36, 68)


class Frame(NamedTuple):
    index: int
    sequence: int
    # Microseconds of CLOCK_MONOTONIC.
    stamp: int
    image: bytes


class Device:
    """An open camera; OSError as the ioctls fail."""

    def __init__(self, path, blocking=True):
        self.file = os.open(path, os.O_RDWR | (0 if blocking else os.O_NONBLOCK))
        self.buffers = []

    def close(self):
        """Closes the device; harmless where that was done."""
        while self.buffers:
            self.buffers.pop().close()
        if self.file is not None:
            os.close(self.file)
            self.file = None

    def make_buffers(self, count):
        """Maps and queues as many buffers as the driver makes."""
        answer = self._ask(REQBUFS, BUFFERS, count, CAPTURE, MAPPED, 0, 0)
        for index in range(answer[0]):
            buffer = self._buffer(QUERYBUF, index)
            length, offset = buffer[11], buffer[10] & 0xFFFFFFFF
            self.buffers.append(mmap.mmap(self.file, length, mmap.MAP_SHARED, mmap.PROT_READ, offset=offset))
            self.queue(index)

    def queue(self, index):
        self._buffer(QBUF, index)

    def dequeue(self):
        """The oldest frame; waits for one where the file blocks. Its buffer is the caller's until it is queued."""
        index, _, used, _, _, seconds, microseconds, _, sequence, *_ = self._buffer(DQBUF, 0)
        return Frame(index, sequence, seconds * 1_000_000 + microseconds, self.buffers[index][:used])

    def start(self):
        fcntl.ioctl(self.file, STREAMON, struct.pack("=i", CAPTURE))

    def stop(self):
        fcntl.ioctl(self.file, STREAMOFF, struct.pack("=i", CAPTURE))

    def query_control(self, control):
        self._ask(QUERYCTRL, struct.Struct("=I64x"), control)

    def _buffer(self, request, index):
        return self._ask(request, BUFFER, index, CAPTURE, 0, 0, 0, 0, 0, bytes(16), 0, MAPPED, 0, 0, 0, 0)

    def _ask(self, request, form, *fields):
        block = bytearray(form.pack(*fields))
        fcntl.ioctl(self.file, request, block)
        return form.unpack(block)
