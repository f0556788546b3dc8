import CameraKit
import CaptureBackends
import CaptureModel
import FileCamera
import Foundation
import RigConfiguration
import Testing
import V4L2Camera
import VirtualDevices

@Suite("An example configuration does not work") struct ExampleTests {
    private func example(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "deploy/examples/\(name)"), encoding: .utf8)
    }

    @Test func usb() throws {
        let agent = try AgentConfiguration.parse(
            text: try example("agent-usb.yaml"), file: "agent-usb.yaml", sources: Backends.all.sources)
        #expect(agent.devices.map(\.name.rawValue) == ["front", "side", "spare"])
        #expect(agent.devices.map(\.enabled) == [true, true, false])
        #expect(agent.devices[1].source == .v4l2(.serial("7A3F0012")))
    }

    @Test func virtual() throws {
        let agent = try AgentConfiguration.parse(
            text: try example("agent-virtual.yaml"), file: "agent-virtual.yaml", sources: Backends.all.sources)
        let bad = try #require(agent.devices.last?.source.configuration as? VirtualCameraConfiguration)
        #expect(bad.faults.map(\.kind) == [.torn, .dropped, .stalled, .unplugged])
    }

    @Test func file() throws {
        let agent = try AgentConfiguration.parse(
            text: try example("agent-file.yaml"), file: "agent-file.yaml", sources: Backends.all.sources)
        let sources = agent.devices.compactMap { $0.source.configuration as? FileCameraConfiguration }
        #expect(sources.map { $0.path.last } == ["t", "g"])
        #expect(sources.map(\.framesPerSecond) == [30, 30])
        #expect(sources.map(\.loop) == [true, true])
    }

    @Test func coordinator() throws {
        let coordinator = try CoordinatorConfiguration.parse(
            text: try example("coordinator.yaml"), file: "coordinator.yaml")
        var expected = CoordinatorConfiguration()
        expected.state.folder = "/var/lib/caprig/coordinator"
        #expect(coordinator == expected)
    }
}
