import CameraKit
import CaptureBackends
import CaptureModel
import RigConfiguration
import Testing

@Suite struct ClockSettingsTests {
    @Test(
        "PTP and NTP are believed only where the configuration says so",
        arguments: [
            ([], false), (["clock: { discipline: false }"], false), (["clock: { discipline: true }"], true),
        ] as [([String], Bool)])
    func discipline(lines: [String], isOn: Bool) throws {
        let agent = try AgentConfiguration.parse(
            text: Text.agent(lines), file: "agent.yaml", sources: Backends.all.sources)
        #expect(agent.clock.discipline == isOn)
        let coordinator = try CoordinatorConfiguration.parse(
            text: (["rig: studio"] + lines).joined(separator: "\n"), file: "coordinator.yaml")
        #expect(coordinator.clock.discipline == isOn)
    }

    @Test(
        "Refuses other words and keys",
        arguments: [("{ discipline: ptp }", "clock.discipline"), ("{ ntp: true }", "clock.ntp")])
    func refused(text: String, key: String) {
        #expect(Text.problems(ofAgent: Text.agent(["clock: \(text)"])).map(\.key) == [key])
    }
}
