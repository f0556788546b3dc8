"""The words that the project does not use, in files of every kind that people read."""

import pathlib
import tempfile
import unittest

from layers import wording


class Wording(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.allowed = self.root / "allowed"
        self.allow()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def allow(self, *lines):
        self.allowed.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def problems(self):
        return list(wording.problems(self.root, self.allowed))

    def places(self):
        return [problem.split(": ")[0] for problem in self.problems()]

    def test_reports_each_phrase_with_its_place(self):
        self.write("docs/page.md", "It starts anew.\n\nNobody waits any more.\nMeanwhile it runs.\n'5x' is no size.\nThese are no keys.\n")
        self.assertEqual(self.places(), [f"docs/page.md:{line}" for line in (1, 3, 4, 5, 6)])

    def test_accepts_standard_phrases(self):
        self.write("docs/page.md", "There is no camera. It is no longer here, is no more than 3, and is no such file.\nThere\nare no keys. "
                   "It has no key. No key is known. It is not a size.\n")
        self.assertEqual(self.problems(), [])

    def test_reports_british_spellings_also_inside_of_names(self):
        self.write("Sources/A/B.swift", "let sceneColour = 1\nlet isGrey = behaviour\n// The centre, normalised.\nlet centred = 3\n")
        self.assertEqual(self.places(), [f"Sources/A/B.swift:{line}" for line in (1, 2, 2, 3, 3, 4)])

    def test_accepts_words_that_only_look_british(self):
        self.write("Sources/A/B.swift", 'let name = "GREY"\nlet promise = four.hour\n// Cancelled, labelled, raised, percentile.\n')
        self.assertEqual(self.problems(), [])

    def test_finds_a_phrase_across_two_lines_of_a_comment(self):
        self.write("Tests/A.swift", "    /// Nobody needs it any\n    /// more.\n    // It is\n    // no movie.\n")
        self.assertEqual(self.places(), ["Tests/A.swift:1", "Tests/A.swift:3"])

    def test_reads_every_kind_of_text_that_people_read_and_nothing_else(self):
        for name in ("README.md", "docs/adr/1.md", "docs/api/openapi.yaml", "Sources/Web/Page/app.js", "Sources/Web/Page/index.html",
                     "Sources/Web/Page/page.css", "Sources/A/A.swift", "Tests/A/A.swift"):
            self.write(name, "anew\n")
        expected = sorted(f"{path.relative_to(self.root)}:1" for path in self.root.rglob("*.*"))
        for name in ("docs/test-runs/faults.md", "Sources/Wire/a.pb.swift", "Tests/Fixtures/README.swift", "proto/a.proto", "Tests/a.py"):
            self.write(name, "anew\n")
        self.assertEqual(sorted(self.places()), expected)

    def test_an_exemption_excuses_its_text_in_its_file_only(self):
        self.allow("# a remark", "", "Sources/A.swift | GreyWorld | a name of the wire")
        self.write("Sources/A.swift", "let a: GreyWorld\nlet grey = 1\n")
        self.write("Sources/B.swift", "let a: GreyWorld\n")
        self.assertEqual(self.places(), ["Sources/A.swift:2", "Sources/B.swift:1"])

    def test_reports_an_exemption_that_excuses_nothing_and_one_without_a_reason(self):
        self.allow("docs/a.md | anew | a quotation")
        self.assertIn("excuses nothing", "".join(self.problems()))
        self.allow("docs/a.md | anew")
        self.assertEqual(self.problems(), ["allowed:1: write FILE | TEXT | REASON"])
