import CaptureModel
import CaptureTestSupport
import Testing

extension System {
    @Suite(.timeLimit(.minutes(1))) struct ConfigurationTests {
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
        }

        private func run(_ program: String, _ arguments: [String]) async throws -> Capctl.Outcome {
            let started = try RunningProgram(
                program, program: Programs.path(program), arguments: arguments, log: folder.path + "/log")
            return try await Capctl.outcome(of: started, within: .seconds(10))
        }

        @Test("a mistyped key of an agent is not told by file, line and what was meant, or it starts all the same")
        func agentNamesUnknownKey() async throws {
            let yaml = """
                node: node1
                rign: { depth: 3 s }
                devices:
                  - name: cam1
                    porpose: none
                    source: { virtual: {} }
                """
            let file = try folder.write(Array(yaml.utf8), as: "agent.yaml")
            let outcome = try await run("capagentd", ["--config", file, "--spool", folder.path + "/spool"])
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("\(file):2:1: rign: unknown key; did you mean 'ring'?"))
            #expect(outcome.errors.contains("\(file):5:") && outcome.errors.contains("'purpose'"))
        }

        @Test("a mistyped key of a coordinator is not told by file, line and what was meant, or it starts all the same")
        func coordinatorNamesUnknownKey() async throws {
            let yaml = "library: { folder: \(folder.path)/library }\ncolect: { rate: unlimited }\n"
            let file = try folder.write(Array(yaml.utf8), as: "coordinator.yaml")
            let outcome = try await run("capcoordd", ["--config", file, "--base-port", "0"])
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("\(file):2:1: colect: unknown key; did you mean 'collect'?"))
        }

        @Test(
            "a configuration that is not there is told in the words of a framework",
            arguments: ["capagentd", "capcoordd"])
        func missingFile(program: String) async throws {
            let outcome = try await run(program, ["--config", folder.path + "/none.yaml"])
            #expect(outcome.status == 78)
            #expect(outcome.errors.hasPrefix("error: \(folder.path)/none.yaml: the configuration cannot be read: "))
            #expect(!outcome.errors.contains("Domain"), "\(outcome.errors)")
        }

        @Test("a rig without keys is open to the whole network by mistake")
        func coordinatorRefusesAnOpenAddress() async throws {
            for host in ["0.0.0.0", "*", "::"] {
                let outcome = try await run(
                    "capcoordd", ["--library", folder.path + "/library", "--base-port", "0", "--listen", host])
                #expect(outcome.status == 78)
                #expect(outcome.errors.contains("--insecure"))
            }
        }
    }
}
