#!/usr/bin/env python3
"""Fixtures of the stored formats, completed by programs of today: python test_fixtures.py FOLDER-OF-PROGRAMS [--quick] [TEST]...

Each fixture is what earlier programs have left on the disk when they were ended. The programs are started on a copy of it, and must
bring to its end what the earlier ones have begun. README.md says what the fixtures hold.

--quick: three fixtures, in which every stored format is once, without the lies about them, and with no verdict that depends on how quick the
machine is.
"""

import copy
import pathlib
import shutil
import sys
import tempfile
import unittest

import stored  # noqa: F401  (where the modules of the other benches are)
from completion import FIXTURES, Completion
from judge import Judge
from lies import LIES
from run_tests import NoRig, run_tests


class FixtureCase:
    """Every check of one fixture, which is completed once."""

    fixture, programs, is_quick = None, None, False

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="caprig-fixture-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.completion = Completion(cls.fixture, cls.folder / "completed", cls.programs, cls.is_quick)

    def assert_true_of(self, check):
        self.assertEqual(Judge(self.completion).problems(check), [])

    def test_every_file_has_the_outcome_that_was_expected(self):
        self.assert_true_of("outcomes")

    def test_every_file_of_a_spool_is_in_the_library(self):
        self.assert_true_of("spooled")

    def test_what_is_kept_for_people_stays(self):
        self.assert_true_of("kept")

    def test_files_that_were_owed_are_made(self):
        self.assert_true_of("owed")

    def test_recordings_that_a_crash_cut_off_have_their_frames(self):
        self.assert_true_of("recorded")

    def test_events_are_told_once_and_in_order(self):
        self.assert_true_of("events")

    def test_settled_shots_are_untouched(self):
        self.assert_true_of("settled")

    def test_the_roster_has_the_devices_that_it_had(self):
        self.assert_true_of("roster")

    def test_verify_list_and_reindex_agree_with_the_files(self):
        self.assert_true_of("tools")

    def test_pictures_movies_folders_and_feed_are_true(self):
        self.assert_true_of("rig")

    def test_the_rig_takes_pictures_and_ends_in_order(self):
        self.assert_true_of("work")

    def test_a_lie_about_it_is_found(self):
        """Each check says something of a copy that is not true, wherever this fixture can be lied about so."""
        for check, lie in LIES:
            with self.subTest(check=check, lie=lie.__doc__):
                told = copy.copy(self.completion)
                told.folder = self.folder / "lie"
                shutil.copytree(self.completion.folder, told.folder)
                try:
                    if lie(told) is not False:
                        TOLD.add(lie)
                        self.assertNotEqual(Judge(told).problems(check), [], f"'{lie.__doc__}' is not found")
                finally:
                    shutil.rmtree(told.folder)


TOLD = set()

# Manifests, annotations, previews, index, roster and events of a library; open shots with their journal and spools; what a spool owes.
QUICK = ("settled", "open-shots", "spools")


def is_quick_test(name):
    return name.startswith("test_") and name != "test_a_lie_about_it_is_found"


class LastCase(unittest.TestCase):
    """After all fixtures."""

    def test_every_lie_was_told_about_some_fixture(self):
        self.assertEqual([lie.__doc__ for _, lie in LIES if lie not in TOLD], [])


def class_of(fixture):
    return f"Fixture_{fixture.replace('-', '_')}"


globals().update({class_of(name): type(class_of(name), (FixtureCase, unittest.TestCase), {"fixture": name}) for name in FIXTURES})


def main(programs, names):
    FixtureCase.programs = pathlib.Path(programs).resolve()
    if names[:1] == ["--quick"]:
        FixtureCase.is_quick = True
        tests = [name for name in vars(FixtureCase) if is_quick_test(name)]
        names = names[1:] or [f"{class_of(fixture)}.{test}" for fixture in QUICK for test in tests]
    # Each fixture has ended its own rig, and has said how.
    return run_tests(NoRig(), [f"__main__.{name}" for name in names])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
