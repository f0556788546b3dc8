import ArgumentParser
import CameraKit
import CaptureBackends
import CaptureModel
import CaptureTestSupport
import Foundation
import RigConfiguration
import RigDocuments
import RigProtocol
import RigWire
import Testing
import VirtualDevices

@testable import CapctlCommands
@testable import RigClient

@Suite struct StatusReportTests {
    /// A rig of a coordinator and one node.
    private func report(
        coordinator: BusLibrary?, node: BusLibrary?, isConnected: Bool = true
    ) throws -> StatusReport {
        var wire = WireRigStatus()
        (wire.rigClockID, wire.feedPort) = ("clock", 1)
        var north = WireNodeStatus()
        (north.node, north.connected) = ("north", isConnected)
        if let coordinator { wire.busLibrary = coordinator.wire }
        if let node { north.busLibrary = node.wire }
        wire.nodes = [north]
        return StatusReport(status: try RigStatus(wire: wire, epoch: .random()), devices: [])
    }

    private let mended = BusLibrary(version: "4.3.4", isHardened: true)
    private let original = BusLibrary(version: "4.3.4", isHardened: false)

    @Test("Names exactly the processes that a peer can abort") func named() throws {
        let table = try report(coordinator: mended, node: original).table
        #expect(table.contains("north: any peer can abort it through its libzmq 4.3.4"))
        #expect(!table.contains("coordinator: "))
        let other = try report(coordinator: original, node: mended).table
        #expect(other.contains("coordinator: any peer can abort it"))
    }

    @Test("Names a process that does not report its libzmq") func unknown() throws {
        let table = try report(coordinator: nil, node: nil).table
        #expect(table.contains("coordinator: does not report its libzmq"))
        #expect(table.contains("north: does not report its libzmq"))
    }

    @Test("Omits a node that is away") func away() throws {
        let table = try report(coordinator: mended, node: nil, isConnected: false).table
        #expect(!table.contains("libzmq"))
    }

    @Test("Lists in JSON the processes that a peer can abort") func json() throws {
        let text = try report(coordinator: mended, node: original).rendered(as: .json)
        let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let nodes = try #require(document["nodes"] as? [[String: Any]])
        #expect(
            [document, nodes[0]].map { ($0["libzmq"] as? [String: Any])?["isHardened"] as? Bool } == [true, false])
    }
}

@Suite struct CommandStatusTests {
    @Test(arguments: [
        (RigClientError.Code.noCoordinator, CommandStatus.noCoordinator), (.lostCoordinator, .noCoordinator),
        (.nothingSelected, .nothingSelected), (.refused("tooFarAhead"), .failed), (.malformedReply, .other),
        (.altered, .failed), (.refused("unknownDevice"), .nothingSelected),
    ])
    func everyFailureHasItsStatus(_ code: RigClientError.Code, _ status: CommandStatus) {
        #expect(
            CommandStatus(of: RigClientError(code, operation: "trigger", endpoint: "tcp://x", cause: "y")) == status)
    }

    @Test(arguments: [
        (Shot.Status.complete, CommandStatus.complete), (.partial, .partial), (.open, .partial), (.failed, .failed),
    ])
    func everyShotHasItsStatus(_ outcome: Shot.Status, _ status: CommandStatus) throws {
        var shot = try SampleShot().shot
        shot.status = outcome
        #expect(CommandStatus(of: shot) == status)
        shot.captures[0].exceeds = [.maxBound]
        #expect(CommandStatus(of: shot) == (outcome == .complete ? .partial : status), "a picture exceeds a limit")
    }

    @Test func theDocumentedNumbersHold() {
        #expect(CommandStatus.allCases.map(\.rawValue) == [0, 1, 3, 4, 5, 6, 64, 130])
    }
}

