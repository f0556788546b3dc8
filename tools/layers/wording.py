"""Words and spellings that the project does not use, in what people read: Swift, pages, the HTTP API's descriptions, the page.

A hit is excused by a line of wording.allowed: FILE | TEXT | REASON, where TEXT stands on the hit's line.
"""

import dataclasses
import pathlib
import re

# What to look for, and what to write. Names count too, so that spellings are found inside of them.
RULES = [
    (re.compile(r"\banew\b", re.IGNORECASE), "write 'again'"),
    (re.compile(r"\bany more\b", re.IGNORECASE), "write 'no longer'"),
    (re.compile(r"\bmeanwhile\b", re.IGNORECASE), "write 'while …' or 'until then', or leave it out"),
    (re.compile(r"(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|such\b)\w+", re.IGNORECASE), "write 'is not a …'"),
    (re.compile(r"[Cc]olour|[Bb]ehaviour|[Nn]eighbour|[Ff]avour|[Hh]onour|(?:\b|(?<=[a-z]))[Gg]rey|\b[Cc]entred?\b|[Aa]rtefact"
                r"|\b[Ll]icence|[Aa]nalyse|[Ff]ulfil\b|\b[Tt]owards\b"
                r"|(?:[Nn]ormal|[Rr]ecogn|[Oo]ptim|[Oo]rgan|[Ii]nitial|[Ss]erial|[Ss]ynchron|[Mm]inim|[Mm]axim|[Ss]ummar|[Vv]isual|[Aa]uthor)"
                r"is(?:e|ing|ation)"),
     "write it as in American English"),
]
MARKER = re.compile(r"\s*(?:///?|/?\*+|#+|>)?\s*")


@dataclasses.dataclass(frozen=True)
class Exemption:
    file: str
    text: str
    reason: str


@dataclasses.dataclass(frozen=True)
class Hit:
    line: int
    text: str
    advice: str


def hits(text):
    """What a file says that it should not, also where a phrase continues on the next line."""
    joined, starts = "", []
    for line in text.splitlines():
        starts.append(len(joined))
        joined += line[MARKER.match(line).end():] + " "
    for rule, advice in RULES:
        for match in rule.finditer(joined):
            yield Hit(sum(start <= match.start() for start in starts), match.group(), advice)


def files(root):
    """The files that people read, by their paths."""
    found = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "docs" / "api").glob("*.yaml")]
    for folder in "Sources", "Tests":
        found += (root / folder).rglob("*.swift")
    for kind in "js", "html", "css":
        found += (root / "Sources").rglob(f"*.{kind}")
    for path in sorted(found):
        name = path.relative_to(root).as_posix()
        if not name.startswith(("docs/test-runs/", "Tests/Fixtures/")) and not name.endswith(".pb.swift"):
            yield name, path


def exemptions(path):
    """The lines of an allow-list.

    - Raises: ValueError for a line that is not FILE | TEXT | REASON.
    """
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split("|")]
        if len(parts) != 3 or not all(parts):
            raise ValueError(f"{path.name}:{number}: write FILE | TEXT | REASON")
        found.append(Exemption(*parts))
    return found


def problems(root, allowed=pathlib.Path(__file__).with_name("wording.allowed")):
    """A line for each hit that nothing excuses, and for each exemption that excuses nothing."""
    try:
        listed = exemptions(allowed)
    except ValueError as error:
        yield str(error)
        return
    used = set()
    for name, path in files(root):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        for hit in hits(text):
            excuse = next((one for one in listed if one.file == name and one.text in lines[hit.line - 1]), None)
            if excuse:
                used.add(excuse)
            else:
                yield f"{name}:{hit.line}: '{hit.text}': {hit.advice}"
    for one in listed:
        if one not in used:
            yield f"{allowed.name}: '{one.text}' in {one.file} excuses nothing; remove the line"
