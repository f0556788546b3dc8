import CameraKit
import CaptureBackends
import RigConfiguration
import Testing

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
