"""Writes the figures of a section between its marks in a Markdown file."""

import pathlib
import re

from .figures import percentile


def block(text, conditions):
    """A section's text, with how busy others kept the machine: percent of cores and load average, per measurement."""
    used, loads = zip(*conditions)
    return (
        f"{text}\n\nOthers used {percentile(used, 50):.0f} % of the cores before a measurement (median; "
        f"{max(used):.0f} % at most); load average, the benchmark's own included, {min(loads):.1f} to {max(loads):.1f}."
    )


def write(path, section, text):
    """Replaces what stands between the marks of the section.

    Raises LookupError where the file has no such marks.
    """
    file = pathlib.Path(path)
    begin, end = f"<!-- bench:{section} -->", f"<!-- bench:{section} end -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    replaced, count = pattern.subn(lambda _: f"{begin}\n{text}\n{end}", file.read_text())
    if count != 1:
        raise LookupError(f"{path} has {count} blocks {begin} … {end}, not one")
    file.write_text(replaced)
