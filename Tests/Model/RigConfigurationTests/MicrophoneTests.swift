import ALSAMicrophone
import CameraKit
import CaptureBackends
import CaptureModel
import RigConfiguration
import Testing
import VirtualDevices

@Suite("Reads the microphones of a configuration") struct MicrophoneTests {
    /// A good configuration with these microphones and these lines in its only device.
    private static func text(_ microphones: [String], device lines: String...) -> String {
        let list = microphones.isEmpty ? [] : ["microphones:"] + microphones.map { "  - \($0)" }
        return Text.agent(list, device: lines)
    }

    @Test("Writes the microphone settings that it reads")
    func reading() throws {
        let text = Self.text(
            [
                "{ name: desk, purpose: Speech, source: { alsa: \"hw:CARD=Webcam,DEV=0\" }, sampleRate: 44100, "
                    + "channels: 2, latencyOffset: -3 ms, labels: [a], position: left }",
                "{ name: sim, purpose: Trial, enabled: false, source: { virtual: { number: 7, driftPPM: -40, "
                    + "faults: [ { kind: dropped, every: 100 } ] } } }",
            ], device: "microphone: desk", "audio: required")
        let agent = try AgentConfiguration.parse(text: text, file: "agent.yaml", sources: Backends.all.sources)
        let desk = try #require(agent.microphones.first)
        #expect(desk.name.rawValue == "desk" && desk.source == .alsa(device: "hw:CARD=Webcam,DEV=0"))
        #expect(desk.sampleRate == 44_100 && desk.channels == 2 && desk.latencyOffset == .milliseconds(-3))
        #expect(desk.labels == ["a"] && desk.position.rawValue == "left" && desk.enabled)
        let sim = try #require(agent.microphones.last)
        let virtual = try #require(sim.source.configuration as? VirtualMicrophoneConfiguration)
        #expect(virtual.number == 7 && virtual.driftPPM == -40 && virtual.faults.map(\.every) == [100])
        #expect(!sim.enabled && sim.sampleRate == nil)
        #expect(agent.devices.first?.microphone?.rawValue == "desk" && agent.devices.first?.audio == .required)
        #expect(
            try AgentConfiguration.parse(text: try agent.yaml(), file: "printed", sources: Backends.all.sources)
                == agent)
    }

    @Test("Needs no microphones")
    func none() throws {
        let agent = try AgentConfiguration.parse(text: Self.text([]), file: "agent.yaml", sources: Backends.all.sources)
        #expect(agent.microphones.isEmpty)
        #expect(agent.devices.first?.microphone == nil && agent.devices.first?.audio == .optional)
    }

    private static let desk = "{ name: desk, purpose: p, source: { alsa: default } }"

    @Test(
        "A mistake is told wrongly or not at all",
        arguments: [
            Faulty(text(["{ name: m, source: { virtual: {} } }"]), .missingKey, "microphones[0].purpose", "required"),
            Faulty(text(["{ name: m, purpose: p }"]), .missingKey, "microphones[0].source", "required"),
            Faulty(
                text(["{ name: m, purpose: p, source: {} }"]), .badValue, "microphones[0].source",
                "exactly one of 'alsa' and 'virtual'"),
            Faulty(
                text(["{ name: m, purpose: p, source: { alsa: a }, rate: 8000 }"]), .unknownKey, "microphones[0].rate",
                "unknown key"),
            Faulty(
                text(["{ name: m, purpose: p, source: { alsa: a }, sampleRate: 7999 }"]), .badValue,
                "microphones[0].sampleRate", "8000 to 192000"),
            Faulty(
                text(["{ name: m, purpose: p, source: { alsa: a }, channels: 9 }"]), .badValue,
                "microphones[0].channels", "1 to 8"),
            Faulty(
                text(["{ name: m, purpose: p, source: { virtual: { faults: [ { kind: torn } ] } } }"]), .badValue,
                "microphones[0].source.virtual.faults[0]", "has no fault 'torn'"),
            Faulty(
                text(["{ name: m, purpose: p, source: { virtual: { periodMilliseconds: 0 } } }"]), .badValue,
                "microphones[0].source.virtual.periodMilliseconds", "1.0 to 1000.0"),
            Faulty(
                text([desk, "{ name: desk, purpose: p, source: { alsa: other } }"]), .duplicate, "microphones[1]",
                "two microphones have the name 'desk'"),
            Faulty(
                text([desk, "{ name: other, purpose: p, source: { alsa: default } }"]), .duplicate, "microphones[1]",
                "'desk' and 'other' are the same microphone"),
            Faulty(
                text((1...128).map { "{ name: m\($0), purpose: p, source: { virtual: { number: \($0) } } }" }),
                .badValue,
                "devices", "together at most 128"),
            Faulty(
                text(["{ name: cam0, purpose: p, source: { virtual: {} } }"]), .duplicate, "devices[0]",
                "a microphone has the name 'cam0' too"),
            Faulty(
                text([desk], device: "microphone: desc"), .badValue, "devices[0].microphone", "did you mean 'desk'?"),
            Faulty(
                text(
                    ["{ name: desk, purpose: p, enabled: false, source: { virtual: {} } }"], device: "microphone: desk"
                ), .badValue, "devices[0].microphone", "no enabled one"),
            Faulty(text([desk], device: "audio: required"), .badValue, "devices[0]", "needs a 'microphone'"),
            Faulty(text([desk], device: "audio: maybe"), .badValue, "devices[0].audio", "optional, required"),
        ])
    func mistakes(faulty: Faulty) { faulty.check(Text.problems(ofAgent: faulty.text)) }
}
