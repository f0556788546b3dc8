#!/usr/bin/env python3
"""Follows the pages for beginners, WALKS, with built programs on two machines, which are namespaces: the coordinator's and a node's.

    follow.py FOLDER_OF_PROGRAMS

Every block of commands is run as it stands, on the machine that the text before it names; a block that nobody has thought of
here is run on the coordinator's. What differs from the text is in SUBSTITUTIONS and in the stand-ins for programs below, and
each is told where it is used. The pages of a walk use the same machines; another walk begins with bare ones.
Needs root; without it the check is skipped by name, or fails where CI=true.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from blocks import blocks
from machine import Machine, may_follow

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Each in the order in which a person reads its pages: what one has made, the next may use.
WALKS = [["README.md", "docs/demo.md", "docs/first-node.md"],
         *([str(guide.relative_to(ROOT))] for guide in sorted((ROOT / "docs/guides").glob("*.md")))]
# A newcomer reads it to its end.
README_WORDS = 700
PATIENCE = 60  # seconds until a daemon is ready
LIMIT = 600  # seconds for a block

# Lines that are not followed, and why.
SKIPPED = [(re.compile(r"^make (test|check)\b"), "the other tests run beside this one")]
# What is written in place of what, and why.
SUBSTITUTIONS = [
    (re.compile(r"source: \{ v4l2: .* \}"), "source: { virtual: {} }", "a virtual camera for the USB camera"),
    (re.compile(r"^(capagentd --list-devices --format yaml.*> (\S+))"), r"\1 && virtual-cameras \2",
     "virtual cameras for those of the machine"),
    (re.compile(r"^(sudo capagentd join) CODE\b"), r"\1 $README_CODE --no-cameras --no-start && virtual-cameras /etc/caprig/agent.yaml",
     "virtual cameras for those of the machine, and no systemd to start the agent"),
    (re.compile(r"\.build/debug/"), "$README_PROGRAMS/", "the programs under test for the development build"),
    (re.compile(r"\bSHOT(?=\s|$)"), "$README_SHOT", "the id that the demo or the trigger has printed"),
    (re.compile(r"\bTAKE(?=\s|$)"), '''"$(capctl takes list --limit 1 --format json | sed -n 's/.*"id" : "\\(.*\\)".*/\\1/p')"''',
     "the newest take"),
    (re.compile(r"\bjoin CODE\b"), "join $README_CODE", "the code that the last invitation has printed"),
    (re.compile(r"^capctl events\b"), "until-interrupted capctl events", "it is interrupted once it has told something"),
]
# Programs that stand in for those of a person's machine.
STAND_INS = {
    "make": ("the programs are built already", """\
unset MAKEFLAGS MAKELEVEL MFLAGS
exec /usr/bin/make -C "$README_ROOT" -o release -o deps-build -o agent -o coordinator -o client release_bin="$README_PROGRAMS" \
  development_bin="$README_PROGRAMS" PROGRAMS="$README_PROGRAMS" LIBRARY="$PWD/caprig-demo" "$@"
"""),
    "sudo": ("everything runs as root", 'exec "$@"\n'),
    "ffplay": ("ffmpeg decodes ten pictures of the stream", """\
[ "$1 $2" = "-f mjpeg" ] || { echo "ffplay: $* is not known here" >&2; exit 1; }
exec ffmpeg -nostdin -v error -xerror -f mjpeg -i "$3" -frames:v 10 -f null -
"""),
    "apt-get": ("the packages have the programs under test", """\
for name in capagentd capcoordd capctl capwebd; do
  printf '#!/bin/sh\\nexec "%s" "$@"\\n' "$README_PROGRAMS/$name" >"/usr/local/bin/$name"
  chmod 755 "/usr/local/bin/$name"
done
"""),
    "virtual-cameras": (None, """\
sed -i 's/^devices: \\[\\]/devices: [{ name: cam1, purpose: left, source: { virtual: { width: 640, height: 360 } } }, { name: cam2, purpose: right, source: { virtual: { number: 2, width: 640, height: 360 } } }]/' "$1"
grep -q 'name: cam1' "$1"
"""),
    "until-interrupted": (None, """\
