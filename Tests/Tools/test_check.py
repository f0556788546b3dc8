"""`tools/check` as a process, with a Makefile of the test's own."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check"
LIMIT = 20  # seconds after which a run hangs

MAKEFILE = """
.SILENT:
good bad nothing late: ; echo $@ begins >> order; $(run_$@)
run_good = echo "2 passed, 0 failed"
run_bad = echo "FAIL a picture: it is black"; echo "1 passed, 1 failed"; false
run_nothing = echo "there are no tests"
run_late = echo "3 passed, 0 failed, 1 skipped"
build: ; touch programs/capctl; chmod +x programs/capctl; echo "1 passed, 0 failed"
told: ; echo "FROM=$(FROM) ONLY=$(ONLY) BUILT=$(BUILT) OTHER=$(OTHER)"; echo "1 passed, 0 failed"
# Each waits until the other has opened the pipe, so that neither ends unless both run.
writer: ; echo word > pipe; echo "1 passed, 0 failed"
reader: ; read word < pipe; echo "1 passed, 0 failed"
# A stage and its child hold a pipe open, and end only when they are told to.
blocked: ; exec 3> alive; echo begun >&3; read word < never
stubborn: ; trap "" INT; exec 3> alive; setsid sh -c 'trap "" INT; read word < never' & exec 3> alive; echo begun >&3; read word < never
"""

TABLE = """
good     alone  100  good     it is first
bad      1a     100  bad
nothing  1b     100  nothing
late     alone  100  late     it is last
"""


class Checking(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="caprig-check-")))
        (self.folder / "Makefile").write_text(MAKEFILE)
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        self.build(at=1)
        self.write_table(TABLE)

    def build(self, at):
        """The programs are built at a time, in seconds since 1970."""
        program = self.programs / "capctl"
        program.touch(0o755)
        os.utime(program, (at, at))

    def write_table(self, text):
        (self.folder / "stages").write_text(textwrap.dedent(text))

    def start(self, *arguments, **variables):
        command = [sys.executable, CHECK, "--table", "stages", "--programs", "programs", *arguments]
        plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   env={**plain, **variables})
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process

    def check(self, *arguments, **variables):
        """The exit status and the lines of the output."""
        process = self.start(*arguments, **variables)
        output, _ = process.communicate(timeout=LIMIT)
        return process.returncode, output.splitlines()

    def order(self):
        return (self.folder / "order").read_text().split("\n")[:-1]

    def row(self, lines, stage):
        """The cells of a stage in the table."""
        table = lines[max(number for number, line in enumerate(lines) if line.startswith("stage ")):]
        return next(line for line in table if line.startswith(f"{stage} ")).split()

    def test_runs_all_stages_in_order_whatever_fails(self):
        status, lines = self.check()
        self.assertEqual(status, 1)
        order = self.order()
        self.assertEqual((order[0], sorted(order[1:3]), order[3]), ("good begins", ["bad begins", "nothing begins"], "late begins"))
        self.assertEqual(self.row(lines, "good"), ["good", "2", "0", "0", "0", "100", "passed"])
        self.assertEqual(self.row(lines, "bad"), ["bad", "1", "1", "0", "0", "100", "FAILED"])
        self.assertEqual(self.row(lines, "nothing"), ["nothing", "0", "1", "0", "0", "100", "RAN", "NOTHING"])
        self.assertEqual(self.row(lines, "late"), ["late", "3", "0", "1", "0", "100", "passed"])
        self.assertIn("FAILED bad: a picture: it is black", lines)
        self.assertIn("  | there are no tests", lines)
        self.assertEqual(lines[-1], "6 passed, 2 failed, 1 skipped")
        self.assertTrue((self.folder / ".build/check/bad.log").read_text().startswith("FAIL a picture"))

    def test_a_run_in_which_all_passed_ends_well(self):
        status, lines = self.check("--targets", "good", "late")
        self.assertEqual((status, lines[-1]), (0, "5 passed, 0 failed, 1 skipped"))
        self.assertEqual(self.order(), ["good begins", "late begins"])

    def test_the_output_of_a_stage_is_between_its_beginning_and_its_end(self):
        _, lines = self.check("--targets", "good")
        self.assertEqual(lines[:2], ["==   good begins", "2 passed, 0 failed"])
        self.assertRegex(lines[2], r"ok   good \(\d+ s, \d+\.\d processors busy\)")
        _, lines = self.check("--only", "bad")
        self.assertRegex("\n".join(lines), r"\nFAIL bad \(status 2, \d+ s of 100 s, \d+\.\d processors busy\)\n")

    def test_lanes_run_beside_each_other(self):
        self.write_table("writer 1a 10 writer\nreader 1b 10 reader\n")
        os.mkfifo(self.folder / "pipe")
        status, lines = self.check()
        self.assertEqual((status, lines[-1]), (0, "2 passed, 0 failed, 0 skipped"))

    def test_resumes_at_a_stage_with_the_results_of_those_before_it(self):
        self.check("--only", "good", "bad", "nothing")
        status, lines = self.check("--from", "late")
        self.assertEqual(self.order().count("good begins"), 1)
        self.assertEqual(self.row(lines, "good")[6:8], ["passed", "at"])
        self.assertEqual(self.row(lines, "bad")[6:8], ["FAILED", "at"])
        self.assertEqual(self.row(lines, "late")[6:], ["passed"])
        self.assertEqual((status, lines[-1]), (1, "6 passed, 2 failed, 1 skipped"))

    def test_a_stage_without_a_result_is_told(self):
        status, lines = self.check("--from", "late")
        self.assertEqual(self.row(lines, "good"), ["good", "100", "NOT", "RUN"])
        self.assertEqual((status, lines[-2:]), (1, ["not run: good bad nothing", "3 passed, 0 failed, 1 skipped"]))

    def test_a_stage_that_builds_the_programs_is_not_stale_for_it(self):
        self.write_table("""
            build  alone  10  build  it is first
            late   alone  10  late   it is last
        """)
        self.check()
        status, lines = self.check("--from", "late")
        self.assertEqual(self.row(lines, "build")[6], "passed")
        self.assertEqual(status, 0)

    def test_a_result_of_programs_that_were_built_again_is_stale(self):
        self.write_table("good alone 100 good first\nlate alone 100 late last\n")
        self.assertEqual(self.check()[0], 0)
        self.build(at=2 ** 33)
        status, lines = self.check("--from", "late")
        self.assertEqual(self.row(lines, "good")[6], "STALE")
        self.assertEqual((status, lines[-2:]), (1, ["stale: good", "3 passed, 0 failed, 1 skipped"]))

    def test_runs_what_has_not_passed_yet(self):
        self.check("--only", "good", "bad")
        self.check("--rest")
        self.assertEqual(sorted(self.order()), ["bad begins", "bad begins", "good begins", "late begins", "nothing begins"])

    def test_lists_stages_and_runs_none(self):
        status, lines = self.check("--list", "--from", "bad")
        self.assertEqual((status, len(lines), lines[-1]), (0, 4, "at most 3 min"))
        self.assertFalse((self.folder / "order").exists())

    def test_says_which_stages_there_are(self):
        self.assertEqual(self.check("--from", "lab"), (64, ["check: there is no stage 'lab'; there are good, bad, nothing, late"]))

    def test_a_stage_does_not_see_the_variables_of_make_check(self):
        flags = r"--no-print-directory -- FROM=told ONLY=a\ b OTHER=c"
        _, lines = self.check("--targets", "told", MAKEFLAGS=flags, FROM="told", ONLY="a b")
        self.assertIn("FROM= ONLY= BUILT=1 OTHER=c", lines)

    def interrupted(self, target, *arguments):
        """The status and output of a run that is interrupted when the stage runs; returns when no process of it is left."""
        for pipe in ("alive", "never"):
            os.mkfifo(self.folder / pipe)
        self.write_table(f"good alone 9 good first\n{target} 1a 9 {target}\nlate 1a 9 late\n")
        process = self.start(*arguments)
        with open(self.folder / "alive") as alive:
            self.assertEqual(alive.readline(), "begun\n")
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=LIMIT)
            # Its end can be read only when nobody holds it open; otherwise this would block, which is an error.
            os.set_blocking(alive.fileno(), False)
            self.assertEqual(os.read(alive.fileno(), 1), b"")
        return process.returncode, output.splitlines()

    def test_an_interruption_ends_the_stages_and_prints_the_table(self):
        status, lines = self.interrupted("blocked")
        self.assertEqual(self.row(lines, "good")[6:], ["passed"])
        self.assertEqual(self.row(lines, "blocked")[6:], ["INTERRUPTED"])
        self.assertEqual(self.row(lines, "late")[2:], ["NOT", "RUN"])
        self.assertEqual(lines[-2:], ["not run: late; interrupted: blocked", "2 passed, 0 failed, 0 skipped"])
        self.assertEqual((status, self.order()), (130, ["good begins"]))

    def test_an_interruption_kills_what_does_not_end(self):
        status, lines = self.interrupted("stubborn", "--grace", "0.05")
        self.assertEqual((status, self.row(lines, "stubborn")[6:]), (130, ["INTERRUPTED"]))
