import CameraKit
import CaptureBackends
import RigConfiguration
import Testing

@Suite struct RelativePathTests {
    private static let text = """
        node: node1
        spool: { folder: ./spool }
        keys: { folder: .//keys }
        devices:
          - name: cam1
            purpose: a recording
            source: { file: { path: ./rec } }
          - name: cam2
            purpose: truth
            source: { virtual: { truth: ../truth.jsonl } }
        """

    private func folders(in folder: String?) throws -> [String] {
        let agent = try AgentConfiguration.parse(
            text: Self.text, file: "agent.yaml", folder: folder, sources: Backends.all.sources)
        let written = try agent.yaml().split(separator: "\n")
            .filter { $0.contains("path:") || $0.contains("truth:") }
            .map { $0.split(separator: "\"")[1] }
        return [agent.spool.folder, agent.keys] + written.map(String.init)
    }

    @Test func `A relative path is relative to the configuration file, whatever it names`() throws {
        #expect(
            try folders(in: "/etc/caprig") == [
                "/etc/caprig/spool", "/etc/caprig/keys", "/etc/caprig/rec", "/etc/caprig/../truth.jsonl",
            ])
        #expect(try folders(in: "/") == ["/spool", "/keys", "/rec", "/../truth.jsonl"])
    }

    @Test func `A configuration without a folder keeps its paths`() throws {
        #expect(try folders(in: nil) == ["./spool", ".//keys", "./rec", "../truth.jsonl"])
    }

    @Test func `Folders of a coordinator are relative to its configuration file, and absolute ones stay`() throws {
        let text = "library: { folder: shots }\nstate: { folder: /var/state }\n"
        let coordinator = try CoordinatorConfiguration.parse(text: text, file: "c.yaml", folder: "/srv/rig/")
        #expect(coordinator.library.folder == "/srv/rig/shots" && coordinator.state.folder == "/var/state")
    }

    @Test func `The path of a device stays an absolute one`() {
        let text = "node: n\ndevices: [ { name: c, purpose: p, source: { v4l2: { path: video0 } } } ]\n"
        #expect(throws: ConfigurationError.self) {
            try AgentConfiguration.parse(text: text, file: "a.yaml", folder: "/dev", sources: Backends.all.sources)
        }
    }
}
