"""Manual pages, made from what a program says of its commands."""

import unittest

from packaging.manual import commands, pages


def option(name, kind="option", **more):
    return {"kind": kind, "names": [{"kind": "long", "name": name}], "valueName": name, "isOptional": True, "isRepeating": False,
            "shouldDisplay": True, "abstract": f"The {name}.", **more}


def program(name="capctl", **more):
    return {"command": {"commandName": name, "abstract": "Takes pictures.", "shouldDisplay": True, "arguments": [], **more}}


LIST = {"commandName": "list", "abstract": "List shots.", "arguments": [option("limit", defaultValue="20")]}
SHOTS = {"commandName": "shots", "abstract": "Shots in the library.", "subcommands": [LIST], "defaultSubcommand": "list"}
HIDDEN = {"commandName": "secret", "abstract": "Hidden.", "shouldDisplay": False}
HELP = {"commandName": "help", "abstract": "Show help."}


class Pages(unittest.TestCase):
    def made(self, **more):
        return pages(program(**more), "1.2.3", "2026-11-29")

    def test_every_command_that_the_help_shows_has_a_page(self):
        made = self.made(subcommands=[SHOTS, HIDDEN, HELP])
        self.assertEqual(sorted(made), ["capctl-shots-list.1", "capctl-shots.1", "capctl.1"])

    def test_a_daemon_has_its_pages_in_section_8(self):
        self.assertEqual(list(pages(program("capwebd"), "1.2.3", "2026-11-29")), ["capwebd.8"])

    def test_names_version_and_date(self):
        self.assertIn('.TH "CAPCTL" "1" "2026-11-29" "caprig 1.2.3" "Caprig"', self.made()["capctl.1"])

    def test_the_name_is_a_line_that_whatis_can_read(self):
        self.assertIn(".SH NAME\ncapctl \\- takes pictures\n", self.made()["capctl.1"])

    def test_states_an_option_with_its_value_values_and_default(self):
        made = self.made(arguments=[option("format", allValues=["table", "json"], defaultValue="table")])["capctl.1"]
        self.assertIn("\\fB\\-\\-format\\fR \\fIformat\\fR\nThe format.\nOne of table, json.\nDefault: table.", made)

    def test_leaves_hidden_options_out(self):
        self.assertNotIn("secret", self.made(arguments=[option("secret", shouldDisplay=False)])["capctl.1"])

    def test_shows_the_options_of_the_command_that_is_meant_without_one(self):
        self.assertIn('.SH "OPTIONS OF LIST"', self.made(subcommands=[SHOTS])["capctl-shots.1"])

    def test_sections_of_the_help_are_sections_of_the_page(self):
        made = self.made(arguments=[option("all", kind="flag", sectionTitle="Which cameras"), option("format")])["capctl.1"]
        self.assertLess(made.index('.SH "WHICH CAMERAS"'), made.index('.SH "OPTIONS"'))

    def test_arguments_stand_in_the_synopsis(self):
        shot = {"kind": "positional", "valueName": "shot", "isOptional": False, "isRepeating": True, "abstract": "The ids."}
        self.assertIn("\\fBcapctl\\fR \\fIshot\\fR ...", self.made(arguments=[shot])["capctl.1"])

    def test_examples_are_the_last_section_before_the_references(self):
        for heading, before in (("Example:", ""), ("Examples:", "Takes one picture.\n\nWith all cameras.\n\n")):
            made = self.made(discussion=f"{before}{heading}\n\n  capctl --all\n  capctl -o json",
                             arguments=[option("all")])["capctl.1"]
            self.assertIn(".SH EXAMPLES\n.PP\n.nf\n  capctl \\-\\-all\n  capctl \\-o json\n.fi\n.SH SEE ALSO", made)
            self.assertNotIn(heading, made)
            self.assertLess(made.index('.SH "OPTIONS"'), made.index(".SH EXAMPLES"))
        self.assertNotIn("EXAMPLES", self.made(discussion="No example.")["capctl.1"])

    def test_text_that_would_be_a_command_of_the_formatter_stays_text(self):
        made = self.made(discussion=".so /etc/shadow\n'quoted' back\\slash")["capctl.1"]
        self.assertIn("\\&.so /etc/shadow", made)
        self.assertIn("\\(aqquoted\\(aq back\\eslash", made)

    def test_words_in_backticks_are_bold(self):
        self.assertIn("Run \\fBcapctl \\-\\-all\\fR.", self.made(discussion="Run `capctl --all`.")["capctl.1"])


class Commands(unittest.TestCase):
    def test_lists_commands_with_all_their_words(self):
        self.assertEqual([words for words, _ in commands(program(subcommands=[SHOTS]))],
                         [["capctl"], ["capctl", "shots"], ["capctl", "shots", "list"]])