@Suite struct DemoPlanTests {
    @Test func noTwoCamerasShareNumberPositionOrPhase() throws {
        let plan = try DemoPlan(nodes: 8, cameras: 4)
        let cameras: [DemoPlan.Camera] = plan.nodes.flatMap(\.cameras)
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
        #expect(configuration.microphones.map(\.name.rawValue) == ["mic1"])
        #expect(configuration.devices.allSatisfy { $0.live && $0.microphone == configuration.microphones[0].name })
        let microphone = try #require(
            configuration.microphones[0].source.configuration as? VirtualMicrophoneConfiguration)
        #expect(microphone.number == 2 && microphone.sampleRate == DemoPlan.sampleRate)
    }

    @Test("Has no microphones if none are wanted") func silentRig() throws {
        let plan = try DemoPlan(nodes: 2, cameras: 1, hasMicrophones: false)
        let text = try plan.yaml(plan.nodes[0])
        let configuration = try AgentConfiguration.parse(text: text, file: "node1.yaml", sources: Backends.all.sources)
        #expect(configuration.microphones.isEmpty && configuration.devices.allSatisfy { $0.microphone == nil })
        #expect(!plan.summary.contains("microphone"))
        #expect(try DemoPlan(nodes: 2, cameras: 1).summary.contains("2 virtual cameras and 2 virtual microphones"))
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["demo", "--microphones", "2"]) }
    }

    @Test func everyAgentGetsAClockOfItsOwn() {
        let shifts = (0..<64).map(TimeShift.seconds(node:))
        #expect(Set(shifts).count == 64)
        #expect(shifts.allSatisfy { $0 >= 120 })
    }
}

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("250ms", Duration.milliseconds(250)), ("+250ms", .milliseconds(250)), ("-0.5s", .milliseconds(-500)),
        ("1.5s", .milliseconds(1500)), ("30us", .microseconds(30)), ("30µs", .microseconds(30)),
        ("10ns", .nanoseconds(10)), ("2min", .seconds(120)), ("10m", .seconds(600)), ("4h", .seconds(14_400)),
        (".5s", .milliseconds(500)),
        ("0.000000001s", .nanoseconds(1)),
    ])
    func everyUnitIsTakenExactly(_ text: String, _ duration: Duration) {
        #expect(Duration(commandLine: text) == duration)
    }

    @Test(arguments: [
        "", "5", "s", "+", "--5s", "5 s", "5w", "1e3s", "1..5s", "0.5ns", "99999999999999999999s", "9223372037s", "५s",
    ])
    func whatIsNoDurationIsRefused(_ text: String) {
        #expect(Duration(commandLine: text) == nil)
    }

    @Test(arguments: [
        (Duration.microseconds(1234), "1.23 ms"), (.milliseconds(250), "250 ms"), (.seconds(75), "75.0 s"),
        (.zero, "0.00 ms"),
        (.microseconds(-40), "-0.04 ms"),
    ])
    func durationsReadShort(_ duration: Duration, _ text: String) {
        #expect(duration.shortText == text)
    }

    @Test func bytesReadShort() {
        #expect(Decimals.byteText(512) == "512 B")
        #expect(Decimals.byteText(1536) == "1.5 KiB")
        #expect(Decimals.byteText(.max) == "8192.0 PiB")
    }
}

@Suite struct SessionSwitchTests {
    @Test("Asks only with --check, and prints the reason with the sentence of the refusal")
    func check() throws {
        let command = try Capctl.parseAsRoot(["session", "switch", "n1/cam1", "cam2", "--check"])
        #expect(try #require(command as? SessionSwitchCommand).check)
        let plain = try Capctl.parseAsRoot(["session", "switch", "n1/cam1", "cam2"])
        #expect(try #require(plain as? SessionSwitchCommand).check == false)
        let objection = SwitchObjection(.deviceInUse, RigProblem(.conflict, "n1/cam2 runs; stop it"))
        var report = SwitchAnswerReport(
            device: try DeviceID("n1/cam1"), replacement: try DeviceName("cam2"), objection: objection)
        #expect(report.table == "deviceInUse: n1/cam2 runs; stop it\n")
        report.objection = nil
        #expect(report.table == "n1/cam1 can be switched to cam2\n")
    }
}

@Suite struct SessionTurnTests {
    private func parse(_ arguments: String...) throws -> SessionTurnCommand? {
        try Capctl.parseAsRoot(["session", "turn", "n1/cam"] + arguments) as? SessionTurnCommand
    }

    @Test("Changes only what is mentioned")
    func parts() throws {
        let turned = try #require(try parse("--orientation", "180"))
        #expect(turned.orientation == .degrees180 && turned.mirrored == nil)
        let straight = try #require(try parse("--no-mirrored"))
        #expect(straight.orientation == nil && straight.mirrored == false)
    }

    @Test(arguments: [[], ["--orientation", "45"], ["--orientation", "left"], ["--mirrored", "yes"]])
    func aWrongCommandLineChangesNothing(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["session", "turn", "n1/cam"] + arguments) }
    }
}
