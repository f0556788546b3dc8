"""Whether the state of some types is private: a stored `var` that another file reaches means that two files are one, or that the type is two.

A type in FINISHED has only private stored `var`s, in its declaration. Those of the types in UNFINISHED are listed, and do not fail. `private(set)`
is not private: others read the property as it is stored. A `let` and a computed property are not state. The types in LIMITS have at most
so many stored properties.
"""

import pathlib
import re

FINISHED = [
    "AlarmList", "DeviceRequests", "HoldKeeper", "HoldMachine", "KeyRegistry", "LedgerKeeper", "OpenShots", "PendingCaptures", "Rig",
    "RigNodes",
    "SettingsCancellations", "SettingsDeliveries", "SettingsLedger", "SettingsOutput", "SettingsTransactions", "ShotInProgress",
    "ShotMachine", "UntoldSteps",
]
UNFINISHED = []
# The largest number of stored properties, constants included: a type with more owns several things, of which each is a type.
LIMITS = {"Rig": 18}

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"')
DECLARATION = r"^(?:[\w@()]+\s+)*?(?:struct|class|actor|enum)\s+{name}\b[^{{]*\{{"
PROPERTY = re.compile(r"^(?P<modifiers>(?:[\w@]+(?:\([^)]*\))?[ \t]+)*)(?P<kind>let|var)\s+(?P<name>\w+)(?P<rest>[^\n]*)")
MODIFIER = re.compile(r"[\w@]+(?:\([^)]*\))?")


def body(code, name):
    """The members of a type's declaration, without its extensions; None if the code does not declare it."""
    match = re.search(DECLARATION.format(name=re.escape(name)), code, re.MULTILINE)
    if not match:
        return None
    depth = 1
    for index in range(match.end(), len(code)):
        depth += (code[index] == "{") - (code[index] == "}")
        if depth == 0:
            return code[match.end() : index]
    return code[match.end() :]


def members(text):
    """What stands at the top of a body, a line each."""
    depth = 0
    for line in text.splitlines():
        if depth == 0:
            yield line.strip()
        depth += sum((character in "{([") - (character in "})]") for character in line)


def is_stored(rest):
    """Whether a property is stored. One with observers is stored, too."""
    head, brace, tail = rest.partition("{")
    return not brace or "=" in head or re.match(r"\s*(willSet|didSet)\b", tail) is not None


def stored(text, name):
    """The stored properties of a type's values, as the text of a file declares it; None if it does not."""
    found = body(STRING.sub('""', COMMENT.sub("", text)), name)
    if found is None:
        return None
    matches = [match for match in map(PROPERTY.match, members(found)) if match and is_stored(match["rest"])]
    return [match for match in matches if not {"static", "class"} & set(MODIFIER.findall(match["modifiers"]))]


def exposed(properties):
    """The names of the `var`s that are not private."""
    return [
        match["name"]
        for match in properties
        if match["kind"] == "var" and not {"private", "fileprivate"} & set(MODIFIER.findall(match["modifiers"]))
    ]


def declared(sources, name):
    """The file that declares a type, and its stored properties."""
    for path in sorted(sources.rglob("*.swift")):
        text = path.read_text(encoding="utf-8")
        if name in text and (found := stored(text, name)) is not None:
            return path, found
    return None, []


def problems(sources):
    for name in FINISHED:
        path, found = declared(sources, name)
        if path is None:
            yield f"tools/layers/private_state.py names {name}, which Sources/ does not declare"
        elif names := exposed(found):
            yield f"Sources/{path.relative_to(sources)}: state of {name} is not private: {', '.join(names)}"
    for name, limit in LIMITS.items():
        path, found = declared(sources, name)
        if len(found) > limit:
            yield f"Sources/{path.relative_to(sources)}: {name} has {len(found)} stored properties, and may have {limit}"


def listing(sources):
    """A line for each type that is not finished."""
    for name in UNFINISHED:
        path, found = declared(sources, name)
        if path is not None:
            names = exposed(found)
            yield f"{name}: {len(names)} stored vars are not private" + (f": {', '.join(names)}" if names else "; it is finished")


if __name__ == "__main__":
    for line in listing(pathlib.Path(__file__).resolve().parents[2] / "Sources"):
        print(line)
