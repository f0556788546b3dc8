"""How many tests passed, failed and were skipped, by a log."""

import pathlib
import unittest

from checks.figures import Figures, figures_of
from checks.result import judged

LOGS = pathlib.Path(__file__).resolve().parent / "Logs"


def figures_of_log(name):
    return figures_of((LOGS / name).read_text().splitlines())


class Counting(unittest.TestCase):
    def test_counts_tests_of_swift_testing(self):
        self.assertEqual(figures_of_log("swift-unit.txt"), Figures(passed=4, failed=8, skipped=1))

    def test_counts_what_ran_before_a_crash_and_the_crash(self):
        self.assertEqual(figures_of_log("swift-crash.txt"), Figures(passed=1, failed=1))
        self.assertEqual(figures_of_log("killed.txt"), Figures(passed=1, failed=1))

    def test_adds_the_totals_of_all_stages_of_a_target(self):
        self.assertEqual(figures_of_log("benches.txt"), Figures(passed=13, failed=2))

    def test_adds_totals_and_tests_of_swift_testing(self):
        lines = ["3 passed, 0 failed", "◇ Test run started.", "✔ Test run with 5 tests in 2 suites passed after 1 second.",
                 "1 passed, 0 failed, 2 skipped"]
        self.assertEqual(figures_of(lines), Figures(passed=9, skipped=2))

    def test_does_not_count_what_only_looks_like_a_total(self):
        self.assertFalse(figures_of(["  3 passed, 0 failed", "3 passed, 0 failed of 4", "ok   3 passed"]))

    def test_a_stage_that_ran_nothing_is_a_failure(self):
        for status in (0, 2):
            with self.subTest(status=status):
                result = judged("unit", status, Figures())
                self.assertFalse(result.is_good)
                self.assertEqual(result.figures, Figures(failed=1))

    def test_a_bad_status_without_a_failed_test_is_a_failure(self):
        result = judged("unit", 2, Figures(passed=3))
        self.assertEqual((result.is_good, result.figures), (False, Figures(passed=3, failed=1)))

    def test_a_stage_that_a_machine_cannot_run_is_skipped(self):
        result = judged("lab", 0, Figures(skipped=1))
        self.assertEqual((result.outcome, result.is_good, result.figures), ("skipped", True, Figures(skipped=1)))
