"""Debian's Chromium without a screen, driven by Playwright, and its processes."""

import contextlib
import os
import shutil

from .processes import family, name

try:
    from playwright.sync_api import sync_playwright

    PROGRAM = shutil.which("chromium")
    PROBLEM = None if PROGRAM else "chromium is not installed; Debian's package is chromium"
except ImportError as error:
    PROBLEM = f"Playwright is not there ({error}); `make bench` installs it from PyPI"

# Room for sixteen tiles of 288 pixels.
SIZE = {"width": 1920, "height": 1400}
# Gives tiles the width of the peer's, and counts for each canvas what is drawn on it.
PREPARE = """
    localStorage.setItem('caprig.tiles', 'medium');
    const draw = CanvasRenderingContext2D.prototype.drawImage;
    CanvasRenderingContext2D.prototype.drawImage = function (...what) {
        this.canvas.drawn = (this.canvas.drawn ?? 0) + 1;
        return draw.apply(this, what);
    };
"""
# Says to the page that its tab is hidden. Playwright keeps all tabs visible.
HIDE = """() => {
    Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
    Object.defineProperty(document, 'hidden', { get: () => true });
    document.dispatchEvent(new Event('visibilitychange'));
}"""
# Whether so many tiles show a picture that was drawn.
SHOWN = """(count) => {
    const canvases = [...document.querySelectorAll('caprig-tile canvas')];
    return canvases.length === count && canvases.every((canvas) => canvas.drawn > 0);
}"""


@contextlib.contextmanager
def window(browser):
    """A browser context: pages that share a session."""
    context = browser.new_context(viewport=SIZE)
    try:
        yield context
    finally:
        context.close()


@contextlib.contextmanager
def running():
    """A browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


def version(browser):
    return f"Chromium {browser.version.split('.')[0]}"


def processes():
    """Those of the browsers that this process has started, all their pages included."""
    return [pid for pid in family(os.getpid()) if name(pid).startswith("chrom")]


def sign_in(context, gateway):
    """A page of the gateway; the further pages of the context are signed in, too."""
    context.add_init_script(PREPARE)
    page = context.new_page()
    page.goto(gateway.link())
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector("caprig-tile")
    return page


def await_tiles(page, count):
    page.wait_for_function(SHOWN, arg=count)
