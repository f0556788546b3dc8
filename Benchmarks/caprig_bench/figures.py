"""Figures of a series, and tables of them."""

import math


def percentile(values, percent):
    """The value below which a share of all lies, by nearest rank: always one of the values."""
    ordered = sorted(values)
    return ordered[max(math.ceil(percent * len(ordered) / 100), 1) - 1]


def digits(value):
    """Three significant digits, without an exponent."""
    if abs(value) >= 100:
        return f"{value:.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}"


def spread(values, percents=(50, 95), scale=1e-6):
    """The smallest value and some percentiles, as cells of a table; scale turns nanoseconds into milliseconds."""
    if not values:
        return ["–"] * (1 + len(percents))
    return [digits(v * scale) for v in [min(values), *(percentile(values, percent) for percent in percents)]]


def table(header, rows):
    """A table in Markdown."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])
