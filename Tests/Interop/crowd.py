"""Strangers that occupy every connection that a port keeps."""

import contextlib
import resource
import selectors
import socket
import threading
import time
import unittest


class Crowd:
    """Keeps so many TCP connections to a port, without a handshake, and makes each again as soon as it ends."""

    def __init__(self, port, count, host="127.0.0.1"):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < count + 256:
            raise unittest.SkipTest(f"{count} connections need more than the {hard} descriptors that a process may have here")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count + 256), hard))
        self.address, self.count = (host, port), count
        self.selector = selectors.EpollSelector()
        self.made = 0  # connections in all
        self.is_over = False
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        for _ in range(self.count):
            self.connect()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()

    def connect(self):
        stranger = socket.socket()
        stranger.setblocking(False)
        stranger.connect_ex(self.address)
        self.selector.register(stranger, selectors.EVENT_READ)
        self.made += 1

    def run(self):
        while not self.is_over:
            for key, _ in self.selector.select(0.1):
                with contextlib.suppress(OSError):
                    if key.fileobj.recv(256):
                        continue  # the server's greeting
                self.selector.unregister(key.fileobj)
                key.fileobj.close()
                self.connect()
            time.sleep(0)  # others' turn
