"""The table of stages."""

import pathlib
import unittest

from checks.stages import TableError, chosen, read_table, seconds_at_most, stages_of_targets, steps

TABLE = """
# A comment.
lab      alone  400  lab         its guests use both processors

unit     2a     320  unit
api      2a      80  check-api   # behind it
faults   2b     280  faults
frames   3a      10  check-frames
"""


def names(steps_of_table):
    return [[[stage.name for stage in lane] for lane in step] for step in steps_of_table]


class Reading(unittest.TestCase):
    def test_stages_of_a_lane_follow_each_other_and_lanes_of_a_step_run_beside_each_other(self):
        self.assertEqual(names(steps(read_table(TABLE, "table"))), [[["lab"]], [["unit", "api"], ["faults"]], [["frames"]]])

    def test_targets_run_one_after_another(self):
        self.assertEqual(names(steps(stages_of_targets(["unit", "web", "unit"]))), [[["unit"]], [["web"]]])

    def test_takes_the_budget_of_the_longest_lane_of_each_step(self):
        self.assertEqual(seconds_at_most(read_table(TABLE, "table")), 400 + 400 + 10)

    def test_chooses_stages_in_the_order_of_the_table(self):
        stages = read_table(TABLE, "table")
        self.assertEqual([stage.name for stage in chosen(stages, first="api")], ["api", "faults", "frames"])
        self.assertEqual([stage.name for stage in chosen(stages, only=["faults", "lab"])], ["lab", "faults"])
        with self.assertRaisesRegex(TableError, "no stage 'ap'; there are lab, unit, api"):
            chosen(stages, first="ap")

    def test_says_which_line_is_wrong(self):
        for line, problem in (
                ("unit 2a 320", "this is not `stage lane budget target"), ("unit 2a long unit", "budget in seconds"),
                ("unit two 3 unit", "'two' is not a lane"), ("unit alone 3 unit", "unit runs alone; write why"),
                ("lab 4a 3 lab", "two stages lab"), ("late 2c 3 late", "step 2 began before another step")):
            with self.subTest(line=line), self.assertRaisesRegex(TableError, f"table:9: .*{problem}"):
                read_table(TABLE + line, "table")
        with self.assertRaisesRegex(TableError, "has no stage"):
            read_table("# nothing", "table")

    def test_the_table_of_this_project_is_right(self):
        table = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check.stages"
        self.assertTrue(read_table(table.read_text(), table.name))
