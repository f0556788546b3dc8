"""Whether a type is found by its file's name, and whether its name means one thing.

A type that MANY other files name, a protocol, or an error is declared in a file of its name. Such a file declares one further type that
other files name; more only if they belong to its meaning: the type names them, they name it, or a type of the file that does is between.
A top-level name, unless it is private, is declared in one module.
"""

import collections
import dataclasses
import pathlib
import re

MANY = 10
DECLARATION = re.compile(
    r"^(?P<modifiers>(?:(?:public|package|internal|fileprivate|private|final|indirect|nonisolated|open|@\w+(?:\([^)]*\))?)\s+)*)"
    r"(?P<kind>struct|class|enum|protocol|actor|typealias|extension)\s+(?P<name>\w+)(?P<head>[^{\n]*(?:\n[^{\n]*)*?)(?=\{|\n\S|\n\n|\Z)",
    re.MULTILINE,
)
COMMENT = re.compile(r"//[^\n]*")
IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*")
GENERATED = ".pb.swift"


@dataclasses.dataclass
class Declaration:
    """A declaration at the top of a file, or an extension there."""

    kind: str
    name: str
    path: pathlib.Path
    is_error: bool
    # What its text names, itself included.
    names: set

    @property
    def is_type(self):
        return self.kind not in ("extension", "typealias")


def declarations(path, text):
    """What stands at the top of a file and is not private. A declaration's text ends where the next one begins."""
    code = COMMENT.sub("", text)
    found = list(DECLARATION.finditer(code))
    for match, following in zip(found, [*found[1:], None]):
        if re.search(r"\b(private|fileprivate)\b", match["modifiers"]):
            continue
        body = code[match.start() : following.start() if following else len(code)]
        inherited = re.sub(r"<[^>]*>", "", match["head"]).partition(":")[2]
        is_error = match["kind"] not in ("extension", "typealias", "protocol") and re.search(r"\bError\b", inherited) is not None
        yield Declaration(match["kind"], match["name"], path, is_error, set(IDENTIFIER.findall(body)))


class TypeNames:
    """- Parameter files: The text of each Swift file by its path below Sources/: LAYER/MODULE/…"""

    def __init__(self, files):
        self.declared = [declaration for path, text in files.items() for declaration in declarations(path, text)]
        self.names = {path: set(IDENTIFIER.findall(COMMENT.sub("", text))) for path, text in files.items()}
        self.modules = collections.defaultdict(set)
        for declaration in self.declared:
            if declaration.kind != "extension":
                self.modules[declaration.name].add(module(declaration.path))

    def problems(self):
        for name, modules in sorted(self.modules.items()):
            if len(modules) > 1:
                yield f"{name} is declared in {', '.join(sorted(modules))}; a name means one thing"
        for path, declared in self.by_file().items():
            for declaration in declared:
                if declaration.kind != "extension" and declaration.name != path.stem and (reason := self.reason(declaration)):
                    yield f"Sources/{path} declares {declaration.name}, {reason}; it belongs in {declaration.name}.swift"
            yield from self.beside(path, declared)

    def by_file(self):
        files = collections.defaultdict(list)
        for declaration in self.declared:
            files[declaration.path].append(declaration)
        return files

    def users(self, declaration):
        """How many other files name the type."""
        return sum(declaration.name in names for path, names in self.names.items() if path != declaration.path)

    def reason(self, declaration):
        """Why a type has a file of its name; None if it needs none."""
        if declaration.kind == "protocol":
            return "a protocol"
        if declaration.is_error:
            return "an error"
        users = self.users(declaration)
        return f"which {users} other files name" if users >= MANY else None

    def beside(self, path, declared):
        main = [declaration for declaration in declared if declaration.is_type and declaration.name == path.stem]
        if not main or not self.reason(main[0]):
            return
        meaning = {path.stem}
        while more := {
            declaration.name
            for declaration in declared
            if declaration.name not in meaning
            and (declaration.names & meaning or any(declaration.name in other.names for other in declared if other.name in meaning))
        }:
            meaning |= more
        further = [
            declaration.name
            for declaration in declared
            if declaration.is_type and declaration.name not in meaning and self.users(declaration) > 0
        ]
        if len(further) > 1:
            yield f"Sources/{path} declares {', '.join(further)} beside {path.stem}, which have nothing to do with it"


def module(path):
    return path.parts[1]


def problems(sources):
    paths = [path for path in sorted(sources.rglob("*.swift")) if not path.name.endswith(GENERATED)]
    return TypeNames({path.relative_to(sources): path.read_text(encoding="utf-8") for path in paths}).problems()
