import RigConfiguration
import Testing

@Suite struct PlaceTests {
    @Test("Only the first of many mistakes is told, or at a wrong line")
    func everyProblemWithItsPlace() {
        let text = """
            node: NODE
            # a comment
            ring:
              depth: 3
              memroy: 512 MiB
            devices:
              - name: cam0
                purpose: ok
                source:
                  virtual:
                    width: wide
                quality: 0
              - purpose: ok
                source: { v4l2: { path: video0 } }
            colour: blue
            """
        let problems = Text.problems(ofAgent: text)
        let places = problems.map { "\($0.line):\($0.column) \($0.key) \($0.code)" }
        #expect(
            places == [
                "1:7 node badValue", "4:10 ring.depth badValue", "5:3 ring.memroy unknownKey",
                "11:16 devices[0].source.virtual.width badValue", "12:14 devices[0].quality badValue",
                "13:5 devices[1].name missingKey", "14:29 devices[1].source.v4l2.path badValue",
                "15:1 colour unknownKey",
            ])
        let error = ConfigurationError(file: "/etc/caprig/agent.yaml", problems: problems)
        let lines = error.description.split(separator: "\n")
        #expect(lines.count == 8)
        #expect(lines[2] == "/etc/caprig/agent.yaml:5:3: ring.memroy: unknown key; did you mean 'memory'?")
    }

    @Test(
        "A file that is no YAML is told without its line",
        arguments: [
            ("node: node1\n\tdevices: []\n", 2), ("node: [a\n", 2), ("node: a\nnode: b\n", 1),
            ("node: 'a\n", 2), ("a: 1\n---\nb: 2\n", 2), ("a: *nothing\n", 1),
        ])
    func syntax(text: String, line: Int) {
        let problems = Text.problems(ofAgent: text)
        #expect(problems.map(\.code) == [.syntax], "\(problems)")
        #expect(problems.first?.line == line, "\(problems)")
    }

    /// A text that no person wrote, by a name short enough for a test report.
    struct Hostile: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String

        init(_ unit: String, count: Int = 1) {
            testDescription = "\(unit.debugDescription) \(count) times"
            text = String(repeating: unit, count: count)
        }
    }

    @Test(
        "A file that no person wrote brings the agent down",
        arguments: [
            Hostile(""), Hostile("\0"), Hostile("\u{FEFF}"), Hostile("---\n"), Hostile("# only a comment\n"),
            Hostile("&a [*a]"), Hostile("a: &x [*x, *x]"), Hostile("!!binary 🙂: \u{1}"), Hostile("[", count: 100_000),
            Hostile("- ", count: 100_000), Hostile("{a: ", count: 100_000), Hostile("? ", count: 50_000),
            Hostile("x", count: 2_000_000),
        ])
    func hostile(hostile: Hostile) {
        #expect(!Text.problems(ofAgent: hostile.text).isEmpty)
        #expect(!Text.problems(ofCoordinator: hostile.text).isEmpty)
    }

    @Test("Noise in place of a configuration brings the agent down")
    func noise() {
        // Knuth's linear congruential generator: the same noise every time.
        var state: UInt64 = 1
        func pick(_ pieces: [String]) -> String {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return pieces[Int((state >> 33) % UInt64(pieces.count))]
        }
        let pieces = [
            "node", "devices", ":", " ", "\n", "- ", "{", "}", "[", "]", ",", "'", "\"", "&a", "*a", "!", "|", "#",
            "\t", "3 s", "é",
        ]
        for _ in 0..<500 {
            let text = (0..<40).map { _ in pick(pieces) }.joined()
            #expect(!Text.problems(ofAgent: text).isEmpty, "\(text.debugDescription)")
        }
    }
}
