"""The paths of docs/architecture.md ("Follow a trigger", "Follow a frame"), compared with the code.

An entry of a path is `FILE: FUNCTION, ...`. Each function of an entry mentions the next one. The last function of a numbered entry mentions the
first of the next numbered entry. A function of an entry mentions the first of each entry that is indented below it. A function mentions another
by its name, or by the type that declares it. Where bytes, a stream or an event lies between two functions, the later entry begins with
"via `WORD`", and WORD is in the earlier function and in the later file. `make paths` compares the same lists with what runs.
"""

import re

PAGE = "docs/architecture.md"
PATHS = ["Follow a trigger", "Follow a frame"]
ENTRY = re.compile(r"^( *)(?:\d+\.|-) (?:via `(\w+)` )?`((?:Sources)/[\w/+.-]+\.swift): ([\w, ]+)`")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TYPE = re.compile(r"\b(?:class|struct|enum|actor|protocol|extension)\s+(?!func\b|var\b|let\b)([\w.]+)[^{}\n;]*(?:\n[^{}\n;]*)?\{")


class Entry:
    def __init__(self, line, depth, via, file, functions):
        self.line, self.depth, self.via, self.file, self.functions = line, depth, via, file, functions


class Function:
    """The functions, initializers or properties of one name in a file: overloads count as one."""

    def __init__(self, name, whole, bodies, types, is_called):
        self.name, self.whole, self.bodies, self.types, self.is_called = name, whole, bodies, types, is_called

    def mentions(self, other):
        """Whether the text calls another by its name, or names the type that declares it."""
        use = rf"\b{re.escape(other.name)}" + (r"\s?[({]" if other.is_called else r"\b")
        if other.name != "init" and re.search(use, self.bodies):
            return True
        return any(re.search(rf"\b{re.escape(name)}\b", self.whole) for name in other.types)


def block_end(text, start):
    """The end of the braces that open at `start`."""
    depth = 0
    for index in range(start, len(text)):
        depth += (text[index] == "{") - (text[index] == "}")
        if depth == 0:
            return index + 1
    return len(text)


def body_start(text, start):
    """Where the body of a declaration opens; None for a requirement of a protocol and for a stored property."""
    depth = 0
    for index in range(start, len(text)):
        depth += (text[index] in "([") - (text[index] in ")]")
        if depth == 0 and text[index] == "{":
            return index
        if depth == 0 and text[index] == "\n" and re.match(r"\s*(\}|$|(\w+ )*(func|var|init|case|let)\b|@)", text[index + 1:]):
            return None
        if depth < 0:
            return None
    return None


class Source:
    """A file without its comments."""

    def __init__(self, text):
        self.text = COMMENT.sub("", text)
        self.types = [(match.start(), block_end(self.text, match.end() - 1), match.group(1).split(".")[-1]) for match in TYPE.finditer(self.text)]

    def function(self, name):
        declared = r"\binit[?!]?\s*[(<]" if name == "init" else rf"\b(?:func|var)\s+{re.escape(name)}\b"
        whole, bodies, types, is_called = [], [], set(), True
        for match in re.finditer(declared, self.text):
            start = body_start(self.text, match.end() - 1 if name == "init" else match.end())
            if start is None or re.search(r"[.\w]$", self.text[:match.start()]):
                continue
            end = block_end(self.text, start)
            is_called = not match.group().startswith("var")
            whole.append(self.text[match.start():end])
            bodies.append(self.text[start:end])
            around = [(begin, kind) for begin, close, kind in self.types if begin < match.start() < close]
            if around:
                types.add(max(around)[1])
        return Function(name, "\n".join(whole), "\n".join(bodies), types, is_called) if whole else None


def entries(page, title):
    lines = page.splitlines()
    found = []
    for number, line in enumerate(lines, 1):
        match = ENTRY.match(line) if within(lines, number, title) else None
        if match:
            indent, via, file, functions = match.groups()
            found.append(Entry(number, len(indent), via, file, [name.strip() for name in functions.split(",")]))
    return found


def within(lines, number, title):
    heading = next((line for line in reversed(lines[:number]) if line.startswith("## ")), None)
    return heading == f"## {title}"


def form_problems(page, title):
    """Entries that cannot be read, and numbers that are not in order."""
    lines, count = page.splitlines(), 0
    for number, line in enumerate(lines, 1):
        if not within(lines, number, title) or not re.match(r" *(\d+\.|-) ", line):
            continue
        if not ENTRY.match(line):
            yield f"{PAGE}:{number} is not an entry: {line.strip()}"
        elif line[0].isdigit():
            count += 1
            if not line.startswith(f"{count}. "):
                yield f"{PAGE}:{number} is number {count}"


def problems(page, title, read):
    """What is wrong with a path. `read` returns the text of a file, or None."""
    yield from form_problems(page, title)
    path = entries(page, title)
    if not path:
        yield f'{PAGE} has no entries under "{title}"'
        return
    sources = {entry.file: Source(text) for entry in path if (text := read(entry.file)) is not None}
    declared, last, above = {}, None, []
    for entry in path:
        where = f"{PAGE}:{entry.line}: {entry.file}"
        if entry.file not in sources:
            yield f"{where} is not there"
            continue
        functions = [sources[entry.file].function(name) for name in entry.functions]
        declared[entry] = [function for function in functions if function]
        for name, function in zip(entry.functions, functions):
            if function is None:
                yield f"{where} declares no {name}"
        if None in functions:
            continue
        for first, second in zip(functions, functions[1:]):
            if not first.mentions(second):
                yield f"{where}: {first.name} does not mention {second.name}"
        above = [other for other in above if other.depth < entry.depth]
        if above:
            callers = declared.get(above[-1], [])
        else:
            callers = declared.get(last, [])[-1:] if last else []
        if callers:
            yield from link_problems(entry, functions[0], callers, sources[entry.file], where)
        above.append(entry)
        if entry.depth == path[0].depth:
            last = entry


def link_problems(entry, function, callers, source, where):
    names = " and ".join(caller.name for caller in callers)
    if entry.via:
        word = re.compile(rf"\b{re.escape(entry.via)}\b")
        if not any(word.search(caller.whole) for caller in callers):
            yield f"{where}: {entry.via} is not in {names}, of the entry before"
        if not word.search(source.text):
            yield f"{where} does not contain {entry.via}"
    elif not any(caller.mentions(function) for caller in callers):
        yield f"{where}: {names}, of the entry before, does not mention {function.name} or its type"
