import CameraKit
import CaptureBackends
import CaptureModel
import RigConfiguration
import Testing

@Suite("The registered backends")
struct BackendsTests {
    @Test("Have different names, and each is the key of its sources")
    func names() {
        let names = Backends.all.map(\.name)
        #expect(Set(names).count == names.count, "\(names)")
        for backend in Backends.all {
            #expect(backend.cameras != nil || backend.microphones != nil, "\(backend.name) has no devices")
            let keys = [backend.cameras?.key, backend.microphones?.key].compactMap(\.self)
            #expect(keys.allSatisfy { $0 == backend.name }, "\(backend.name) has \(keys)")
        }
    }

    /// Sources as a configuration has them.
    private static let cameras = [
        "v4l2: { serial: A1 }", "virtual: { preview: { width: 400 } }", "virtual: {}", "file: { path: /r }",
    ]
    private static let microphones = ["alsa: default", "virtual: { number: 3 }"]

    private static func configuration(camera: String, microphone: String) throws -> AgentConfiguration {
        let text = """
            node: n
            devices: [ { name: cam, purpose: p, source: { \(camera) } } ]
            microphones: [ { name: mic, purpose: p, source: { \(microphone) } } ]
            """
        return try .parse(text: text, file: "agent.yaml", sources: Backends.all.sources)
    }

    @Test("Write a source as it was read, and make its device", arguments: cameras, microphones)
    func sources(camera: String, microphone: String) throws {
        let configuration = try Self.configuration(camera: camera, microphone: microphone)
        let text = try configuration.yaml()
        let again = try AgentConfiguration.parse(text: text, file: "printed", sources: Backends.all.sources)
        #expect(again == configuration, "\(text)")
        let device = try #require(configuration.devices.first)
        #expect(camera.hasPrefix(device.source.key))
        _ = try device.makeCamera()
        _ = try #require(configuration.microphones.first).makeMicrophone()
    }

    @Test("Refuse to make a camera of a microphone's source")
    func wrongKind() throws {
        let configuration = try Self.configuration(camera: "virtual: {}", microphone: "alsa: default")
        let microphone = try #require(configuration.microphones.first)
        let device = DeviceConfiguration(name: try DeviceName("cam"), purpose: "p", source: microphone.source)
        let error = #expect(throws: CameraError.self) { try device.makeCamera() }
        #expect(error?.code == .failed && error?.reason.contains("'alsa' is not a camera") == true)
    }

    @Test("Say what is on this machine, or that nothing is", .timeLimit(.minutes(10)))
    func discovery() async throws {
        let found = try await Backends.all.discover()
        #expect(found.flatMap(\.listings).allSatisfy { !$0.paragraph.isEmpty })
        #expect(found.contains { $0.absence.contains("V4L2 camera") })
        #expect(found.contains { $0.absence.contains("microphone") })
    }
}
