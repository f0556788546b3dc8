"""What a gateway costs when nobody looks, and its memory while tabs of a browser come and go."""

import collections
import contextlib
import time

from . import chromium
from .figures import digits, table
from .processes import Meter, resident

IDLE_HEADER = ["gateway", "seconds", "% of a core", "resident MB"]
TABS_HEADER = ["minutes", "tabs opened", "resident MB: begin", "middle", "end", "most"]
WITHOUT, HIDDEN = "no page", "a page in a hidden tab"
OPEN = 3  # tabs at a time
LOOK = 1  # seconds from one tab to the next
WARM = 5  # tabs before the first figure
PATIENCE = 10  # seconds until a hidden tab watches nothing


@contextlib.contextmanager
def hidden(browser, rig, web, tiles):
    """A page of the gateway whose tab is hidden, once no node makes pictures for it."""
    with chromium.window(browser) as window:
        page = chromium.sign_in(window, web)
        chromium.await_tiles(page, tiles)
        page.evaluate(chromium.HIDE)
        deadline = time.monotonic() + PATIENCE
        while any(int(node["watched"]) for node in rig.frames()):
            if time.monotonic() > deadline:
                raise RuntimeError(f"a page in a hidden tab still watches cameras after {PATIENCE} s")
            # Pacing: the agent tells it each second.
            time.sleep(0.5)
        yield


def observe(gateways, seconds):
    """Percent of a core and resident bytes of each gateway, by what it does, in the same seconds."""
    meter = Meter({doing: [web.pid] for doing, web in gateways.items()})
    time.sleep(seconds)
    return {doing: (share, resident(gateways[doing].pid)) for doing, share in meter.shares().items()}


def text(seen, seconds):
    return table(IDLE_HEADER, [[doing, f"{seconds:g}", f"{share:.2f}", digits(memory / 1e6)] for doing, (share, memory) in seen.items()])


class Tabs:
    """Tabs that open, show every camera's picture, and close; the gateway's memory after each."""

    def __init__(self, browser, web, tiles):
        self.browser, self.web, self.tiles = browser, web, tiles
        self.opened, self.memory = 0, []  # instants and bytes

    def run(self, minutes):
        with chromium.window(self.browser) as window:
            tabs = collections.deque([chromium.sign_in(window, self.web)])
            for _ in range(WARM):
                self.turn(window, tabs)
            self.opened, self.memory, self.minutes = 0, [], minutes
            end = time.monotonic() + 60 * minutes
            while time.monotonic() < end or len(self.memory) < 3:
                self.turn(window, tabs)
                self.memory.append((time.monotonic(), resident(self.web.pid)))

    def turn(self, window, tabs):
        tab = window.new_page()
        tab.goto(self.web.address)
        chromium.await_tiles(tab, self.tiles)
        self.opened += 1
        tabs.append(tab)
        # Pacing: a tab is looked at.
        time.sleep(LOOK)
        if len(tabs) > OPEN:
            tabs.popleft().close()

    def text(self):
        times, sizes = zip(*self.memory)
        half = (times[0] + times[-1]) / 2
        middle = next(size for at, size in self.memory if at >= half)
        figures = [digits(size / 1e6) for size in (sizes[0], middle, sizes[-1], max(sizes))]
        return table(TABS_HEADER, [[f"{self.minutes:g}", self.opened, *figures]])
