"""The paths of docs/architecture.md: that they hold, and that the check notices what does not."""

import pathlib
import unittest

from checks.paths import PAGE, PATHS, problems

ROOT = pathlib.Path(__file__).resolve().parents[2]
CALLER = """
struct Caller {
    func begin() { middle() }  // end() is only named in a comment
    private func middle() { Callee(1).finish() ; queue.yield(Note()) }
}
"""
CALLEE = """
struct Callee {
    init(_ value: Int) {}
    var size: Int { 1 }
    func finish() { end() }
    func end() { print(size) }
}
protocol Ends {
    func onlyRequired()
}
"""
READER = "actor Reader { func read() { for await note: Note in queue {} } }"
FILES = {"Sources/Caller.swift": CALLER, "Sources/Callee.swift": CALLEE, "Sources/Reader.swift": READER}


def found(*lines):
    page = "\n".join(["## Follow it", "", *lines, "", "## Next", "- `not an entry`"])
    return list(problems(page, "Follow it", FILES.get))


class Paths(unittest.TestCase):
    def test_the_paths_of_the_architecture_hold(self):
        page = (ROOT / PAGE).read_text(encoding="utf-8")
        for title in PATHS:
            with self.subTest(path=title):
                read = lambda file: (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).is_file() else None  # noqa: E731
                self.assertEqual(list(problems(page, title, read)), [])

    def test_calls_types_properties_and_messages_are_links(self):
        self.assertEqual(found("1. `Sources/Caller.swift: begin, middle`", "   - `Sources/Callee.swift: init`", "2. `Sources/Callee.swift: finish, end, size`"),
                         [])
        self.assertEqual(found("1. `Sources/Caller.swift: middle`", "2. via `Note` `Sources/Reader.swift: read` reads it"), [])

    def test_notices_a_function_that_does_not_mention_the_next(self):
        for lines in [("1. `Sources/Caller.swift: middle, begin`",), ("1. `Sources/Caller.swift: begin`", "2. `Sources/Callee.swift: end`"),
                      ("1. `Sources/Callee.swift: end`", "   - `Sources/Caller.swift: middle`")]:
            with self.subTest(lines=lines):
                [problem] = found(*lines)
                self.assertIn("not mention", problem)

    def test_notices_a_message_that_one_side_does_not_know(self):
        self.assertEqual(len(found("1. `Sources/Caller.swift: begin`", "2. via `Note` `Sources/Reader.swift: read`")), 1)
        self.assertEqual(len(found("1. `Sources/Caller.swift: middle`", "2. via `Callee` `Sources/Reader.swift: read`")), 1)

    def test_notices_files_functions_and_entries_that_are_not_there(self):
        self.assertEqual(len(found("1. `Sources/Other.swift: begin`")), 1)
        self.assertEqual(len(found("1. `Sources/Callee.swift: begin`")), 1)
        self.assertEqual(len(found("1. `Sources/Callee.swift: onlyRequired`")), 1)
        self.assertEqual(len(found("1. `Sources/Callee.swift`")), 2)
        self.assertEqual(len(found()), 1)

    def test_notices_a_wrong_number(self):
        self.assertEqual(len(found("2. `Sources/Caller.swift: begin`")), 1)


if __name__ == "__main__":
    unittest.main()
