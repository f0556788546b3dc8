import CaptureModel
import FoundationEssentials
import Journal
import RigCore
import RigProtocol
import RigTestSupport
import RigWire
import Testing

@testable import CoordinatorChannels

/// What agents say, decoded: every name is of the agent's own node.
@Suite struct AgentMessageTests {
    private let north: NodeName
    private let south: NodeName

    init() throws {
        north = try NodeName("north")
        south = try NodeName("south")
    }

    /// The field that is not valid.
    private func fault(_ body: WireAgentMessage.OneOf_Body) -> String? {
        do throws(WireError) {
            _ = try AgentMessage(wire: body, from: south)
            return nil
        } catch {
            return error.field
        }
    }

    @Test func `a node cannot speak for another node's camera`() throws {
        var report = WireCaptureReport()
        report = try Samples.report("north/cam").wire
        var heartbeat = WireHeartbeat()
        heartbeat.devices = try FakeAgent.hello("north").devices
        var page = WireInventory()
        page.captures = [report]
        var answer = WireDeviceAnswer()
        answer.devices = heartbeat.devices
        answer.problem = CaptureProblem(.conflict, "no").wire
        #expect(fault(.captured(report)) == "device")
        #expect(fault(.heartbeat(heartbeat)) == "devices")
        #expect(fault(.inventory(page)) == "captures")
        #expect(fault(.deviceAnswer(answer)) == "devices")
    }

    @Test func `an event that is not valid keeps its place, and one without a place spoils its batch`() throws {
        var batch = WireEventBatch()
        let event = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))
        batch.events = (1...2).map { NumberedEvent(epoch: Samples.epoch(1), sequence: $0, event: event).wire }
        batch.events[1].event.name = "no name"
        guard case .events(let read)? = try AgentMessage(wire: .events(batch), from: south) else {
            Issue.record("no batch")
            return
        }
        #expect(read.entries.map(\.position.sequence) == [1, 2])
        #expect(read.entries.map { (try? $0.event.get()) != nil } == [true, false])
        batch.events[1].epoch = 0
        #expect(fault(.events(batch)) == "epoch")
    }

    @Test func `a result for a device without a name, or without an outcome, is not valid`() {
        var result = WirePrepareResult()
        #expect(fault(.prepareResult(result)) == "shot_id")
        result.shotID = Samples.shot().wire
        #expect(fault(.prepareResult(result)) == "device")
        result.device = "../x"
        #expect(fault(.prepareResult(result)) == "device")
        result.device = "cam"
        #expect(fault(.prepareResult(result)) == "outcome")
    }
}
