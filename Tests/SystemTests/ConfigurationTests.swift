import CaptureModel
import CaptureTestSupport
import Foundation
import Glibc
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

        @Test("Refuses an agent's mistyped key with file, line and suggestion")
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
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("\(file):2:1: rign: unknown key; did you mean 'ring'?"))
            #expect(outcome.errors.contains("\(file):5:") && outcome.errors.contains("'purpose'"))
        }

        @Test("A coordinator prints the configuration in force, which is a configuration")
        func printedConfiguration() async throws {
            let yaml = "library: { folder: ./shots }\ntrigger: { timeout: 7s }\n"
            let file = try folder.write(Array(yaml.utf8), as: "coordinator.yaml")
            let printed = try await run("capcoordd", ["--config", file, "--base-port", "7800", "--print-config"])
            #expect(printed.status == 0, "\(printed.errors)")
            for line in [
                "folder: \"\(folder.path)/shots\"", "folder: \"\(folder.path)/shots/.caprig\"", "timeout: 7 s",
                "basePort: 7800",
                "rate: unlimited", "rig: rig",
            ] { #expect(printed.output.contains(line), "\(line): \(printed.output)") }
            let again = try folder.write(Array(printed.output.utf8), as: "printed.yaml")
            #expect(try await run("capcoordd", ["--config", again, "--print-config"]).output == printed.output)
        }

        @Test("A hangup has the coordinator take over what may change, and name what needs a restart")
        func reload() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let earlier = try await rig.capctl.run("trigger", "--all", "--no-live", "--at", "+700ms")
            #expect(earlier.status == 0, "\(earlier.errors)")
            let old = try String(contentsOfFile: rig.configuration, encoding: .utf8)

            func reload(_ text: String, until line: String) async throws {
                try Data(text.utf8).write(to: URL(filePath: rig.configuration))
                try rig.coordinator.send(SIGHUP)
                try await within(.seconds(10), "the log to say '\(line)'") {
                    while try !rig.coordinator.log.contains(line) { try await TestRig.pause() }
                }
            }
            let new = "trigger: { maximumAhead: 500ms }\ncollect: { rate: unlimited }\naudit: { limit: 3 MiB }\n"
            try await reload(new, until: "trigger.maximumAhead: 500 ms")
            try await within(.seconds(10), "the key that waits") {
                while try !rig.coordinator.log.contains("audit.limit") { try await TestRig.pause() }
            }
            let refused = try await rig.capctl.run("trigger", "--all", "--no-live", "--at", "+700ms")
            #expect(refused.status == 4, "\(refused.output)\(refused.errors)")
            try await reload("trigger: { maximumAhaed: 1s }\n", until: "did you mean 'maximumAhead'")
            try await reload(old, until: "trigger.maximumAhead: 10 s")
            try await rig.end()
        }

        @Test("The agent's help has the options with which it runs, and its subcommands", arguments: ["--help", "-h"])
        func agentHelp(option: String) async throws {
            let outcome = try await run("capagentd", [option])
            #expect(outcome.status == 0)
            for word in ["--config", "--list-devices", "--spool", "join", "run"] {
                #expect(outcome.output.contains(word), "\(word): \(outcome.output)")
            }
        }

        @Test("Refuses a coordinator's mistyped key with file, line and suggestion")
        func coordinatorNamesUnknownKey() async throws {
            let yaml = "library: { folder: \(folder.path)/library }\ncolect: { rate: unlimited }\n"
            let file = try folder.write(Array(yaml.utf8), as: "coordinator.yaml")
            let outcome = try await run("capcoordd", ["--config", file, "--base-port", "0"])
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("\(file):2:1: colect: unknown key; did you mean 'collect'?"))
        }

        @Test(
            "a configuration that is not there is told in the words of a framework",
            arguments: ["capagentd", "capcoordd"])
        func missingFile(program: String) async throws {
            let outcome = try await run(program, ["--config", folder.path + "/none.yaml"])
            #expect(outcome.status == 64)
            #expect(outcome.errors.hasPrefix("error: \(folder.path)/none.yaml: the configuration cannot be read: "))
            #expect(!outcome.errors.contains("Domain"), "\(outcome.errors)")
        }

        @Test(
            "a folder or a device in place of a configuration file is refused at once, by what it is",
            arguments: ["capagentd", "capcoordd"], ["/dev/null", "/tmp"])
        func noFile(program: String, path: String) async throws {
            let outcome = try await run(program, ["--config", path])
            #expect(outcome.status == 64)
            let kind = path == "/tmp" ? "folder" : "device"
            #expect(
                outcome.errors
                    == "error: \(path): the configuration cannot be read: it is a \(kind); give a YAML file\n")
        }

        @Test(
            "an endpoint to which nobody can connect is refused at once with its reason and status 64",
            arguments: [
                ("127.0.0.1:7710", "tcp://HOST:PORT"), ("tcp://rig", "it names no port"),
                ("tcp://127.0.0.1:7713x", "its port '7713x' is not a number"),
                ("tcp://127.0.0.1:99999", "port 99999 is out of range"),
                ("tcp://127.0.0.1:0", "port 0 is out of range"),
                ("tcp://::1:7713", "brackets"), ("tcp://a b:7713", "'a b' is not a host name"),
                (
                    "tcp://nobody.invalid:7713",
                    "the host 'nobody.invalid' of tcp://nobody.invalid:7713 cannot be resolved"
                ),
            ])
        func endpoints(endpoint: String, reason: String) async throws {
            let yaml = """
                node: node1
                coordinator: "\(endpoint)"
                devices: [ { name: cam1, purpose: none, source: { virtual: {} } } ]
                """
            let file = try folder.write(Array(yaml.utf8), as: "agent.yaml")
            let spool = folder.path + "/spool"
            let rig = try TestRig(NodePlan.nodes(1, cameras: 1))
            try await rig.startCoordinator()
            try await rig.kill("coordinator")
            for (program, arguments) in [
                ("capctl", ["status", "--admin", rig.folder.path + "/admin", "--coordinator", endpoint]),
                ("capagentd", ["--spool", spool, "--coordinator", endpoint]),
                ("capagentd", ["--spool", spool, "--config", file]),
            ] {
                let outcome = try await run(program, arguments)
                #expect(outcome.status == 64, "\(program) \(arguments): \(outcome.errors)")
                #expect(outcome.errors.contains(reason), "\(program): \(outcome.errors)")
            }
        }

        @Test("No program can do without keys", arguments: [["capcoordd"], ["capagentd"], ["capctl", "status"]])
        func insecure(command: [String]) async throws {
            let outcome = try await run(command[0], command.dropFirst() + ["--insecure"])
            #expect(outcome.status == 64 && outcome.errors.contains("Unknown option '--insecure'"), "\(outcome.errors)")
        }

        @Test("Starts with --allow-unresolved before the coordinator's name has an address")
        func nameThatComesLater() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            try await rig.end()
            let agent = try RunningProgram(
                "capagentd", program: Programs.path("capagentd"),
                arguments: [
                    "--spool", rig.spool("node1"), "--coordinator", "tcp://nobody.invalid:7710", "--allow-unresolved",
                    "--until-eof", "--announce",
                ], log: folder.path + "/log")
            _ = try await agent.nextLine(within: .seconds(20)) { $0.contains(#""ready":true"#) }
            agent.send(SIGTERM)
            #expect(try await agent.exitStatus(within: .seconds(20)) == 0, "\(agent.log)")
        }

        @Test(
            "a base port that leaves no room for twelve is refused with the range", arguments: ["65525", "-1", "99999"])
        func basePort(port: String) async throws {
            let outcome = try await run(
                "capcoordd", ["--library", folder.path + "/library", "--base-port=\(port)"])
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("--base-port \(port) is out of range"), "\(outcome.errors)")
        }
    }
}
