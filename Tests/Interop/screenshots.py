#!/usr/bin/env python3
"""Screenshots of every view of the page: python screenshots.py FOLDER-OF-PROGRAMS FOLDER [VIEW]...

Of a rig with sixteen virtual cameras, and of one without any, in light and dark, each of three sizes, as FOLDER/VIEW-SIZE-SCHEME.png. The view
`page` is docs/page.png: eight cameras, written in its place. Nothing is compared: somebody looks at the pictures.
"""

import contextlib
import pathlib
import subprocess
import sys
import time

from playwright.sync_api import sync_playwright

from test_web import ROOT, Script, WebRig, new_shot

SIZES = {"1400x900": (1400, 900), "2560x1440": (2560, 1440), "390x844": (390, 844)}
SCHEMES = ("light", "dark")
PERMISSIONS = ("view", "read", "trigger", "configure", "admin")
EVERY = {"selection": {"choice": {"all": {}}}}
PATIENCE = 120_000  # milliseconds
# Whether every tile in view has a picture that is not old, and every small picture has arrived. Tiles behind a dialog rest.
SHOWN = """() => {
    const isSeen = (element) => {
        const { bottom, left, right, top } = element.getBoundingClientRect();
        return bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
    };
    const tiles = document.querySelector('dialog[open]') ? [] : [...document.querySelectorAll('caprig-tile')];
    return tiles.some(({ isShown }) => isShown) === tiles.length > 0
        && tiles.filter(({ isShown }) => isShown).every((tile) => tile.querySelector('.veil').textContent === '')
        && [...document.images].filter(isSeen).every((image) => image.complete);
}"""


def fill(rig):
    """Shots and takes as a day's work leaves them; the ids of the newest shot and of the newest take."""
    script = Script(rig, rig.token(*PERMISSIONS)["token"])
    for number in range(1, 13):
        shot = new_shot()
        script.ask("POST", "shots?wait=30", {"shot": shot, **EVERY, "settings": {}})
        if number % 4 == 0:
            script.ask("PATCH", f"shots/{shot}", {"title": f"Pose {number // 4}, arms raised", "note": "The left flash was late."})
        if number % 6 == 0:
            take = new_shot()
            script.ask("POST", "takes?wait=30", {"take": take, "selection": {"nodes": ["node1"]}, "settings": {"movie": {"maxRecordedDurationNanoseconds": 10**10}}})
            script.ask("POST", f"takes/{take}/marks", {"text": "Jump"})
            time.sleep(2)  # of movie
            script.ask("POST", f"takes/{take}/stop?wait=30")
    script.ask("PATCH", f"shots/{shot}", {"reject": ["node1/cam2"]})
    return shot, take


def go(page, view):
    page.evaluate(f"location.hash = '{view}'")


def press(page, name):
    page.get_by_role("button", name=name).first.click()


def views(shot, take):
    """What is done on the page for each view, from the view Live on."""
    def panel(page, name):
        # On a phone, what is beside the large buttons is behind one.
        more = page.get_by_role("button", name="More", exact=True)
        if more.is_visible():
            more.click()
        press(page, name)

    def settings(page):
        panel(page, "Settings")
        page.locator("caprig-camera-settings [data-control]").first.wait_for()

    def library(page):
        go(page, "library")
        page.wait_for_selector("caprig-library li.card")

    def selected(page):
        library(page)
        for index in range(3):
            page.locator(".selects").nth(index).check()

    def exported(page):
        selected(page)
        press(page, "Export …")
        page.get_by_role("dialog").get_by_text("files,").wait_for()

    def days(page):
        library(page)
        page.get_by_text("Calendar", exact=True).click()
        page.locator(".calendar button:enabled").first.wait_for()

    def filtered(page):
        go(page, "library?text=pose&status=complete")
        page.wait_for_selector("caprig-library li.card")
        page.get_by_text("Filters", exact=True).click()

    def renamed(page):
        library(page)
        press(page, "Rename")

    def result(page):
        go(page, f"shot/{shot}")
        page.wait_for_selector(".card.capture")

    def compared(page):
        result(page)
        page.locator(".enlarge").first.click()
        page.wait_for_selector("dialog[open]")

    def played(page):
        go(page, f"shot/{take}?play")
        page.wait_for_selector("caprig-player canvas")

    def camera(page):
        press(page, "node1/cam1, open large view")
        page.wait_for_selector("dialog[open]")

    def nodes(page):
        go(page, "nodes")
        page.wait_for_selector(".charts figure")

    def charts(page):
        nodes(page)
        page.locator("caprig-history").evaluate("(element) => element.scrollIntoView()")

    return {
        "live": lambda page: None, "settings": settings, "takes": lambda page: panel(page, "Takes"), "camera": camera,
        "result": result, "comparison": compared, "player": played,
        "library": library, "library-selection": selected, "export": exported, "calendar": days, "filters": filtered, "rename": renamed,
        "nodes": nodes, "charts": charts, "events": lambda page: go(page, "events"), "keys": lambda page: go(page, "keys"), "audit": lambda page: go(page, "audit"),
    }


