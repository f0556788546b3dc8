"""A page of moving tiles in Chromium: the gateway's, and beside it a page of ustreamer's streams from the same cameras.

What it costs those who make and carry the pictures and those who show them, how many pictures are drawn, and how old is what is shown.
"""

import contextlib
import dataclasses
import functools
import json
import time
import urllib.request

from . import cameras, chromium, failure, gateway, picture_code, ustreamer_peer
from .cameras import HEIGHT, WIDTH
from .figures import digits, percentile, table
from .places import scratch
from .processes import Meter

TILES, RATE, NODES = 16, 10, 2
FEWER = (TILES, 8, 4)  # tiles that ustreamer is tried with, until it manages
ENOUGH = 0.9  # of the pictures, for each tile, and
OLD = 1e9  # nanoseconds that 95 of 100 looks must not exceed, to have managed
SETTLE = 3  # seconds until rings are full, and the page has found its rate
OURS, BEFORE, USTREAMER = "capagentd and capwebd", "capagentd and capwebd before", "ustreamer"
AGENTS, GATEWAY, BROWSER = "agents", "gateway", "chromium"
HEADER = ["programs", "tiles", "n", "pictures a second of a tile: min", "p50", "looks", "age, ms: p50", "p95", "max",
          "agents or servers, % of a core: p50", "max", "gateway: p50", "max", "Chromium: p50", "max"]
PAGE = """<!doctype html>
<title>ustreamer</title>
<style>body {{ display: flex; flex-wrap: wrap; gap: 8px; }} img {{ inline-size: 288px; aspect-ratio: 16 / 9; }}</style>
{images}
"""
IMAGE = '<img crossorigin="anonymous" src="http://{source}">\n'


@dataclasses.dataclass
class Observation:
    rates: list  # pictures a second, of each tile
    ages: list  # nanoseconds of each look; None where nothing could be read
    shares: dict  # percent of a core, by group of processes
    clock_bound: int

    @property
    def is_managed(self):
        seen = [age for age in self.ages if age is not None]
        return min(self.rates) >= ENOUGH * RATE and bool(seen) and percentile(seen, 95) <= OLD


class GatewayPage:
    """The page of a gateway, with a tile for each camera."""

    pictures = "caprig-tile canvas"

    def __init__(self, page, rig, web):
        self.page, self.groups = page, {AGENTS: rig.agents, GATEWAY: [web.pid]}
        names = page.evaluate("[...document.querySelectorAll('caprig-tile')].map((tile) => tile.entry.device.id)")
        self.cameras = [int(name.split("/cam")[1]) for name in names]

    def begin(self):
        self.began, self.drawn = time.monotonic(), self._drawn()

    def rates(self):
        """What each tile has drawn since the beginning."""
        seconds = time.monotonic() - self.began
        return [(drawn - before) / seconds for drawn, before in zip(self._drawn(), self.drawn)]

    def _drawn(self):
        return self.page.evaluate("(pictures) => [...document.querySelectorAll(pictures)].map((canvas) => canvas.drawn ?? 0)", self.pictures)


class StreamsPage:
    """A page of streams, with an image for each."""

    pictures = "img"

    def __init__(self, page, pids, sources):
        self.page, self.groups, self.sources = page, {AGENTS: pids}, sources
        self.cameras = list(range(len(sources)))

    def begin(self):
        pass

    def rates(self):
        """What each server has sent in the last second: Chromium does not say what it draws of an image that changes."""
        return [self._sent(source) for source in self.sources]

    @staticmethod
    def _sent(source):
        with urllib.request.urlopen(f"http://{source.replace('/stream', '/state')}", timeout=10) as answer:
            clients = json.load(answer)["result"]["stream"]["clients_stat"]
        return sum(client["fps"] for client in clients.values())


@contextlib.contextmanager
def gateway_page(programs, context, browser, folder, source):
    with gateway.rig(programs, folder, source, NODES, RATE) as rig, rig.gateway() as web, chromium.window(browser) as window:
        page = chromium.sign_in(window, web)
        chromium.await_tiles(page, len(source.nodes))
        yield GatewayPage(page, rig, web)


