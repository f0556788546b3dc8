import CameraKit
import CaptureBackends
import CaptureModel
import RigConfiguration
import Testing
import VirtualDevices

@testable import CapctlCommands

@Suite struct DemoPlanTests {
    @Test func noTwoCamerasShareNumberPositionOrPhase() throws {
        let plan = try DemoPlan(nodes: 8, cameras: 4)
        let cameras = plan.nodes.flatMap(\.cameras)
        #expect(cameras.count == 32)
        #expect(Set(cameras.map(\.number)).count == 32)
        #expect(Set(cameras.map(\.position)).count == 32)
        #expect(Set(cameras.map(\.phase)).count == 32)
        #expect(cameras.allSatisfy { $0.phase < .milliseconds(67) })
        #expect(plan.nodes[3].cameras.map(\.name.rawValue) == ["cam1", "cam2", "cam3", "cam4"])
    }

    @Test func theRateFallsAboveEightCamerasAndTheSummarySaysSo() throws {
        #expect(try DemoPlan(nodes: 4, cameras: 2).summary.contains("30 frames per second"))
        let large = try DemoPlan(nodes: 3, cameras: 3)
        #expect(large.framesPerSecond == 15)
        #expect(large.summary.contains("15 frames per second (30 up to 8 cameras)"))
    }

    @Test func theAgentReadsThePrintedConfiguration() throws {
        let plan = try DemoPlan(nodes: 2, cameras: 2)
        let text = try plan.yaml(plan.nodes[1])
        let configuration = try AgentConfiguration.parse(text: text, file: "node2.yaml", sources: Backends.all.sources)
        #expect(configuration.node.rawValue == "node2")
        #expect(configuration.devices.map(\.position.rawValue) == ["right", "back"])
        let source = try #require(configuration.devices[0].source.configuration as? VirtualCameraConfiguration)
        #expect(source.number == 3 && source.framesPerSecond == 30 && source.width == 1280)
    }

    @Test func everyAgentGetsAClockOfItsOwn() {
        let shifts = (0..<64).map(TimeShift.seconds(node:))
        #expect(Set(shifts).count == 64)
        #expect(shifts.allSatisfy { $0 >= 120 })
    }
}
