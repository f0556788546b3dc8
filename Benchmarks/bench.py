"""Takes the figures of docs/performance.md and writes them there.

    bench.py --programs FOLDER --roundtrip FILE --camera FOLDER --clock FOLDER [--programs-without-keys FOLDER] [--write FILE] [--rounds N | --quick]
             [SECTION...]

Sections are trigger, collect, clock, cost, frames, streaming, web, clips, library, roundtrip and curve; all without any. docs/performance.md says
what each measures.
"""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile

from caprig_bench import clips, clock, collect, cost, curve, failure, frames, library, machine, report, roundtrip, streaming, trigger, web

SECTIONS = {
    "trigger": trigger, "collect": collect, "clock": clock, "cost": cost, "frames": frames, "streaming": streaming,
    "web": web, "clips": clips, "library": library, "roundtrip": roundtrip, "curve": curve,
}


class Context:
    """What every section needs to know."""

    def __init__(self, options, programs, without_keys):
        self.programs, self.without_keys, self.roundtrip = programs, without_keys, os.path.abspath(options.roundtrip)
        self.camera, self.clock = options.camera.resolve(), options.clock.resolve()
        self.before = options.before and options.before.resolve()
        self.disk, self.rounds = options.disk, 1 if options.quick else options.rounds
        self.quiet, self.patience = options.quiet, 3 if options.quick else options.patience
        self.is_quick = options.quick
        # Of one observation, where a section does not say otherwise.
        self.seconds = 4 if options.quick else 6
        self.idle_seconds, self.web_minutes = (5, 0.2) if options.quick else (60, options.web_minutes)
        self.conditions = []
        # What was measured and must not be.
        self.faults = []

    def expect(self, holds, fault):
        """Notes a fault unless something holds that has to, however fast the machine is."""
        if not holds:
            self.faults.append(fault)

    def settle(self):
        """Waits for a quiet machine, and notes how quiet it was."""
        self.conditions.append((machine.await_quiet(self.quiet, self.patience), machine.load()))

    @staticmethod
    def say(text):
        print(f"==   {text}", flush=True)


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the release programs")
    parser.add_argument("--roundtrip", required=True, help="the program zeromq-roundtrip")
    parser.add_argument("--camera", type=pathlib.Path, required=True, help="folder of what Benchmarks/Camera builds")
    parser.add_argument("--clock", type=pathlib.Path, required=True, help="folder of what Benchmarks/Clock builds")
    parser.add_argument("--before", type=pathlib.Path, help="programs of another build, for `streaming` and the tiles of `web` to compare with")
    parser.add_argument(
        "--programs-without-keys", type=pathlib.Path, help="programs of a build without keys, for `curve` to compare with")
    parser.add_argument("--write", type=pathlib.Path, help="the document whose figures are replaced")
    parser.add_argument("--disk", default=tempfile.gettempdir(), help="a folder on the disk to measure with")
    parser.add_argument("--rounds", type=int, default=3, help="times that everything is measured, in turns")
    parser.add_argument("--quick", action="store_true", help="one short round that writes nothing down")
    parser.add_argument("--web-minutes", type=float, default=1, help="for `web`, how long tabs open and close")
    parser.add_argument("--quiet", type=float, default=15, help="percent of the cores that others may use")
    parser.add_argument("--patience", type=float, default=60, help="seconds to wait for that before each measurement")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    chosen = parser.parse_args()
    if set(chosen.sections) - set(SECTIONS):
        parser.error(f"sections are {', '.join(SECTIONS)}")
    return chosen


def copies(folder, place):
    """Copies of the programs, so that a build meanwhile changes nothing; None of no folder."""
    if not folder:
        return None
    place.mkdir()
    for name in ("capctl", "capagentd", "capcoordd", "capwebd"):
        shutil.copy2(folder / name, place / name)
    return place


def publish(chosen, section, text):
    print(f"\n{text}\n", flush=True)
    if chosen.write and not chosen.quick:
        report.write(chosen.write, section, text)


def measured(context, section):
    """A section's text, and what is wrong with it or None."""
    context.conditions, context.faults = [], []
    try:
        return report.block(SECTIONS[section].measure(context), context.conditions), "; ".join(context.faults) or None
    except Exception as problem:  # whatever a program or the machine did, the other sections are measured
        reason = f"not measured: {failure.reason(problem)}"
        return reason[0].upper() + reason[1:], reason


def main():
    chosen = options()
    about = f"{machine.describe()}. Disk: {machine.describe_sync(chosen.disk)}. Programs: {machine.version()}."
    publish(chosen, "machine", about)
    wrong = {}
    with tempfile.TemporaryDirectory(prefix="caprig-bench-") as place:
        place = pathlib.Path(place)
        context = Context(chosen, copies(chosen.programs, place / "with"), copies(chosen.programs_without_keys, place / "without"))
        for section in chosen.sections or SECTIONS:
            text, reason = measured(context, section)
            publish(chosen, section, text)
            if reason:
                wrong[section] = reason
    for section, reason in wrong.items():
        print(f"bench: {section}: {reason}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
