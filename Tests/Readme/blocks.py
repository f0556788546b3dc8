"""The blocks of a page: commands, files and what is only shown."""

import dataclasses
import re

FENCE = re.compile(r"^(\s*)```\s*(\w*)\s*$")
HEADING = re.compile(r"^#+ +(.*)")
ITEM = re.compile(r"^(\s*(?:\d+\.|[-*])\s+)")


@dataclasses.dataclass
class Block:
    page: str  # its path in the repository
    line: int  # of its first line of text
    language: str  # what stands behind the fence; "" for commands
    lines: list  # without indentation
    section: str
    step: str  # all text of the list's item before the block
    lead: str  # the paragraph before the block

    @property
    def title(self):
        return f"{self.page}:{self.line}"


def blocks(text, page):
    """Every fenced block, and every one that is a block by its indentation."""
    found, section, step, lead, indent, current = [], "", "", "", 0, None
    paragraph_ended = True
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if current and current.language != "indented":
            if fence:
                current = None
                lead = ""
            else:
                current.lines.append(line[len(margin):] if line.startswith(margin) else line.strip())
            continue
        width = len(line) - len(line.lstrip())
        if line.strip() and width >= indent + 4 and (current or paragraph_ended):
            if not current:
                margin = line[:width]
                current = Block(page, number, "indented", [], section, step, lead)
                found.append(current)
            current.lines.append(line[len(margin):] if line.startswith(margin) else line.strip())
            continue
        if line.strip():
            current = None
        if fence:
            margin = fence.group(1)
            current = Block(page, number + 1, fence.group(2), [], section, step, lead)
            found.append(current)
        elif heading := HEADING.match(line):
            section, step, lead, indent = heading.group(1), "", "", 0
        elif item := ITEM.match(line):
            step = lead = line
            indent = len(item.group(1))
        elif line.strip():
            if width == 0 and paragraph_ended:
                step, indent = "", 0
            lead = line if paragraph_ended else f"{lead} {line}"
            step += " " + line
        paragraph_ended = not line.strip()
    for block in found:
        if block.language == "indented":
            block.language = ""
    return found
