import CaptureTestSupport
import Foundation
import Testing

extension System {
    @Suite(.timeLimit(.minutes(2))) struct AddressTests {
        private let folder: TemporaryFolder
        private let basePort: UInt16

        init() throws {
            folder = try TemporaryFolder()
            basePort = try FreePorts.base()
        }

        // MARK: A rig that listens there is used from there

        @Test(
            "A coordinator and an agent that listen on a host are reached by it",
            arguments: ["127.0.0.1", "::1", "[::1]", "localhost"])
        func loopback(host: String) async throws {
            try await use(listen: host, by: host == "::1" ? ["[::1]"] : [host])
        }

        @Test("Listens on * for IPv4 and IPv6")
        func everyAddress() async throws {
            try await use(listen: "*", by: ["127.0.0.1", "[::1]", "localhost"])
        }

        @Test("Connects by the address family that is listened on", .needsRoot)
        func names() async throws {
            let hosts = try hostsFile("127.0.0.1 both four\n::1 both six\n")
            try await use(listen: "six", by: ["six", "both", "[::1]"], hosts: hosts)
            try await use(listen: "four", by: ["four", "both", "127.0.0.1"], hosts: hosts)
            try await use(listen: "both", by: ["four", "both", "127.0.0.1"], hosts: hosts)
        }

        @Test("Listens on * for IPv4 where the kernel has no IPv6", .needs("python3"))
        func withoutIPv6() async throws {
            // socket(AF_INET6, …) fails with EAFNOSUPPORT from here on.
            let filter = """
                import ctypes, os, platform, struct, sys
                code = lambda op, yes, no, value: struct.pack("HBBI", op, yes, no, value)
                number = {"x86_64": 41, "aarch64": 198}[platform.machine()]
                steps = [code(0x20, 0, 0, 0), code(0x15, 0, 3, number), code(0x20, 0, 0, 16), code(0x15, 0, 1, 10),
                         code(6, 0, 0, 0x50000 | 97), code(6, 0, 0, 0x7fff0000)]
                text = ctypes.create_string_buffer(b"".join(steps))
                program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(text)))
                libc = ctypes.CDLL(None)
                if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0): sys.exit("no filter")
                os.execv(sys.argv[1], sys.argv[1:])
                """
            let program = try RunningProgram(
                "capcoordd", program: "/usr/bin/env",
                arguments: [
                    "python3", "-c", filter, Programs.path("capcoordd"), "--library", folder.path + "/library",
                    "--base-port", "\(basePort)", "--listen", "*", "--until-eof", "--announce",
                ], log: folder.path + "/coordinator.log")
            let ready = try await program.nextLine(within: .seconds(20)) { $0.contains(#""ready":true"#) }
            #expect(ready.contains("tcp://0.0.0.0:\(basePort)"))
            let rig = ["--admin", admin, "--coordinator", "tcp://127.0.0.1:\(basePort + 3)"]
            #expect(try await run("capctl", ["status"] + rig, nil).status == 0)
            program.send(SIGTERM)
            #expect(try await program.exitStatus(within: .seconds(20)) == 0)
        }

        private var admin: String { folder.path + "/library/.caprig/admin" }

        /// Has a node join, unless it has joined before.
        private func join(_ node: String, _ configuration: String) async throws {
            guard !FileManager.default.fileExists(atPath: "\(folder.path)/\(node)/keys/coordinator.key") else { return }
            struct Invitation: Decodable {
                var code: String
            }
            let invited = try await run("capctl", ["node", "invite", node, "--admin", admin, "--format", "json"], nil)
            let code = try invited.json(Invitation.self).code
            let joined = try await run("capagentd", ["join", code, "--config", configuration], nil)
            #expect(joined.status == 0, "\(joined.errors)")
        }

        private func use(
            listen host: String, by hosts: [String], hosts file: String? = nil
        ) async throws {
            let coordinator = try start(
                "capcoordd",
                ["--library", folder.path + "/library", "--base-port", "\(basePort)", "--listen", host],
                file)
            _ = try await coordinator.nextLine(within: .seconds(20)) { $0.contains(#""ready":true"#) }
            for (number, reached) in hosts.enumerated() {
                let node = "node\(number + 1)"
                let yaml = """
                    node: \(node)
                    coordinator: tcp://\(reached):\(basePort)
                    spool: { folder: \(folder.path)/\(node), limit: 64 MiB, reserve: 64 KiB }
                    frames: { listen: { host: "\(host)" } }
                    devices: [{ name: cam, purpose: A camera to watch, source: { virtual: { width: 320, height: 180 } } }]
                    """
                let path = try folder.write(Array(yaml.utf8), as: "\(node).yaml")
                try await join(node, path)
                let agent = try start("capagentd", ["--config", path], file)
                _ = try await agent.nextLine(within: .seconds(20)) { $0.contains(#""ready":true"#) }
                let rig = ["--admin", admin, "--coordinator", "tcp://\(reached):\(basePort + 3)"]
                try await within(.seconds(20), "\(node) by \(reached)") {
                    while true {
                        let outcome = try await self.run("capctl", ["status", "--format", "json"] + rig, file)
                        let nodes = (try? outcome.json(StatusAnswer.self).nodes) ?? []
                        if nodes.contains(where: { $0.node == node && $0.clockBoundNanoseconds != nil }) { break }
                        try await TestRig.pause()
                    }
                }
                let preview = ["preview", "\(node)/cam", "--count", "2", "--output", "/dev/null"]
                let watched = try await run("capctl", preview + rig, file)
                #expect(watched.status == 0, "\(watched.errors)\n\(agent.log)")
                let shot = try await run("capctl", ["trigger", "--device", "\(node)/cam"] + rig, file)
                #expect(shot.status == 0, "\(shot.output)\(shot.errors)\n\(agent.log)")
                agent.send(SIGTERM)
                #expect(try await agent.exitStatus(within: .seconds(20)) == 0)
            }
            coordinator.send(SIGTERM)
            #expect(try await coordinator.exitStatus(within: .seconds(20)) == 0)
        }

        // MARK: What cannot be listened on is told

        @Test(
            "Text that cannot be a host ends a daemon with status 64, so that no service manager tries it again",
            arguments: ["capcoordd", "capagentd"], ["tcp://127.0.0.1:7710", "127.0.0.1:7710", "[rig]", ""])
        func malformedHost(program: String, host: String) async throws {
            try await expect(program, ["--listen", host], status: 64, "--listen: '\(host)'")
            let file = try configuration(of: program, listening: host)
            let outcome = try await run(program, ["--config", file], nil)
            #expect(outcome.status == 64, "\(outcome.errors)")
        }

        @Test(
            "A host without an address ends a daemon with status 1, so that a service manager tries again",
            arguments: ["capcoordd", "capagentd"], ["no-such-host.invalid", "fe80::1%noif0"])
        func unknownHost(program: String, host: String) async throws {
            try await expect(program, ["--listen", host], status: 1, "--listen: '\(host)'")
            let file = try configuration(of: program, listening: host)
            try await expect(program, ["--config", file], status: 1, "\(key(of: program)): '\(host)'")
        }

        @Test(
            "A name that is another machine's is told with its address", .needsRoot,
            arguments: ["capcoordd", "capagentd"])
        func elsewhere(program: String) async throws {
            // Reserved for documentation.
            let hosts = try hostsFile("192.0.2.7 elsewhere\n")
            let complaint = "'elsewhere' is 192.0.2.7, which is not an address of this machine"
            try await expect(
                program, ["--listen", "elsewhere"], status: 1, "--listen: \(complaint)", hosts: hosts)
            let file = try configuration(of: program, listening: "elsewhere")
            try await expect(
                program, ["--config", file], status: 1, "\(key(of: program)): \(complaint)", hosts: hosts)
        }

        @Test("Reports an address that this machine does not have, and what to do")
        func foreignAddress() async throws {
            let arguments = ["--library", folder.path + "/library", "--listen", "192.0.2.1"]
            let outcome = try await run("capcoordd", arguments, nil)
            #expect(
                outcome.status == 1 && outcome.errors.contains("this machine has no such address"), "\(outcome.errors)")
        }

        private func expect(
            _ program: String, _ arguments: [String], status: Int32, _ complaint: String, hosts: String? = nil
        ) async throws {
            let outcome = try await run(program, arguments, hosts)
            #expect(outcome.status == status, "\(outcome.errors)")
            #expect(outcome.errors.hasPrefix("error: \(complaint)"), "\(outcome.errors)")
            #expect(outcome.errors.contains("write an address of this machine"), "\(outcome.errors)")
        }

        /// What a daemon's configuration calls the host that it listens on.
        private func key(of program: String) -> String {
            program == "capcoordd" ? "listen.host" : "frames.listen.host"
        }

        private func configuration(of program: String, listening host: String) throws -> String {
            let listen = "listen: { host: \"\(host)\" }"
            let node = NodePlan.nodes(1, cameras: 1)[0]
            let agent = node.yaml(spool: folder.path + "/spool", coordinator: "tcp://[::1]:1")
            let yaml = program == "capcoordd" ? "\(listen)\n" : "\(agent)frames: { \(listen) }\n"
            return try folder.write(Array(yaml.utf8), as: "\(program).yaml")
        }

        // MARK: Programs

        /// A file for `/etc/hosts`, in which `localhost` is as on every machine.
        private func hostsFile(_ text: String) throws -> String {
            try folder.write(Array(("127.0.0.1 localhost\n" + text).utf8), as: "hosts")
        }

        private func start(_ program: String, _ arguments: [String], _ hosts: String?) throws -> RunningProgram {
            let log = "\(folder.path)/\(UUID().uuidString.prefix(8)).log"
            let isDaemon = program != "capctl" && arguments.first != "join"
            let all = arguments + (isDaemon ? ["--until-eof", "--announce"] : [])
            guard let hosts else {
                return try RunningProgram(program, program: Programs.path(program), arguments: all, log: log)
            }
            return try RunningProgram(
                program, program: "/usr/bin/unshare",
                arguments: [
                    "--mount", "sh", "-c", "mount --bind \"$0\" /etc/hosts && exec \"$@\"", hosts,
                    Programs.path(program),
                ] + all, log: log)
        }

        private func run(_ program: String, _ arguments: [String], _ hosts: String?) async throws -> Capctl.Outcome {
            try await Capctl.outcome(of: try start(program, arguments, hosts), within: .seconds(30))
        }
    }
}
