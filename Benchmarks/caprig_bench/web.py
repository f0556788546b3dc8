"""The gateway and its page: tiles in Chromium beside ustreamer's, many viewers of one camera, an idle gateway, tabs that come and go."""

import contextlib

from . import cameras, chromium, failure, gateway, idle, picture_code, tiles, viewers
from .places import MEMORY, scratch

CAMERAS = 4  # of the rig that is looked at by viewers, by nobody, and by tabs


@contextlib.contextmanager
def browser(notes):
    """Chromium, or None and a note why there is none."""
    if chromium.PROBLEM:
        notes.append(f"Nothing could be measured in a browser: {chromium.PROBLEM}.")
        yield None
        return
    with contextlib.ExitStack() as stack:
        try:
            opened = stack.enter_context(chromium.running())
        except Exception as problem:  # whatever keeps it from starting, the rest is measured
            notes.append(f"Nothing could be measured in a browser: {failure.reason(problem)}")
            opened = None
        yield opened


def measure_walls(context, opened, film, place):
    """The text of the pages of tiles."""
    walls = tiles.Walls(context, opened, film, place)
    for number in range(context.rounds):
        # Who goes first changes from round to round.
        for wall in walls.contenders()[:: -1 if number % 2 else 1]:
            wall()
    return walls.text()


def measure_gateway(context, opened, film, place):
    """The texts of everything else, on one rig."""
    with (
        scratch(place) as folder, cameras.running(context.camera, folder, film, CAMERAS, viewers.RATE) as source,
        gateway.rig(context.programs, folder, source, 1, viewers.RATE) as rig, rig.gateway() as web,
    ):
        watched = viewers.Viewers(context)
        for _ in range(context.rounds):
            watched.run(rig, web)
        yield f"Viewers of one camera:\n\n{watched.text()}"
        context.settle()
        yield f"Nobody looks:\n\n{measure_idle(context, opened, rig, web)}"
        if opened:
            tabs = idle.Tabs(opened, web, CAMERAS)
            tabs.run(context.web_minutes)
            context.say(f"web: {tabs.opened} tabs")
            yield f"Tabs, up to {idle.OPEN} at a time:\n\n{tabs.text()}"


def measure_idle(context, opened, rig, web):
    """The gateway that has served the viewers, and beside it one of its own for the hidden tab."""
    with contextlib.ExitStack() as stack:
        gateways = {idle.WITHOUT: web}
        if opened:
            gateways[idle.HIDDEN] = stack.enter_context(rig.gateway("capwebd-hidden"))
            stack.enter_context(idle.hidden(opened, rig, gateways[idle.HIDDEN], CAMERAS))
        seen = idle.observe(gateways, context.idle_seconds)
    for doing, (share, _) in seen.items():
        context.say(f"web: {doing}: {share:.2f} %")
    return idle.text(seen, context.idle_seconds)


def measure(context):
    place, notes, parts = str(MEMORY) if MEMORY.is_dir() else context.disk, [], []
    with scratch(place) as folder, browser(notes) as opened:
        film = cameras.film(folder, frames=picture_code.PICTURES, drawn=picture_code.filters())
        if opened:
            parts.append(measure_walls(context, opened, film, place))
        parts += measure_gateway(context, opened, film, place)
    return "\n\n".join([*parts, *notes])
