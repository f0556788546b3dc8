#!/usr/bin/env python3
"""Memory of an agent with full rings: agent_memory.py BINDIR [--cameras 4] [--preload LIBRARY]... [--set NAME=VALUE]...

The agent has joined a coordinator and runs virtual cameras of 1280x720 at 30 frames per second with rings of 3 s. Nobody watches it. Prints what is
resident (Rss), its proportional share (Pss), and both by what is mapped, in MB (10^6 bytes). --preload has the dynamic linker load libraries that
the agent would load at need, as an agent that is linked with them has them; --set sets a variable of its environment.
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

SECONDS = 12  # until the rings have been full for a while


def configuration(folder, cameras, coordinator):
    lines = ["node: bench", f"coordinator: {coordinator}", f"spool: {{ folder: {folder}/spool }}", "devices:"]
    for number in range(1, cameras + 1):
        lines.append(f"  - {{ name: cam{number}, purpose: bench, source: {{ virtual: {{ number: {number}, width: 1280, height: 720, "
                     f"framesPerSecond: 30, phaseMilliseconds: {8 * number} }} }} }}")
    path = pathlib.Path(folder) / "agent.yaml"
    path.write_text("\n".join(lines) + "\n")
    return path


def kind(path):
    """What a mapping is of."""
    if not path or path.startswith(("[heap]", "[anon", "[stack")):
        return "memory of its own"
    if "capagentd" in path:
        return "the program's file"
    return "libraries" if path.startswith("/") else "other"


def mappings(pid):
    """Bytes of Rss and Pss by kind."""
    resident, proportional, current = collections.Counter(), collections.Counter(), ""
    for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if match := re.match(r"[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)", line):
            current = kind(match[1])
        elif match := re.match(r"(Rss|Pss): +(\d+) kB", line):
            (resident if match[1] == "Rss" else proportional)[current] += int(match[2]) * 1024
    return resident, proportional


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", metavar="BINDIR")
    parser.add_argument("--cameras", type=int, default=4)
    parser.add_argument("--preload", action="append", default=[])
    parser.add_argument("--set", action="append", default=[], dest="variables")
    given = parser.parse_args()
    programs = pathlib.Path(given.programs).resolve()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        def daemon(name, *arguments, **options):
            """Starts it, and returns it with what it announces."""
            process = subprocess.Popen([programs / name, *arguments, "--announce", "--log-level", "error"],
                                       stdout=subprocess.PIPE, text=True, **options)
            stack.callback(lambda: (process.terminate(), process.wait()))
            return process, json.loads(process.stdout.readline())

        _, rig = daemon("capcoordd", "--library", f"{folder}/library", "--base-port", "0")
        invited = subprocess.run(
            [programs / "capctl", "node", "invite", "bench", "--admin", f"{folder}/library/.caprig/admin", "--format", "json"],
            check=True, capture_output=True, text=True)
        config = configuration(folder, given.cameras, rig["control"])
        subprocess.run([programs / "capagentd", "join", json.loads(invited.stdout)["code"], "--config", config, "--no-start"],
                       check=True, capture_output=True)
        environment = {**os.environ, **dict(variable.split("=", 1) for variable in given.variables)}
        if given.preload:
            environment["LD_PRELOAD"] = ":".join(given.preload)
        agent, ready = daemon("capagentd", "--config", config, env=environment)
        assert ready["running"] == given.cameras, ready
        time.sleep(SECONDS)
        resident, proportional = mappings(agent.pid)
        threads = len(os.listdir(f"/proc/{agent.pid}/task"))
    print(f"{given.cameras} cameras, {threads} threads: Rss {sum(resident.values()) / 1e6:.1f} MB, Pss {sum(proportional.values()) / 1e6:.1f} MB")
    for name, count in resident.most_common():
        print(f"  {name}: Rss {count / 1e6:.1f}, Pss {proportional[name] / 1e6:.1f}")


if __name__ == "__main__":
    main()
