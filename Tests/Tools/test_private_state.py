"""The state of a type that is finished is private."""

import pathlib
import tempfile
import unittest
from unittest import mock

from layers import private_state


class PrivateState(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.enterContext(mock.patch.multiple(private_state, FINISHED=["Hold"], UNFINISHED=["Rig"], LIMITS={"Hold": 4}))

    def write(self, name, *lines):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def problems(self):
        return list(private_state.problems(self.root))

    def test_reports_stored_variables_that_are_not_private(self):
        self.write("Core/RigCore/Hold.swift", "package struct Hold: Sendable {", "    var holder: String?", "    private(set) var end = 0",
                   "    public internal(set) var note = [\"{\": 1]", "    nonisolated(unsafe) var cache: [Int: () -> Int] = [:]", "}")
        self.assertEqual(self.problems(), ["Sources/Core/RigCore/Hold.swift: state of Hold is not private: holder, end, note, cache"])

    def test_accepts_private_ones_constants_statics_and_computed_properties(self):
        self.write("Core/RigCore/Hold.swift", "struct Hold<Key: Hashable>", "where Key: Sendable {", "    // var old = 1", "    private var holder: Key?",
                   "    fileprivate var end = 0", "    let note: String", "    static var limit = 3", "    var isFree: Bool { holder == nil }",
                   "    var count: Int {", "        var sum = 0", "        sum += 1", "        return sum", "    }",
                   "    func change() {", "        var copy = self", "        copy.end = 1", "    }", "    private struct Turn {", "        var begun = 0",
                   "    }", "}", "", "struct Other {", "    var value = 1", "}", "", "extension Hold {", "    var text: String { \"var x = 1\" }", "}")
        self.assertEqual(self.problems(), [])

    def test_counts_observed_and_lazy_ones_as_stored(self):
        self.write("Core/RigCore/Hold.swift", "final class Hold {", "    var end = 0 {", "        didSet { print(end) }", "    }",
                   "    lazy var text = { \"a\" }()", "    var other: Int { didSet {} }", "}")
        self.assertEqual(self.problems(), ["Sources/Core/RigCore/Hold.swift: state of Hold is not private: end, text, other"])

    def test_reports_a_type_with_more_stored_properties_than_it_may_have(self):
        lines = ["actor Hold {", "    let a: Int", "    nonisolated let c: Int", "    private var d: Int", "    private lazy var e = 1",
                 "    static let f = 1", "    var g: Int { 1 }"]
        self.write("Core/RigCore/Hold.swift", *lines, "}")
        self.assertEqual(self.problems(), [])
        self.write("Core/RigCore/Hold.swift", *lines, "    let h: () -> Void", "}")
        self.assertEqual(self.problems(), ["Sources/Core/RigCore/Hold.swift: Hold has 5 stored properties, and may have 4"])

    def test_reports_a_type_that_is_not_there(self):
        self.write("Core/RigCore/Rig.swift", "actor Rig {}")
        self.assertEqual(self.problems(), ["tools/layers/private_state.py names Hold, which Sources/ does not declare"])

    def test_lists_what_is_not_finished_without_a_problem(self):
        self.write("Core/RigCore/Hold.swift", "struct Hold {", "    private var end = 0", "}")
        self.write("Core/RigCore/Rig.swift", "package actor Rig {", "    let name: String", "    var shots = 0", "    private var hold = Hold()", "}")
        self.assertEqual(self.problems(), [])
        self.assertEqual(list(private_state.listing(self.root)), ["Rig: 1 stored vars are not private: shots"])
        self.write("Core/RigCore/Rig.swift", "package actor Rig {", "    private var hold = Hold()", "}")
        self.assertEqual(list(private_state.listing(self.root)), ["Rig: 0 stored vars are not private; it is finished"])


if __name__ == "__main__":
    unittest.main()
