import CaptureModel
import CaptureTestSupport
import ControlMessages
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// The table of ``RigNodes``.
@Suite struct RigNodesTests {
    private let north: NodeName
    private let line = RigClockID(rawValue: "rig-1")
    private let event = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))

    init() throws {
        north = try NodeName("north")
    }

    private func at(_ seconds: Int64) -> LocalTime { LocalTime(nanoseconds: seconds * 1_000_000_000) }

    private func nodes(
        in store: any DocumentStore<[DeviceDescription]> = MemoryRoster(), log: CapturedLog = CapturedLog()
    ) -> RigNodes {
        RigNodes(Roster(), in: store, on: line, timeout: .seconds(2), log: log.logger)
    }

    /// Nodes of which `north` has joined at second 1.
    private func joined() throws -> RigNodes {
        let nodes = nodes()
        _ = nodes.hello(
            try Samples.hello("north"), from: north, epoch: Samples.epoch(1), at: at(1), realtimeMilliseconds: 1000)
        return nodes
    }

    @Test func `A node that says hello is connected, and is announced once`() throws {
        let nodes = nodes()
        let hello = try Samples.hello("north")
        guard
            case .accepted(false, rosterChanged: true, let notice?) = nodes.hello(
                hello, from: north, epoch: Samples.epoch(1), at: at(1), realtimeMilliseconds: 1000)
        else {
            Issue.record("not accepted")
            return
        }
        #expect(notice.name == .node(.connected) && notice.node == north)
        #expect(nodes.connected == [north] && nodes.isConnected(north) && nodes.joinedMilliseconds(of: north) == 1000)
        #expect(nodes.heard(from: north, epoch: Samples.epoch(1), at: at(2)) == true)
        #expect(nodes.heard(from: north, epoch: Samples.epoch(2), at: at(2)) == false)
        guard
            case .accepted(false, rosterChanged: false, nil) = nodes.hello(
                hello, from: north, epoch: Samples.epoch(1), at: at(3), realtimeMilliseconds: 3000)
        else {
            Issue.record("a repeat is announced")
            return
        }
        #expect(nodes.joinedMilliseconds(of: north) == 3000)
    }

    @Test func `Another machine under the name of a node that lives is refused`() throws {
        let nodes = try joined()
        var hello = try Samples.hello("north")
        hello.bootID = "another"
        guard
            case .refused(let problem, nil) = nodes.hello(
                hello, from: north, epoch: Samples.epoch(2), at: at(2), realtimeMilliseconds: 2000)
        else {
            Issue.record("accepted")
            return
        }
        #expect(problem.code == .conflict)
        let notices = nodes.dueNotices(at: at(3))
        #expect(notices.map(\.name) == [.node(.refused)], "it is held back, as the node has just joined")
        #expect(nodes.joinedMilliseconds(of: north) == 1000)
    }

    @Test func `Bounds and phases of another time line do not count`() throws {
        let clock = ClockStatus(
            offset: .seconds(-3), ratePartsPerBillion: 12_000, roundTrip: .microseconds(120),
            shortestRoundTrip: .microseconds(80), since: RigTime(nanoseconds: 1), newest: RigTime(nanoseconds: 2))
        for (named, counts) in [(line, true), (RigClockID(rawValue: "earlier"), false), (nil, true)] {
            let nodes = try joined()
            var status = try Samples.status("north/cam", state: .stopped)
            status.condition.phase = FramePhase(
                midExposure: RigTime(nanoseconds: 5), periodNanoseconds: 40_000_000)
            let changed = nodes.heartbeat(
                NodeHeartbeat(
                    devices: [status], rigClock: named, clockBound: .microseconds(90), clock: clock,
                    ringDepth: .seconds(2),
                    spoolUsedBytes: 3, spoolFreeBytes: 4, spoolShortage: "full"), from: north)
            #expect(changed.map(\.condition.state) == [.stopped])
            let agent = try #require(nodes.roster.nodes[north]?.agent)
            #expect((agent.clockBound == .microseconds(90)) == counts)
            #expect((agent.clock == clock) == counts)
            #expect((changed.first?.condition.phase != nil) == counts)
            #expect(agent.ringDepth == .seconds(2) && agent.spoolUsedBytes == 3 && agent.spoolFreeBytes == 4)
            #expect(agent.spoolShortage == "full")
        }
    }

    @Test func `A silent node is gone, and keeps its dialog if it is back before that is handled`() throws {
        let nodes = try joined()
        #expect(nodes.expire(at: at(2)) == [])
        #expect(nodes.expire(at: at(4)) == [north])
        #expect(nodes.connected.isEmpty)
        let back = try joined()
        #expect(back.expire(at: at(4)) == [north])
        _ = back.hello(
            try Samples.hello("north"), from: north, epoch: Samples.epoch(2), at: at(4), realtimeMilliseconds: 4000)
        _ = back.follows(Samples.batch(1...3, of: event), from: north)
        #expect(back.forgetDialog(with: north) == false)
        #expect(back.follows(Samples.batch(6...6, of: event, after: 5), from: north) == false, "a batch is missing")
        #expect(nodes.forgetDialog(with: north) == false, "its devices are still in the roster")
        #expect(nodes.joinedMilliseconds(of: north) == 1000)
        #expect(try nodes.forget([DeviceID("north/cam")]).count == 1)
        #expect(nodes.forgetDialog(with: north) == true)
        #expect(nodes.joinedMilliseconds(of: north) == nil)
    }

    @Test func `Events are acknowledged when the journal has them, and not after a loss`() throws {
        let batch = Samples.batch(1...3, of: event)
        let (nodes, lost) = (try joined(), try joined())
        for nodes in [nodes, lost] {
            #expect(nodes.follows(batch, from: north) == true)
            nodes.published(batch, from: north, through: 10)
        }
        #expect(nodes.dueAcknowledgements(of: north, journaledThrough: 9) == [])
        let due = nodes.dueAcknowledgements(of: north, journaledThrough: 10)
        #expect(due == [EventPosition(epoch: Samples.epoch(1), sequence: 3)])
        #expect(lost.restartEvents() == [north])
        #expect(lost.dueAcknowledgements(of: north, journaledThrough: 10) == [])
        #expect(
            lost.follows(Samples.batch(4...4, of: event, after: 3), from: north) == false,
            "it follows one that does not count")
        #expect(lost.follows(batch, from: north) == true)
    }

    @Test func `A backlog is for connected nodes, and only a requested page counts`() throws {
        let nodes = try joined()
        let key = try Samples.fileKey(1, "north/cam")
        #expect(nodes.ended(key, isLeftBehind: true, at: at(1)) == [])
        #expect(nodes.withBacklog == [])
        let page = BacklogPage(last: key.capture, hasMore: true, orphans: 0)
        #expect(nodes.beginBacklog(of: north, page, at: at(1)) == [.request(after: key.capture)])
        #expect(nodes.expectsPage(of: north, after: key.capture) && !nodes.expectsPage(of: north, after: nil))
        #expect(nodes.received(page, of: north, after: nil, at: at(1)) == [], "it was not requested")
        let last = BacklogPage(last: nil, hasMore: false, orphans: 2)
        #expect(nodes.received(last, of: north, after: key.capture, at: at(2)) == [.tell(orphans: 2)])
        nodes.collects(key, at: at(2))
        #expect(nodes.ended(key, isLeftBehind: true, at: at(3)) == [])
        #expect(nodes.withBacklog == [north])
        #expect(nodes.backlogTimePassed(of: north, at: at(63)) == [.request(after: nil)])
        _ = nodes.expire(at: at(64))
        #expect(nodes.withBacklog == [])
        #expect(nodes.backlogTimePassed(of: north, at: at(70)) == [])
    }

    @Test func `The roster is written, and what keeps it from being written is logged`() async throws {
        let (kept, log) = (MemoryRoster(), CapturedLog())
        let nodes = nodes(in: kept, log: log)
        _ = nodes.hello(
            try Samples.hello("north"), from: north, epoch: Samples.epoch(1), at: at(1), realtimeMilliseconds: 1000)
        await nodes.saveRoster()
        #expect(await kept.read()?.map(\.id.description) == ["north/cam"])
        #expect(log.lines.value == [])
        await self.nodes(in: FullRoster(), log: log).saveRoster()
        #expect(log.lines.value.map(\.message) == ["the roster cannot be written"])
    }

    @Test func `Whoever waits for a node goes on when it can be told something, or at the deadline`() async throws {
        let clock = ManualTimeSource()
        let rig = Waiting(on: line)
        let patient = Task { await rig.wait(for: north, until: clock.now() + .seconds(30), on: clock) }
        await clock.sleeper(until: clock.now() + .seconds(30))
        #expect(await rig.waiterCount == 1)
        await rig.join(try Samples.hello("north"), north, at: clock.now())
        #expect(await patient.value == clock.now())
        let south = try NodeName("south")
        let due = clock.now() + .seconds(30)
        let late = Task { await rig.wait(for: south, until: due, on: clock) }
        await clock.sleeper(until: due)
        clock.advance(by: .seconds(30))
        #expect(await late.value == due)
        #expect(await rig.waiterCount == 0)
    }
}

/// An actor that has nodes, as the rig has.
private actor Waiting {
    private let nodes: RigNodes

    init(on line: RigClockID) {
        nodes = RigNodes(
            Roster(), in: MemoryRoster(), on: line, timeout: .seconds(2), log: CapturedLog().logger)
    }

    var waiterCount: Int { nodes.waiterCount }

    /// - Returns: When the wait was over.
    func wait(for node: NodeName, until deadline: LocalTime, on clock: any TimeSource) async -> LocalTime {
        await nodes.wait(for: [node], until: deadline, on: clock)
        return clock.now()
    }

    func join(_ hello: NodeHello, _ node: NodeName, at now: LocalTime) {
        _ = nodes.hello(hello, from: node, epoch: Samples.epoch(1), at: now, realtimeMilliseconds: 1000)
        nodes.wakeWaiters()
    }
}

/// A roster whose disk is full.
private actor FullRoster: DocumentStore {
    func read() -> [DeviceDescription]? { nil }

    func replace(with devices: [DeviceDescription]) throws(StorageError) {
        throw StorageError(.noSpace, "write", "roster", "the disk is full")
    }
}
