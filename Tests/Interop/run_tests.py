"""Runs a file's tests against one rig, and says how they went in the words of the other stages."""

import sys
import unittest


def run_tests(rig, names):
    """Ends the rig, each program of which has to end with 0. Returns the status to exit with."""
    suite = unittest.defaultTestLoader.loadTestsFromNames(names or ["__main__"])
    try:
        result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
        if not result.wasSuccessful():
            print(rig.tails())
    finally:
        statuses = rig.stop()
    unclean = {name: status for name, status in statuses.items() if status != 0}
    for name, status in unclean.items():
        print(f"FAIL {name} ended with status {status}")
    # A test counts once, however many parts of it fail.
    broken = len({getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors})
    failed = broken + len(unclean)
    skipped = len(result.skipped)
    print(f"{result.testsRun - broken - skipped} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not result.testsRun else 0