@contextlib.contextmanager
def streams_page(context, browser, folder, source):
    options = ["--allow-origin=*", f"--static={folder}"]
    log, nodes = folder / "ustreamer.log", source.nodes
    with (
        ustreamer_peer.running(log, nodes, source.environment, WIDTH, HEIGHT, RATE, options) as (pids, (_, *sources)),
        chromium.window(browser) as window,
    ):
        (folder / "tiles.html").write_text(PAGE.format(images="".join(IMAGE.format(source=each) for each in sources)))
        page = window.new_page()
        page.goto(f"http://{sources[0].replace('/stream', '/tiles.html')}", wait_until="commit")
        page.wait_for_function("(count) => [...document.images].filter((image) => image.naturalWidth > 0).length === count", arg=len(sources))
        yield StreamsPage(page, pids, sources)


def observe(shown, source, seconds):
    """Costs and rates over some seconds, then, over as many, looks at the pictures, which cost the page something themselves."""
    time.sleep(SETTLE)
    meter = Meter({**shown.groups, BROWSER: chromium.processes()})
    shown.begin()
    time.sleep(seconds)
    shares, rates = meter.shares(), shown.rates()
    offset, bound = picture_code.page_clock(shown.page)
    looks = shown.page.evaluate(picture_code.LOOK, [shown.pictures, seconds])
    return Observation(rates, picture_code.ages(looks, shown.cameras, source.dequeued(), offset), shares, bound)


class Walls:
    """What has been observed so far, by programs and number of tiles."""

    def __init__(self, context, browser, film, place):
        self.context, self.browser, self.film, self.place = context, browser, film, place
        self.seen, self.notes = {}, set()

    def contenders(self):
        """Those that take turns."""
        before = [self.before] if self.context.before else []
        return [self.ours, *before, self.ustreamer]

    def ours(self):
        self.run(OURS, functools.partial(gateway_page, self.context.programs), TILES)

    def before(self):
        """The page of another build."""
        self.run(BEFORE, functools.partial(gateway_page, self.context.before), TILES)

    def ustreamer(self):
        """With as many tiles as it manages; the tries with more are kept, too."""
        if ustreamer_peer.PROBLEM:
            return self.notes.add(f"ustreamer could not be measured: {ustreamer_peer.PROBLEM}.")
        try:
            for tiles in FEWER:
                if self.run(f"{USTREAMER} {ustreamer_peer.version()}", streams_page, tiles).is_managed:
                    return None
        except Exception as problem:  # whatever the peer did, the rest is measured
            self.notes.add(f"ustreamer could not be measured: {failure.reason(problem)}")
        return None

    def run(self, name, page, tiles):
        self.context.settle()
        with (
            scratch(self.place) as folder, cameras.running(self.context.camera, folder, self.film, tiles, RATE) as source,
            page(self.context, self.browser, folder, source) as shown,
        ):
            seen = observe(shown, source, self.context.seconds)
        ages = [age for age in seen.ages if age is not None]
        told = f"{percentile(ages, 50) / 1e6:.0f} ms old" if ages else "not one could be read"
        self.context.say(f"web: {name}, {tiles} tiles: {min(seen.rates):.1f} pictures a second of each, {told}")
        self.seen.setdefault((name, tiles), []).append(seen)
        return seen

    def text(self):
        rows = [[name, tiles, len(seen), *cells(seen)] for (name, tiles), seen in sorted(self.seen.items(), key=lambda item: item[0][0])]
        each = [seen for series in self.seen.values() for seen in series]
        if each:
            unread = sum(age is None for seen in each for age in seen.ages)
            self.notes.add(f"Looks at which no frame could be read: {unread or 'none'}. The page's clock is known to "
                           f"{max(seen.clock_bound for seen in each) / 1e6:.1f} ms.")
        return "\n\n".join([table(HEADER, rows), " ".join([
            f"{WIDTH} × {HEIGHT} MJPEG at {RATE} frames per second, in {chromium.version(self.browser)}; {self.context.seconds:g} s of cost and "
            f"as many of looks in each of the n rounds.", *sorted(self.notes)])])


def cells(series):
    rates = [rate for seen in series for rate in seen.rates]
    ages = [age / 1e6 for seen in series for age in seen.ages if age is not None]
    row = [digits(min(rates)), digits(percentile(rates, 50)), len(ages)]
    row += [digits(value) for value in (percentile(ages, 50), percentile(ages, 95), max(ages))] if ages else ["–"] * 3
    for group in (AGENTS, GATEWAY, BROWSER):
        shares = [seen.shares[group] for seen in series if group in seen.shares]
        row += [digits(percentile(shares, 50)), digits(max(shares))] if shares else ["–", "–"]
    return row