exec "$README_PYTHON" "$README_ROOT/Tests/Readme/until_interrupted.py" "$@"
"""),
}
# Daemons go on, which is what these lines are for; with these options they do not.
DAEMON = re.compile(r"^(capcoordd|capagentd)\b(?! join)(?!.*--(list-devices|list-faults|print-config|version|help))")
READY = {"capcoordd": "the coordinator runs", "capagentd": "joined the rig"}
# Lines after which a package's unit runs a daemon, and how it runs it.
UNITS = [
    (re.compile(r"apt-get install .*caprig-coordinator"), 'capcoordd --config "$README_ROOT/deploy/debian/coordinator.yaml"'),
    (re.compile(r"capagentd join .*virtual-cameras"), "capagentd --config /etc/caprig/agent.yaml"),
]
# Where a block is followed: what was said last before it.
PLACES = [
    (re.compile(r"\b(each|any|every) machine\b"), ("coordinator", "node")),
    (re.compile(r"\*\*Coordinator\b|coordinator's machine", re.IGNORECASE), ("coordinator",)),
    (re.compile(r"\*\*Node\b|\bon (the|its) node\b", re.IGNORECASE), ("node",)),
]


class Failure(Exception):
    pass


class Daemon:
    """A daemon as a person starts it: it goes on until it is interrupted."""

    def __init__(self, machine, line, environment):
        self.line, self.machine, self.text = line, machine, []
        self.ready = threading.Event()
        self.process = subprocess.Popen(
            machine.inside("bash", "-c", "exec " + line), env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        self.words = READY[line.split()[0]]
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stderr:
            self.text.append(line)
            if self.words in line:
                self.ready.set()
        self.ready.set()

    def await_readiness(self):
        self.ready.wait(PATIENCE)
        if not any(self.words in line for line in self.text):
            raise Failure(f"{self.line}: does not say '{self.words}':\n{self.tail()}")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            status = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "no status: it did not end"
        if status != 0:
            raise Failure(f"{self.line}: interrupted, it ended with {status}:\n{self.tail()}")

    def tail(self):
        return "".join(self.text[-20:])


class Follower:
    def __init__(self, programs, folder):
        self.folder = pathlib.Path(folder)
        self.stand_ins = self.folder / "stand-ins"
        self.stand_ins.mkdir()
        for name, (_, script) in STAND_INS.items():
            path = self.stand_ins / name
            path.write_text("#!/usr/bin/env bash\n" + script)
            path.chmod(0o755)
        self.machines = {name: Machine(name, folder) for name in ("coordinator", "node")}
        self.environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("CAPRIG_", "MAKE", "MFLAGS"))}
        self.environment.update(
            PATH=f"{self.stand_ins}:/usr/local/bin:{os.environ['PATH']}", USER="root", README_ROOT=str(ROOT),
            README_PROGRAMS=str(programs), README_PYTHON=sys.executable)
        self.told = set()  # differences from the text

    def tell(self, title, difference):
        if (title, difference) not in self.told:
            self.told.add((title, difference))
            print(f"     {title}: {difference}")

    def connect(self, found):
        """The machines have the addresses that the text gives them."""
        text = "\n".join("\n".join(block.lines) for block in found)
        address = re.search(r"--listen (\d+\.\d+\.\d+)\.(\d+)", text)
        network, own = (address.group(1), int(address.group(2))) if address else ("192.168.10", 1)
        self.rig = f"{network}.{own}"
        self.machines["coordinator"].connect(self.machines["node"], self.rig, f"{network}.{own % 254 + 1}")

    def lines(self, block):
        """The block's commands as they are run, and how many are left out."""
        kept, skipped = [], 0
        for line in "\n".join(block.lines).replace("\\\n", " ").splitlines():
            reason = next((why for pattern, why in SKIPPED if pattern.match(line)), None)
            if reason:
                skipped += 1
                print(f"skip readme: {block.title}: {line.split('#')[0].strip()}: {reason}")
                continue
            for pattern, replacement, why in SUBSTITUTIONS:
                line, count = pattern.subn(lambda match: match.expand(replacement) if match.groups() else replacement, line)
                if count:
                    self.tell(block.title, why)
            for name, (why, _) in STAND_INS.items():
                if why and re.search(rf"(^|[|(;&] *|sudo .*){name}\b", line.split("#")[0]):
                    self.tell(block.title, f"{name}: {why}")
            kept.append(line)
        return kept, skipped

    def follow(self, block):
        """Returns how many lines were skipped."""
        lines, skipped = self.lines(block)
        for place in self.places(block):
            machine = self.machines[place]
            if block.language in ("yaml", "json"):
                self.write(machine, block, lines)
                continue
            script = []
            for line in lines:
                variable = re.match(r"export (\w+)=", line)
                if variable:  # of a person's shell, which goes on
                    self.run(machine, [line, f'echo "exported {variable[1]} ${variable[1]}"'])
                elif DAEMON.match(line):
                    self.run(machine, script)
                    script = []
                    self.start(machine, line)
                else:
                    script.append(line)
                    daemon = next((daemon for pattern, daemon in UNITS if pattern.search(line)), None)
                    if daemon or re.search(r"\binvite\b", line):  # a later line has the code that it prints
                        self.run(machine, script)
                        script = []
                    if daemon:
                        self.start(machine, daemon)
            self.run(machine, script)
        return skipped

    @staticmethod
    def places(block):
        said = [(match.start(), names) for pattern, names in PLACES for match in pattern.finditer(block.step)]
        return max(said)[1] if said else ("coordinator",)

    @staticmethod
    def write(machine, block, lines):
        names = re.findall(r"`([\w-]+\.(?:yaml|json))`", block.step)
        if not names:
            raise Failure("the text before it does not say what the file is called")
        (machine.folder / names[-1]).write_text("\n".join(lines) + "\n")

    def run(self, machine, script):
        if not any(line.split("#")[0].strip() for line in script):
            return
        try:
            done = subprocess.run(
                machine.inside("bash", "-euc", "\n".join(script)), env={**self.environment, **machine.variables},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=LIMIT)
        except subprocess.TimeoutExpired as error:
            raise Failure(f"on the {machine.name}'s machine it goes on for more than {LIMIT} s") from error
        if done.returncode != 0 or re.search(r"^[Ee]rror: ", done.stdout, re.MULTILINE):
            raise Failure(f"on the {machine.name}'s machine, status {done.returncode}:\n{done.stdout[-4000:]}")
        shot = re.search(r"^shot ([0-9a-f-]{36})$", done.stdout, re.MULTILINE)
        if shot:
            self.environment["README_SHOT"] = shot.group(1)
        code = re.search(r"join (caprig\S+)$", done.stdout, re.MULTILINE)
        if code:
            self.environment["README_CODE"] = code.group(1)
        machine.variables.update(re.findall(r"^exported (\w+) (.*)$", done.stdout, re.MULTILINE))

    def start(self, machine, line):
        program = line.split()[0]
        if program in machine.daemons:
            machine.daemons.pop(program).end()
        daemon = machine.daemons[program] = Daemon(machine, line, self.environment)
        daemon.await_readiness()
        if program == "capagentd":
            self.await_cameras(daemon)

    def await_cameras(self, daemon):
        """A person is slower than a camera, whose last seconds have to be there before a picture of them is taken."""
        deadline = time.monotonic() + PATIENCE
        while True:
            asked = subprocess.run(
                self.machines["coordinator"].inside("capctl", "status", "--format", "json"),
                env={**self.environment, **self.machines["coordinator"].variables}, capture_output=True, text=True)
            nodes = json.loads(asked.stdout)["nodes"] if asked.returncode == 0 else []
            if any(node["connected"] and node.get("clockBoundNanoseconds") and node["devicesRunning"] == node["devices"]
                   and int(node["ringDepthNanoseconds"]) > 1_000_000_000 for node in nodes):
                return
            if time.monotonic() > deadline:
                raise Failure(f"no node is ready:\n{asked.stdout}{asked.stderr}{daemon.tail()}")
            time.sleep(0.1)

    def end(self):
        """What went wrong."""
        problems = []
        for machine in reversed(self.machines.values()):
            for daemon in reversed(machine.daemons.values()):
                try:
                    daemon.end()
                except Failure as failure:
                    problems.append(str(failure))
            machine.end()
        return problems


