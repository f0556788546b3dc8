"""TCP connections between nodes and coordinator that can be cut, fall silent, or lag.

Each node has an address of its own on loopback (127.0.0.11, .12, …), or this end of its cable, on which the proxy listens at the coordinator's
ports, so that every channel of the node goes through it: the ports that a welcome tells are the same on both sides.
"""

import asyncio
import contextlib
import threading

CHANNELS = ("control", "clock", "collect")
CHUNK = 1 << 16


class Link:
    """What one channel of one node does with its bytes."""

    def __init__(self):
        self.is_open = True  # else connections are refused
        self.is_silent = False  # bytes are kept back, both ways, and the connections stay
        self.delay = 0.0  # seconds, each way
        self.accepted = 0  # connections so far
        self.deaf = 0  # the first so many of them carry nothing any more, for ever
        self.writers = set()


class Proxy:
    """Runs in a thread of its own; its methods may be called from any other."""

    def __init__(self, nodes, base_port, addresses=(), channels=CHANNELS):
        self.base_port, self.channels = base_port, channels
        self.addresses = {**{node: f"127.0.0.{11 + index}" for index, node in enumerate(nodes)}, **dict(addresses)}
        self.links = {(node, channel): Link() for node in nodes for channel in channels}
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        self.call(self.listen())

    def run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(10)

    def endpoint(self, node):
        """The control endpoint as the node sees it."""
        return f"tcp://{self.addresses[node]}:{self.base_port}"

    async def listen(self):
        for (node, channel), link in self.links.items():
            port = self.base_port + self.channels.index(channel)

            async def accept(reader, writer, link=link, port=port):
                # A task that ends by its cancellation would be told as an error.
                with contextlib.suppress(asyncio.CancelledError):
                    await self.serve(link, port, reader, writer)

            await asyncio.start_server(accept, self.addresses[node], port)

    async def serve(self, link, port, reader, writer):
        if not link.is_open:
            return writer.transport.abort()
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return writer.transport.abort()
        link.writers |= {writer, far_writer}
        link.accepted += 1
        number = link.accepted
        try:
            await asyncio.gather(self.pump(link, number, reader, far_writer), self.pump(link, number, far_reader, writer))
        finally:
            for end in (writer, far_writer):
                link.writers.discard(end)
                end.transport.abort()

    async def pump(self, link, number, reader, writer):
        """Ends both directions with an error when one ends."""
        arrivals = asyncio.Queue(64)

        async def deliver():
            while True:
                due, data = await arrivals.get()
                await asyncio.sleep(max(0, due - self.loop.time()))
                while link.is_silent or number <= link.deaf:
                    await asyncio.sleep(0.02)
                writer.write(data)
                await writer.drain()

        delivery = asyncio.ensure_future(deliver())
        try:
            while data := await reader.read(CHUNK):
                await arrivals.put((self.loop.time() + link.delay, data))
            raise ConnectionResetError
        except OSError:
            writer.transport.abort()
        finally:
            delivery.cancel()

    def each(self, node, channels):
        return [self.links[node, channel] for channel in channels]

    def cut(self, node, channels=CHANNELS):
        """Ends the connections and refuses others until `heal`."""
        for link in self.each(node, channels):
            link.is_open = False
        self.break_off(node, channels)

    def break_off(self, node, channels=CHANNELS):
        """Ends the connections; they may be made anew at once."""

        async def abort():
            for link in self.each(node, channels):
                for writer in list(link.writers):
                    writer.transport.abort()

        self.call(abort())

    def silence(self, node, channels=CHANNELS):
        """Keeps all bytes back until `heal`: a half-open connection, for both ends."""
        for link in self.each(node, channels):
            link.is_silent = True

    def deafen(self, node, channels=CHANNELS):
        """Lets the connections that there are carry nothing any more, for ever; they stay, and others may be made."""
        for link in self.each(node, channels):
            link.deaf = link.accepted

    def lag(self, node, seconds, channels=CHANNELS):
        """Delays each way until `heal`: of one channel only, it reorders messages across channels."""
        for link in self.each(node, channels):
            link.delay = seconds

    def heal(self, node, channels=CHANNELS):
        for link in self.each(node, channels):
            link.is_open, link.is_silent, link.delay = True, False, 0.0

    def stop(self):
        async def end():
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.loop.stop()

        asyncio.run_coroutine_threadsafe(end(), self.loop)
        self.thread.join(5)
