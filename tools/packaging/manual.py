"""Manual pages of programs, made from their own help: what `PROGRAM --experimental-dump-help` prints, a page for each command.

The text of a page is the text of `PROGRAM help COMMAND`. So a command without a page cannot be, and a page cannot say what its program does not.
"""

import re

# Programs that people start have their pages in section 1, daemons in section 8.
DAEMONS = ("capagentd", "capcoordd", "capwebd")
# Commands of the argument parser, which have no page of their own.
BUILT_IN = ("help",)


def section_of(program):
    return 8 if program in DAEMONS else 1


def commands(dump):
    """The commands of a program as (words, command), the program itself first."""
    def of(words, command):
        yield words, command
        for child in shown(command.get("subcommands", [])):
            yield from of([*words, child["commandName"]], child)

    root = dump["command"]
    return list(of([root["commandName"]], root))


def shown(parts):
    return [part for part in parts if part.get("shouldDisplay", True) and part.get("commandName") not in BUILT_IN]


def pages(dump, version, date):
    """The pages of a program by their file names, such as capctl-shots-list.1."""
    every = commands(dump)
    section = section_of(every[0][0][0])
    return {f"{'-'.join(words)}.{section}": page(words, command, section, version, date) for words, command in every}


def page(words, command, section, version, date):
    name = "-".join(words)
    description, examples = with_examples(command.get("discussion", ""))
    lines = [
        f'.TH "{escaped(name.upper())}" "{section}" "{date}" "caprig {version}" "Caprig"',
        ".SH NAME", f"{escaped(name)} \\- {text(first_small(command.get('abstract', '')).rstrip('.'))}",
        ".SH SYNOPSIS", *synopsis(words, command),
        ".SH DESCRIPTION", *paragraphs(command.get("abstract", "")), *paragraphs(description),
    ]
    children = shown(command.get("subcommands", []))
    if children:
        lines.append(".SH COMMANDS")
        for child in children:
            lines += [".TP", f"\\fB{escaped(child['commandName'])}\\fR", text(child.get("abstract", ""))]
            if child["commandName"] == command.get("defaultSubcommand") and "default" not in child.get("abstract", ""):
                lines.append("The default.")
    lines += options(command)
    default = next((child for child in children if child["commandName"] == command.get("defaultSubcommand")), None)
    if default:
        lines += options(default, f" OF {default['commandName'].upper()}")
    if examples:
        lines += [".SH EXAMPLES", *paragraphs(examples)]
    lines += [".SH SEE ALSO", see_also(words, children, section)]
    return "\n".join(lines) + "\n"


def synopsis(words, command):
    parts = [f"\\fB{escaped(' '.join(words))}\\fR"]
    arguments = shown(command.get("arguments", []))
    if shown(command.get("subcommands", [])):
        parts.append("[\\fIcommand\\fR]" if command.get("defaultSubcommand") else "\\fIcommand\\fR")
    if any(argument["kind"] != "positional" for argument in arguments):
        parts.append("[\\fIoptions\\fR]")
    for argument in arguments:
        if argument["kind"] == "positional":
            value = f"\\fI{escaped(argument['valueName'])}\\fR" + (" ..." if argument["isRepeating"] else "")
            parts.append(f"[{value}]" if argument["isOptional"] else value)
    return [" ".join(parts)]


def options(command, of=""):
    """Arguments and options, in the sections of the program's help."""
    sections = {}
    for argument in shown(command.get("arguments", [])):
        title = argument.get("sectionTitle", "Arguments" if argument["kind"] == "positional" else "Options")
        sections.setdefault(title, []).append(argument)
    # What the argument parser adds comes last, behind the sections with titles.
    order = sorted(sections, key=lambda title: (title != "Arguments", title == "Options"))
    lines = []
    for title in order:
        lines.append(f'.SH "{escaped(title.upper())}{of}"')
        for argument in sections[title]:
            lines += [".TP", spelling(argument), *explanation(argument)]
    return lines


def spelling(argument):
    if argument["kind"] == "positional":
        return f"\\fI{escaped(argument['valueName'])}\\fR"
    names = sorted(argument["names"], key=lambda name: name["kind"] != "short")
    words = [("-" if name["kind"] == "short" else "--") + name["name"] for name in names]
    value = f" \\fI{escaped(argument['valueName'])}\\fR" if argument["kind"] == "option" else ""
    return ", ".join(f"\\fB{escaped(word)}\\fR" for word in words) + value


def explanation(argument):
    parts = [argument.get("abstract", ""), argument.get("discussion", "")]
    values = argument.get("allValues")
    if values:
        parts.append(f"One of {', '.join(values)}.")
    if argument.get("defaultValue"):
        parts.append(f"Default: {argument['defaultValue']}.")
    return [text(part) for part in parts if part] or ["\\&"]


def see_also(words, children, section):
    names = ["-".join([*words, child["commandName"]]) for child in children]
    if len(words) > 1:
        names.insert(0, "-".join(words[:-1]))
    if not names:
        names = ["capctl"] if words[0] != "capctl" else ["capcoordd"]
    references = [f"\\fB{escaped(name)}\\fR({section_of(name.split('-')[0])})" for name in names]
    return ", ".join(references) + ".\nThe package caprig-doc has the documentation, in /usr/share/doc/caprig\\-doc."


def with_examples(discussion):
    """A discussion as (what it says, the examples that it ends with)."""
    found = re.search(r"(?:^|\n\n)Examples?:\n\n((?:  [^\n]*\n?)+)$", discussion)
    return (discussion[:found.start()], found[1]) if found else (discussion, "")


def paragraphs(words):
    """Paragraphs of a discussion. Lines that are indented, as commands are, stay as they are."""
    lines = []
    for part in re.split(r"\n\s*\n", words.strip("\n")):
        if not part.strip():
            continue
        lines.append(".PP")
        if all(line.startswith(" ") for line in part.splitlines()):
            lines += [".nf", *(text(line) for line in part.splitlines()), ".fi"]
        else:
            # The help shows each line as one; so does the page.
            shown_lines = [text(line) for line in part.splitlines()]
            lines += [line for pair in zip(shown_lines, [".br"] * (len(shown_lines) - 1) + [""]) for line in pair if line]
    return lines


def first_small(words):
    """A sentence as the part of one that follows a dash; a name in capitals stays."""
    return words[:1].lower() + words[1:] if words[1:2].islower() or words[1:2] == " " else words


def text(words):
    """A line of text, in which `words` in backticks are bold."""
    # A single backtick has no partner and stays.
    line = re.sub(r"`([^`]+)`", lambda found: f"\\fB{escaped(found[1])}\\fR", escaped_but_backticks(words))
    return "\\&" + line if line.startswith((".", "'")) else line


def escaped_but_backticks(words):
    pieces = re.split(r"(`[^`]+`)", words.replace("\n", " "))
    return "".join(piece if piece.startswith("`") and piece.endswith("`") and len(piece) > 2 else escaped(piece) for piece in pieces)


def escaped(words):
    return words.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq").replace("'", "\\(aq")
