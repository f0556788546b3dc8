"""What is said of the failures in logs; each log of the folder Logs has the expected text beside it."""

import pathlib
import unittest

from checks.explanation import LINES, NAMES, explanation, failures_of
from checks.failure import Failure, notable

LOGS = pathlib.Path(__file__).resolve().parent / "Logs"


class Explaining(unittest.TestCase):
    def test_each_log_has_the_expected_explanation(self):
        logs = [log for log in sorted(LOGS.glob("*.txt")) if not log.name.endswith(".expected.txt")]
        self.assertGreater(len(logs), 8)
        for log in logs:
            with self.subTest(log=log.name):
                expected = log.with_suffix(".expected.txt").read_text().splitlines()
                self.assertEqual(explanation(failures_of(log.read_text().splitlines())), expected)

    def test_has_all_names_and_the_first_reason_within_its_lines(self):
        for count in (1, 2, NAMES, NAMES + 1, 300):
            failures = [long_failure(number) for number in range(count)]
            lines = explanation(failures, ".build/check/unit.log")
            with self.subTest(count=count):
                self.assertLessEqual(len(lines), LINES)
                for number in range(min(count, NAMES)):
                    self.assertEqual(sum(f"test {number} " in line for line in lines), 1)
                self.assertIn("  Expectation failed: status 0", lines)
                self.assertIn("  log of capcoordd:", lines)
                self.assertEqual(lines[-1], f"… and {count - NAMES} more; see .build/check/unit.log" if count > NAMES
                                 else "see .build/check/unit.log")

    def test_a_single_failure_has_the_room_of_all(self):
        self.assertGreater(len(explanation([long_failure(0)])), 10)

    def test_a_long_reason_keeps_its_beginning_and_its_end(self):
        failure = Failure("test", reasons=["begin " + "x " * 5000 + "end"])
        block = failure.block(LINES)
        self.assertTrue(block[1].startswith("  begin x") and block[-1].endswith("x end"), block)
        self.assertLess(len(block), 8)

    def test_a_reason_longer_than_the_room_is_cut(self):
        block = Failure("test", reasons=["\n".join(f"line {number}" for number in range(50))]).block(5)
        self.assertEqual(block, ["test", "  line 0", "  line 1", "  line 2", "  …"])

    def test_prefers_warnings_of_a_log_and_keeps_the_order(self):
        lines = ["info 1", "warning 2", "info 3", "", "error 4", "info 5", "info 6"]
        self.assertEqual(notable(lines, 3), ["warning 2", "error 4", "info 6"])
        self.assertEqual(notable(lines, 1), ["error 4"])
        self.assertEqual(notable(lines, 20), [line for line in lines if line])


def long_failure(number):
    log = [f"2026-01-01T00:00:00+0000 info capcoordd: line {line}" for line in range(100)]
    return Failure(f"test {number} of many", "A.swift:1:1", [f"Expectation failed: status {number}"], [("capcoordd", log)])
