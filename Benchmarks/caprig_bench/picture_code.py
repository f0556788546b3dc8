"""Which of a camera's frames a page shows, read from the pixels, and how old it is.

The film's pictures carry their number along the upper edge: eight cells with its bits, and eight with the bits inverted. The cells
outlive scaling and encoding, unlike the comment in which the camera's own number of the frame stands.
"""

import bisect
import time

from .cameras import WIDTH

BITS = 8
PICTURES = 1 << BITS  # of the film: at 10 frames per second the numbers come again after 25 s

# Looks at one of the pictures after another, in no order and at no fixed pace, and returns of each look: which picture, when by the page's
# clock, and the cells. The cells are the first row of the picture when it is 64 pixels wide.
LOOK = """async ([pictures, seconds]) => {
    const sources = document.querySelectorAll(pictures);
    const row = document.createElement('canvas');
    row.width = 64;
    row.height = 4;
    const context = row.getContext('2d', { willReadFrequently: true });
    const cells = (source) => {
        try {
            context.drawImage(source, 0, 0, 64, 36);
        } catch {
            return '';
        }
        const pixels = context.getImageData(0, 2, 64, 1).data;
        return Array.from({ length: 16 }, (_, cell) => (pixels[4 * (4 * cell + 2) + 1] > 127 ? '1' : '0')).join('');
    };
    const looks = [], end = performance.now() + 1000 * seconds;
    while (performance.now() < end) {
        await new Promise((resolve) => setTimeout(resolve, 50 + 100 * Math.random()));
        const source = Math.floor(sources.length * Math.random()), at = performance.now();
        looks.push([source, at, cells(sources[source])]);
    }
    return looks;
}"""


def filters():
    """FFmpeg's filters that draw the number of each picture."""
    side = WIDTH // (2 * BITS)
    boxes = [f"drawbox=w=iw:h={side}:color=black:t=fill"]
    for bit in range(BITS):
        value = f"mod(floor(n/{1 << bit})\\,2)"
        for place, shown in ((bit, value), (bit + BITS, f"1-{value}")):
            boxes.append(f"drawbox=x={place * side}:w={side}:h={side}:color=white:t=fill:enable='{shown}'")
    return "".join(f",{box}" for box in boxes)


def number(cells):
    """The number that cells show; None of anything else."""
    bits, inverted = cells[:BITS], cells[BITS:]
    if len(cells) != 2 * BITS or any(bit == other for bit, other in zip(bits, inverted)):
        return None
    return int(bits[::-1], 2)


def page_clock(page):
    """What to add to the page's clock for CLOCK_MONOTONIC, and the bound of its error, by the quickest of some questions; nanoseconds."""
    answers = []
    for _ in range(20):
        begin = time.monotonic_ns()
        now = page.evaluate("performance.now()")
        end = time.monotonic_ns()
        answers.append(((end - begin) // 2, (begin + end) // 2 - round(now * 1e6)))
    bound, offset = min(answers)
    return offset, bound


def ages(looks, cameras, taken, offset):
    """Nanoseconds from the stamp of the frame that each look saw to the look; None where no frame could be read.

    `cameras`: the camera's number of each picture. `taken`: the frames that a program has taken (cameras.Cameras.dequeued).
    """
    stamps = {}
    for (camera, frame), (stamp, _) in sorted(taken.items()):
        stamps.setdefault((camera, frame % PICTURES), []).append(stamp)
    return [_age(stamps.get((cameras[source], number(cells)), []), round(at * 1e6) + offset) for source, at, cells in looks]


def _age(stamps, now):
    earlier = bisect.bisect_right(stamps, now)
    return now - stamps[earlier - 1] if earlier else None
