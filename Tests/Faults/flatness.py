"""Whether what a process takes of its machine stays the same: the rule, and a proof that it finds what grows."""

import dataclasses
import random

MEBIBYTE = 1 << 20
POINTS = 400  # of a series, at most: the slope is a median over all pairs


@dataclasses.dataclass
class Rule:
    """Of the second half of a run: how much it may have risen, by its trend or from its first third to its last, and how
    far its largest value may lie above its median."""

    growth: float
    peak: float


RULES = {
    "memory": Rule(growth=1 * MEBIBYTE, peak=24 * MEBIBYTE),
    "descriptors": Rule(growth=0.5, peak=8),
    # A pool adds a worker at a moment of load and may keep it.
    "threads": Rule(growth=1.5, peak=8),
}


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def second_half(series):
    """Of (time, value), thinned out evenly."""
    begin = (series[0][0] + series[-1][0]) / 2
    half = [point for point in series if point[0] >= begin]
    return half[:: max(1, -(-len(half) // POINTS))]


def trend(points):
    """What the line through the points rises from the first to the last: Theil and Sen's median of slopes, which single
    peaks do not bend."""
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for i, a in enumerate(points) for b in points[i + 1:] if b[0] > a[0]]
    return median(slopes) * (points[-1][0] - points[0][0]) if slopes else 0.0


def climb(values):
    """From the median of the first third to that of the last: finds rare steps, whose slope is mostly nothing."""
    third = max(1, len(values) // 3)
    return median(values[-third:]) - median(values[:third])


def growth(series):
    """(rise, peak above the median) of the second half."""
    points = second_half(series)
    values = [value for _, value in points]
    return max(trend(points), climb(values)), max(values) - median(values)


def judge(series, rule):
    """What is wrong with it, in words; None where it is flat."""
    rise, peak = growth(series)
    if rise > rule.growth:
        return f"rose by {rise:.3g} in the second half, more than {rule.growth:.3g}"
    if peak > rule.peak:
        return f"was {peak:.3g} above its median at its peak, more than {rule.peak:.3g}"
    return None


def is_sound():
    """Whether the rule passes what is flat, noise and all, and finds each way to grow."""
    dice = random.Random(1)
    times = range(0, 3600, 5)

    def series(value):
        return [(time, 40 * MEBIBYTE + dice.gauss(0, 0.3 * MEBIBYTE) + value(time) * MEBIBYTE) for time in times]

    flat = {
        "nothing": series(lambda time: 0),
        "a warm-up": series(lambda time: min(time, 900) / 60),
        "a saw": series(lambda time: time % 300 / 100),
        "peaks": series(lambda time: 10 * (time % 200 == 0)),
        "less and less": series(lambda time: -time / 300),
    }
    growing = {
        "1 KiB a second": series(lambda time: time / 1024),
        "4 KiB each four seconds, from late on": series(lambda time: max(0, time - 1900) / 1024),
        "a saw that rises": series(lambda time: time % 300 / 100 + time / 1000),
        "a step": series(lambda time: 30 * (time > 3400)),
    }
    rule = RULES["memory"]
    count = RULES["descriptors"]
    counted = [(time, 30 + time // 1200) for time in times]
    return (all(judge(one, rule) is None for one in flat.values()) and all(judge(one, rule) for one in growing.values())
            and judge(counted, count) is not None and judge([(time, 30) for time in times], count) is None)
