import CameraKit
import CaptureBackends
import CaptureModel
import FileCamera
import Foundation
import Testing
import V4L2Camera
import VirtualDevices

@testable import RigConfiguration

@Suite("Loads every example configuration") struct ExampleTests {
    private func example(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "deploy/examples/\(name)"), encoding: .utf8)
    }

    @Test func usb() throws {
        let text = try example("agent-usb.yaml")
        // As it is: on a machine without cameras. Then as somebody has completed it who follows its comments.
        let completed = text.replacing("devices: []", with: "devices:").replacing("\n#  ", with: "\n  ")
        for (text, names) in [(text, []), (completed, ["cam1"])] {
            let agent = try AgentConfiguration.parse(
                text: text, file: "agent-usb.yaml", sources: Backends.all.sources)
            #expect(agent.devices.map(\.name.rawValue) == names)
            #expect(agent.devices.allSatisfy { !$0.enabled && $0.format.pixelFormat == .mjpeg })
        }
    }

    @Test func virtual() throws {
        let agent = try AgentConfiguration.parse(
            text: try example("agent-virtual.yaml"), file: "agent-virtual.yaml", sources: Backends.all.sources)
        let bad = try #require(agent.devices.last?.source.configuration as? VirtualCameraConfiguration)
        #expect(bad.faults.map(\.kind) == [.torn, .dropped, .stalled, .unplugged])
        #expect(bad.controls.delayFrames == 2 && !bad.controls.reportsFrameValues)
        #expect(bad.problems.isEmpty)
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

@Suite struct EndpointTests {
    @Test(
        "an endpoint gives its host, without brackets, and its port",
        arguments: [
            ("tcp://127.0.0.1:7713", "127.0.0.1", 7713), ("tcp://rig-1.local:1", "rig-1.local", 1),
            ("tcp://[::1]:65535", "::1", 65_535), ("tcp://[fe80::1%eth0]:7710", "fe80::1%eth0", 7710),
        ])
    func whole(text: String, host: String, port: UInt16) throws {
        let endpoint = try TCPEndpoint(parsing: text)
        #expect(endpoint == TCPEndpoint(host: host, port: port))
        #expect(endpoint.description == text)
    }

    @Test(
        "a text that is not an endpoint is refused with what is wrong with it",
        arguments: [
            ("", "write it as tcp://HOST:PORT"), ("ipc:///run/rig", "write it as tcp://HOST:PORT"),
            ("tcp://", "it names no port"), ("tcp://rig", "it names no port"), ("tcp://[::1]", "it names no port"),
            ("tcp://:7710", "it names no host"), ("tcp://[]:7710", "it names no host"),
            ("tcp://a b:7710", "'a b' is not a host name or address"), ("tcp://[rig]:7710", "'rig' is not a host name"),
            ("tcp://::1:7710", "write it as tcp://[HOST]:PORT"), ("tcp://rig:", "its port '' is not a number"),
            ("tcp://rig:7710x", "its port '7710x' is not a number"), ("tcp://rig:-1", "its port '-1' is not a number"),
            ("tcp://rig:0", "port 0 is out of range"), ("tcp://rig:65536", "port 65536 is out of range"),
            ("tcp://rig:99999999999999999999", "port 99999999999999999999 is out of range"),
            ("tcp://rig\u{1B}[2J:1", "'rig\u{FFFD}[2J' is not a host name"),
        ])
    func faulty(text: String, reason: String) {
        let fault = #expect(throws: EndpointFault.self) { try TCPEndpoint(parsing: text) }
        #expect(fault?.description.contains(" is not an endpoint: ") == true)
        #expect(fault?.description.contains(reason) == true, "\(fault?.description ?? "")")
        #expect(TCPEndpoint(text) == nil)
    }
}

@Suite struct ListenHostTests {
    @Test(
        "A host to listen on is a name, an address with or without brackets, or *",
        arguments: [
            ("*", "*"), ("::1", "::1"), ("[::1]", "::1"), ("localhost", "localhost"), ("fe80::1%eth0", "fe80::1%eth0"),
            ("192.168.10.1", "192.168.10.1"), ("rig-1.example.org", "rig-1.example.org"),
            ("", nil), ("[]", nil), ("[rig]", nil), ("[::1", nil), ("tcp://10.0.0.1", nil), ("a b", nil), ("**", nil),
        ])
    func hosts(text: String, expected: String?) {
        #expect(ListenHost.parse(text) == expected)
    }
}

@Suite struct UnitTests {
    @Test(
        "A duration means another time than it says",
        arguments: [
            ("3 s", Duration.seconds(3)), ("3s", .seconds(3)), ("250 ms", .milliseconds(250)),
            ("1.5 s", .milliseconds(1500)),
            ("0.0000010 s", .microseconds(1)), ("700000 us", .milliseconds(700)), ("700000 µs", .milliseconds(700)),
            ("0.5 min", .seconds(30)), ("+2 s", .seconds(2)), ("600000001 ns", .nanoseconds(600_000_001)),
        ])
    func durations(text: String, duration: Duration) throws {
        let head = duration < .milliseconds(500) ? [] : ["ring: { depth: \(text) }"]
        let device = head.isEmpty ? ["readout: \(text)"] : []
        let agent = try AgentConfiguration.parse(
            text: Text.agent(head, device: device), file: "a", sources: Backends.all.sources)
        #expect(head.isEmpty ? agent.devices.first?.stamps.readout == duration : agent.ring.depth == duration)
    }

    @Test(
        "A size means another number of bytes than it says",
        arguments: [
            ("1024 B", 1024), ("2 kB", 2000), ("2 KiB", 2048), ("1.5 MiB", 1_572_864), ("2 GB", 2_000_000_000),
            ("2 GiB", 2_147_483_648), ("0.001 TB", 1_000_000_000), ("1 TiB", 1 << 40), ("512MiB", 512 << 20),
        ] as [(String, Int64)])
    func byteCounts(text: String, bytes: Int64) throws {
        let agent = try AgentConfiguration.parse(
            text: Text.agent(["spool: { limit: \(text) }"]), file: "a", sources: Backends.all.sources)
        #expect(agent.spool.limit.bytes == bytes)
    }

    @Test("Prints sizes with readable units")
    func printedSizes() {
        #expect(ByteCount.mebibytes(512).description == "512 MiB")
        #expect(ByteCount(2_000_000_000).description == "2 GB")
        #expect(ByteCount(0).description == "0 B")
        #expect(ByteCount(1025).description == "1025 B")
        #expect(ByteCount(-1).bytes == 0)
        #expect(TransferRate.bytesPerSecond(40_000_000).description == "40 MB/s")
    }
}