@contextlib.contextmanager
def running(programs, **settings):
    rig = WebRig(programs, size=(640, 360), rate=5, **settings)
    try:
        yield rig
    finally:
        rig.stop()


@contextlib.contextmanager
def page_of(chromium, size, scheme):
    context = chromium.new_context(viewport=dict(zip(("width", "height"), size)), color_scheme=scheme, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    try:
        yield context.new_page()
    finally:
        context.close()


def sign_in(page, rig, shows):
    page.goto(rig.link(*PERMISSIONS)["link"])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector(shows)


def save(page, file):
    page.wait_for_function(SHOWN)
    page.wait_for_timeout(700)  # what is decoded is drawn, and figures are there
    page.screenshot(path=file)
    print(file, flush=True)


def each(chromium, names, acts, folder, rig, shows):
    """One picture of each view of a rig in each size and scheme."""
    for name, size in SIZES.items():
        for scheme in SCHEMES:
            with page_of(chromium, size, scheme) as page:
                sign_in(page, rig, shows)
                for view in [view for view in acts if view in names]:
                    page.evaluate("location.hash = 'live'")
                    page.reload()
                    page.wait_for_selector(shows)
                    acts[view](page)
                    save(page, folder / f"{view}-{name}-{scheme}.png")


def signed_out(chromium, names, folder, rig):
    if "login" not in names:
        return
    for name, size in SIZES.items():
        for scheme in SCHEMES:
            with page_of(chromium, size, scheme) as page:
                page.goto(rig.link("view")["link"])
                page.get_by_role("button", name="Sign in").wait_for()
                save(page, folder / f"login-{name}-{scheme}.png")


def front(chromium, programs):
    """The picture of README.md."""
    target = ROOT / "docs" / "page.png"
    with running(programs, nodes=2, cameras=4) as rig, page_of(chromium, SIZES["1400x900"], "dark") as page:
        sign_in(page, rig, "caprig-tile")
        page.wait_for_function(SHOWN)
        press(page, "Trigger")
        page.locator("caprig-progress .badge-good").first.wait_for()
        page.wait_for_timeout(3000)  # rates are those of some seconds
        save(page, target)
    # 256 colors are enough, and a quarter of the bytes.
    small = target.with_suffix(".small.png")
    subprocess.run(["ffmpeg", "-y", "-loglevel", "error", "-i", target, "-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse", small], check=True)
    small.replace(target)


def main(programs, folder, names):
    programs, folder = pathlib.Path(programs).resolve(), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = names or [*views("", ""), "login", "first-run", "page"]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=pathlib.Path(__file__).with_name("chromium"), args=["--no-sandbox", "--disable-gpu"])
        if set(names) & {"login", *views("", "")}:
            with running(programs, nodes=4, cameras=4) as rig:
                each(chromium, names, views(*fill(rig)), folder, rig, "caprig-tile")
                signed_out(chromium, names, folder, rig)
        if "first-run" in names:
            with running(programs, nodes=0, cameras=1) as rig:
                each(chromium, names, {"first-run": lambda page: None}, folder, rig, "caprig-first-run")
        if "page" in names:
            front(chromium, programs)
        chromium.close()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
