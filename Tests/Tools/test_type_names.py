"""A type is found by its file's name, and its name means one thing."""

import pathlib
import tempfile
import unittest

from layers import type_names


class TypeNames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, *lines):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def users(self, name, count=type_names.MANY):
        for number in range(count):
            self.write(f"Core/Users/{name}{number}.swift", f"func use{number}(_ value: {name}) {{}}")

    def problems(self):
        return list(type_names.problems(self.root))

    def test_reports_a_type_of_many_users_in_a_file_of_another_name(self):
        self.write("Model/Values/Clock.swift", "public struct Clock {}", "", "public struct Instant {}")
        self.users("Instant", type_names.MANY - 1)
        self.assertEqual(self.problems(), [])
        self.users("Instant")
        self.assertEqual(self.problems(), [
            f"Sources/Model/Values/Clock.swift declares Instant, which {type_names.MANY} other files name; it belongs in Instant.swift"])

    def test_does_not_count_comments(self):
        self.write("Model/Values/Clock.swift", "public struct Instant {}")
        for number in range(type_names.MANY):
            self.write(f"Core/Users/User{number}.swift", "/// Has an ``Instant``.", f"struct User{number} {{}}")
        self.assertEqual(self.problems(), [])

    def test_reports_protocols_and_errors_whoever_uses_them(self):
        self.write("Model/Values/Clock.swift", "public protocol Ticking: Sendable {}", "public struct Late:", "    Error, Sendable {}",
                   "struct Wrong<Kind>: Error {}", "struct Alarm: Hashable {}", "private struct Own: Error {}")
        self.assertEqual([problem.split(" declares ")[1].split(";")[0] for problem in self.problems()],
                         ["Ticking, a protocol", "Late, an error", "Wrong, an error"])

    def test_accepts_a_type_in_the_file_of_its_name(self):
        self.write("Model/Values/Instant.swift", "public struct Instant {}")
        self.write("Model/Values/Ticking.swift", "public protocol Ticking {}")
        self.users("Instant")
        self.assertEqual(self.problems(), [])

    def test_reports_one_name_in_two_modules(self):
        self.write("Model/Values/Clock.swift", "struct Clock {}")
        self.write("Programs/tool/Clock.swift", "struct Clock {}")
        self.assertEqual(self.problems(), ["Clock is declared in Values, tool; a name means one thing"])

    def test_accepts_private_names_nested_ones_and_extensions_in_other_modules(self):
        self.write("Model/Values/Clock.swift", "public struct Clock {", "    struct Hand {}", "}")
        self.write("Core/Logic/Rig.swift", "private struct Clock {}", "extension Clock {}", "struct Hand {}")
        self.assertEqual(self.problems(), [])

    def test_reports_several_types_that_have_nothing_to_do_with_the_file_s_own(self):
        self.write("Model/Values/Instant.swift", "public struct Instant {", "    var base: TimeBase", "}", "public enum TimeBase {}",
                   "public struct Span {", "    var start: Instant", "}", "public struct Color {}", "public struct Sound {}")
        self.users("Instant")
        for name in ("TimeBase", "Span", "Color"):
            self.users(name, 1)
        self.assertEqual(self.problems(), [])
        self.users("Sound", 1)
        self.assertEqual(self.problems(), [
            "Sources/Model/Values/Instant.swift declares Color, Sound beside Instant, which have nothing to do with it"])


if __name__ == "__main__":
    unittest.main()
