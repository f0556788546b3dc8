"""Compares "Follow a trigger" and "Follow a frame" of docs/architecture.md with the code that a trigger, and a preview with a trigger, run.

    paths.py PROGRAMS

PROGRAMS are built with `-profile-generate -profile-coverage-mapping`. Each program leaves a profile when it ends; llvm-cov says which lines
ran. Fails if a list names a file that did not run. The files of a V4L2 camera are not compared, since no machine
without one runs them. Prints the files of core and channels that ran many lines and are in neither list.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from local_rig import LocalRig

ROOT = pathlib.Path(__file__).resolve().parents[2]
MANY = 60  # lines
BINARIES = ["capcoordd", "capagentd", "capctl"]
V4L2 = ("Sources/Backends/V4L2Camera/", "Sources/Wrappers/Video4Linux/")


def listed(title):
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    section = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return sorted(set(re.findall(r"`(Sources/[\w/+.-]+\.swift): ", section)))


def llvm(tool, *arguments):
    # The compiler's own tools read its profiles; a distribution's may be older.
    beside = pathlib.Path(shutil.which("swift")).resolve().parent / tool
    return subprocess.run([beside if beside.exists() else tool, *map(str, arguments)], check=True, capture_output=True).stdout


def covered(programs, *commands):
    """The lines that a rig and commands run, by file."""
    with tempfile.TemporaryDirectory(prefix="caprig-paths-") as folder:
        os.environ["LLVM_PROFILE_FILE"] = f"{folder}/joining/%p.profraw"  # which is not on the path
        counted = {"LLVM_PROFILE_FILE": f"{folder}/%p.profraw"}
        rig = LocalRig(programs, nodes=1, cameras=1, environments={"capcoordd": counted, "node1": counted})
        try:
            for command in commands:
                subprocess.run([programs / "capctl", *command, "--admin", rig.admin.folder], check=True,
                               env={**os.environ, **counted}, stdout=subprocess.DEVNULL)
        finally:
            rig.stop()
        profile = f"{folder}/all.profdata"
        llvm("llvm-profdata", "merge", "-sparse", *pathlib.Path(folder).glob("*.profraw"), "-o", profile)
        first, *others = [programs / name for name in BINARIES]
        objects = [argument for other in others for argument in ("-object", other)]
        report = llvm("llvm-cov", "export", "-summary-only", "-instr-profile", profile, first, *objects)
    return {"Sources/" + entry["filename"].partition("/Sources/")[2]: entry["summary"]["lines"]["covered"]
            for entry in json.loads(report)["data"][0]["files"]
            if "/Sources/" in entry["filename"] and "/.build" not in entry["filename"]}


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    trigger, preview = ("trigger", "--all"), ("preview", "node1/cam1", "--count", "5", "--output", "/dev/null")
    paths = {"Follow a trigger": covered(programs, trigger), "Follow a frame": covered(programs, preview, trigger)}
    problems, named, most = [], set(), {}
    for title, lines in paths.items():
        files = listed(title)
        named.update(files)
        if not files:
            problems.append(f'"{title}" of docs/architecture.md names no files')
        ran = [file for file in files if lines.get(file)]
        problems += [f'"{title}" names {file}, of which nothing runs'
                     for file in files if file not in ran and not file.startswith(V4L2)]
        print(f"{title}: {len(ran)} of {len(files)} files run")
        for file, count in lines.items():
            most[file] = max(count, most.get(file, 0))
    for file, count in sorted(most.items(), key=lambda entry: -entry[1]):
        if file.startswith(("Sources/Core/", "Sources/Channels/")) and count > MANY and file not in named:
            print(f"note: {count} lines of {file} run, and neither list names it")
    print(*(f"FAIL {problem}" for problem in problems), sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
