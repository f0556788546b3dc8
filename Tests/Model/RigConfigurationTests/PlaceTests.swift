import CameraKit
import CaptureBackends
import CaptureModel
import RigConfiguration
import Testing

@Suite struct PlaceTests {
    @Test("Reports every mistake at its line")
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
            color: blue
            """
        let problems = Text.problems(ofAgent: text)
        let places = problems.map { "\($0.line):\($0.column) \($0.key) \($0.code)" }
        #expect(
            places == [
                "1:7 node badValue", "4:10 ring.depth badValue", "5:3 ring.memroy unknownKey",
                "11:16 devices[0].source.virtual.width badValue", "12:14 devices[0].quality badValue",
                "13:5 devices[1].name missingKey", "14:29 devices[1].source.v4l2.path badValue",
                "15:1 color unknownKey",
            ])
        let error = ConfigurationError(file: "/etc/caprig/agent.yaml", problems: problems)
        let lines = error.description.split(separator: "\n")
        #expect(lines.count == 8)
        #expect(lines[2] == "/etc/caprig/agent.yaml:5:3: ring.memroy: unknown key; did you mean 'memory'?")
    }

    @Test(
        "A file that is not YAML is told without its line",
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

    @Test("Refuses random text as a configuration")
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

@Suite struct CoordinatorConfigurationTests {
    @Test("Keeps every setting of a coordinator that it reads")
    func everyKey() throws {
        let text = """
            library:
              folder: /l
              previews: false
              copy: /mnt/l
              keep: { for: 30 d, free: 50 GB, onlyCopies: delete }
            state: { folder: /s }
            listen: { host: "*", basePort: 0 }
            collect: { rate: 1.25 MB/s }
            trigger: { timeout: 1 min, maximumAhead: 500 ms, maxSkew: 2 ms, onExcess: refuse }
            audit: { limit: 1 GiB }
            """
        let coordinator = try CoordinatorConfiguration.parse(text: text, file: "coordinator.yaml")
        #expect(coordinator.library.folder == "/l" && coordinator.stateFolder == "/s")
        #expect(!coordinator.library.previews && coordinator.library.copy == "/mnt/l")
        #expect(
            coordinator.library.keep
                == .init(age: .seconds(30 * 86_400), free: ByteCount(50_000_000_000), onlyCopies: .delete))
        #expect(coordinator.library.keep?.text == "for 30 d, 50 GB free")
        #expect(try CoordinatorConfiguration.parse(text: coordinator.yaml(), file: "printed") == coordinator)
        #expect(coordinator.listen.host == "*" && coordinator.listen.basePort == 0)
        #expect(coordinator.collect.rate == .bytesPerSecond(1_250_000))
        #expect(coordinator.trigger.timeout == .seconds(60))
        #expect(coordinator.trigger.maximumAhead == .milliseconds(500))
        #expect(coordinator.trigger.timing == TimingLimits(maxSkew: .milliseconds(2), onExcess: .refuse))
        #expect(coordinator.audit.limit == .mebibytes(1024))
    }

    @Test("Deletes nothing unless a rule says what, and only copies unless a word says so")
    func keeping() throws {
        func keep(_ text: String) throws -> CoordinatorConfiguration.Retention? {
            try CoordinatorConfiguration.parse(text: text, file: "coordinator.yaml").library.keep
        }
        #expect(try keep("library: { folder: /l }") == nil)
        #expect(try keep("library: { keep: { for: 2 h } }") == .init(age: .seconds(7200)))
        #expect(try keep("library: { keep: { free: 1 GiB } }") == .init(free: .mebibytes(1024)))
        for text in [
            "{}", "{ onlyCopies: delete }", "{ for: 1 min }", "{ for: 30 }", "{ free: 1 kB }",
            "{ for: 2 h, onlyCopies: true }",
            "{ for: 2 h, copies: keep }",
        ] {
            #expect(throws: ConfigurationError.self, "\(text)") { try keep("library: { keep: \(text) }") }
        }
    }

    @Test("Moves the state with the library")
    func stateFollowsLibrary() {
        var coordinator = CoordinatorConfiguration()
        #expect(coordinator.stateFolder == "/var/lib/caprig/library/.caprig")
        coordinator.library.folder = "/elsewhere/"
        #expect(coordinator.stateFolder == "/elsewhere/.caprig")
    }

    @Test(
        "A mistake in a coordinator's configuration is told wrongly or not at all",
        arguments: [
            Faulty("libary: { folder: /l }", .unknownKey, "libary", "did you mean 'library'?"),
            Faulty("listen: { port: 7710 }", .unknownKey, "listen.port", "basePort"),
            Faulty("listen: { basePort: 65525 }", .badValue, "listen.basePort", "65524"),
            Faulty("listen: { host: 'a b' }", .badValue, "listen.host", "host name"),
            Faulty("collect: { rate: fast }", .badValue, "collect.rate", "'unlimited'"),
            Faulty("collect: { rate: 40 MB }", .badValue, "collect.rate", "unknown unit 'MB'"),
            Faulty("collect: { rate: 0 MB/s }", .badValue, "collect.rate", "less than 1 kB/s"),
            Faulty("trigger: { timeout: 2 days }", .badValue, "trigger.timeout", "unknown unit"),
            Faulty("trigger: { maximumAhead: 2 h }", .badValue, "trigger.maximumAhead", "not within"),
            Faulty("trigger: { maxSkew: 2 min }", .badValue, "trigger.maxSkew", "not within"),
            Faulty("trigger: { maxBound: 999 ns }", .badValue, "trigger.maxBound", "not within"),
            Faulty("trigger: { maxBound: 1 ms, onExcess: retry }", .badValue, "trigger.onExcess", "not one of"),
            Faulty("trigger: { onExcess: mark }", .missingKey, "trigger", "needs 'maxSkew' or 'maxBound'"),
            Faulty("audit: { limit: 512 KiB }", .badValue, "audit.limit", "not within"),
            Faulty("library: /l", .wrongType, "library", "must be a mapping"),
        ])
    func problems(faulty: Faulty) { faulty.check(Text.problems(ofCoordinator: faulty.text)) }
}

/// Texts of configurations, and what is found wrong with them.
enum Text {
    /// A good agent's configuration with these lines put into its only device.
    static func device(_ lines: String...) -> String {
        agent(device: lines)
    }

    static func agent(_ head: [String] = [], device lines: [String] = []) -> String {
        let fixed = ["  - name: cam0", "    purpose: To be tested", "    source: { virtual: {} }"]
        return (["node: node1"] + head + ["devices:"] + fixed + lines.map { "    \($0)" }).joined(separator: "\n")
            + "\n"
    }

    /// A device of this source alone.
    static func source(_ source: String) -> String {
        "node: node1\ndevices:\n  - name: cam0\n    purpose: To be tested\n    source: \(source)\n"
    }

    /// A virtual camera with this line under `controls`.
    static func controls(_ line: String) -> String { source("{ virtual: { controls: { \(line) } } }") }

    static func problems(ofAgent text: String) -> [ConfigurationProblem] {
        do {
            _ = try AgentConfiguration.parse(text: text, file: "agent.yaml", sources: Backends.all.sources)
            return []
        } catch {
            return error.problems
        }
    }

    static func problems(ofCoordinator text: String) -> [ConfigurationProblem] {
        do {
            _ = try CoordinatorConfiguration.parse(text: text, file: "coordinator.yaml")
            return []
        } catch {
            return error.problems
        }
    }
}

/// A faulty file, and the one problem it has.
struct Faulty: Sendable, CustomTestStringConvertible {
    var text: String
    var code: ConfigurationProblem.Code
    var key: String
    /// A part of the reason.
    var hint: String

    init(_ text: String, _ code: ConfigurationProblem.Code, _ key: String, _ hint: String) {
        (self.text, self.code, self.key, self.hint) = (text, code, key, hint)
    }

    var testDescription: String { "\(key) \(code) \(hint)" }

    func check(_ problems: [ConfigurationProblem], _ location: SourceLocation = #_sourceLocation) {
        #expect(problems.count == 1, "\(problems)", sourceLocation: location)
        #expect(problems.first?.code == code, "\(problems)", sourceLocation: location)
        #expect(problems.first?.key == key, sourceLocation: location)
        #expect(problems.first?.reason.contains(hint) == true, "\(problems)", sourceLocation: location)
    }
}
