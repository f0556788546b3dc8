import CaptureModel
import RigConfiguration
import Testing

/// A source of a backend that no program has.
private struct PipeSource: SourceConfiguration {
    static let key = "pipe"

    var command: String
    var lines: Int

    init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        let command = mapping.required("command")?.scalar(.text(limit: 64))
        lines = mapping.read("lines", .integer(1...9), default: 5)
        mapping.finish()
        guard let command else { return nil }
        self.command = command
    }

    var written: WrittenValue {
        .mapping { mapping in
            mapping.add("command", text: command)
            mapping.add("lines", plain: lines)
        }
    }

    var hardware: String? { command }
}

/// Another one, of a single word.
private struct WordSource: SourceConfiguration {
    static let key = "word"

    var word: String

    init?(_ value: YAMLValue) {
        guard let word = value.scalar(.word) else { return nil }
        self.word = word
    }

    var written: WrittenValue { .text(word) }

    var hardware: String? { nil }
}

@Suite("Backend sources") struct SourceTests {
    private static let kinds = SourceKinds(cameras: [PipeSource.self, WordSource.self])

    private static func parse(_ sources: [String]) throws(ConfigurationError) -> AgentConfiguration {
        let devices = sources.enumerated().map { "  - name: c\($0)\n    purpose: p\n    source: { \($1) }\n" }
        return try .parse(text: "node: n\ndevices:\n\(devices.joined())", file: "agent.yaml", sources: kinds)
    }

    private func problems(_ sources: String...) -> [String] {
        do {
            _ = try Self.parse(sources)
            return []
        } catch {
            return error.problems.map { "\($0.line):\($0.column) \($0)" }
        }
    }

    @Test("Writes a source as it was read")
    func roundTrip() throws {
        let agent = try Self.parse(["pipe: { command: cat }", "word: hello"])
        let pipe = try #require(agent.devices.first?.source.configuration as? PipeSource)
        #expect(pipe.command == "cat" && pipe.lines == 5)
        #expect(agent.devices.map(\.source.key) == ["pipe", "word"])
        #expect(try AgentConfiguration.parse(text: agent.yaml(), file: "printed", sources: Self.kinds) == agent)
        #expect(agent.devices[0].source != agent.devices[1].source)
    }

    @Test("Reports mistakes with their place")
    func mistakes() {
        #expect(problems("pipe: { lines: 0 }").count == 2)
        #expect(
            problems("pipe: { command: cat, lnes: 2 }") == [
                "5:37 devices[0].source.pipe.lnes: unknown key; did you mean 'lines'?"
            ])
        #expect(problems("word: [a]") == ["5:21 devices[0].source.word: must be a single value, not a list"])
        #expect(problems("v4l2: { serial: a }").count == 2, "its backend is not among those passed in")
        #expect(
            problems("pipe: { command: a }, word: b") == [
                "5:13 devices[0].source: needs exactly one of 'pipe' and 'word'"
            ])
    }

    @Test("Refuses a second device on the same hardware")
    func duplicates() {
        #expect(
            problems("pipe: { command: cat }", "pipe: { command: cat, lines: 2 }") == [
                "6:5 devices[1]: 'c0' and 'c1' are the same camera"
            ])
        #expect(problems("word: a", "word: a").isEmpty)
    }
}