def follow(programs, folder, pages):
    """The numbers of blocks that were followed, of problems, and of blocks that were skipped."""
    found = [block for page in pages for block in blocks((ROOT / page).read_text(encoding="utf-8"), page)]
    shown = [block for block in found if block.language == "text"]
    commands = [block for block in found if block.language != "text"]
    passed, problems, skipped = 0, [], []
    follower = Follower(programs, folder)
    try:
        follower.connect(commands)
        for block in commands:
            started = time.monotonic()
            try:
                left_out = follower.follow(block)
                if left_out == len(block.lines):
                    skipped.append(block.title)
                    continue
                passed += 1
                where = " and ".join(f"the {place}'s" for place in follower.places(block))
                print(f"ok   readme: {block.title} on {where} machine ({time.monotonic() - started:.0f} s)", flush=True)
            except Failure as failure:
                problems.append(f"{block.title}: {failure}")
                print(f"FAIL readme: {problems[-1]}", flush=True)
    finally:
        ending = follower.end()
        for problem in ending:
            print(f"FAIL readme: {problem}")
    print(f"{len(found)} blocks: {passed} followed, {len(shown)} that only show something, {len(skipped)} skipped"
          + "".join(f", {title}" for title in skipped))
    return passed, len(problems) + len(ending) + (0 if passed else 1), len(skipped)


def check_length():
    words = len((ROOT / "README.md").read_text(encoding="utf-8").split())
    print(f"{'ok  ' if words <= README_WORDS else 'FAIL'} readme: README.md has {words} words, of at most {README_WORDS}")
    return (1, 0, 0) if words <= README_WORDS else (0, 1, 0)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: follow.py FOLDER_OF_PROGRAMS")
    programs = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="caprig-readme-") as folder:
        obstacle = "it needs root" if os.geteuid() != 0 else may_follow(folder)
        if obstacle and os.environ.get("CI") != "true":
            print(f"skip readme: {', '.join(sum(WALKS, []))} in two network namespaces ({obstacle})\n0 passed, 0 failed, 1 skipped")
            return 0
        if obstacle:
            print(f"FAIL readme: {obstacle}\n0 passed, 1 failed")
            return 1
        counts = [check_length()]
        for number, pages in enumerate(WALKS):
            place = pathlib.Path(folder) / str(number)
            place.mkdir()
            counts.append(follow(programs, place, pages))
        passed, failed, skipped = map(sum, zip(*counts))
        print(f"{passed} passed, {failed} failed, {skipped} skipped")
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
