import CaptureModel
import RigTestSupport
import Testing

@testable import RigCore

@Suite struct RosterTests {
    private static let timeout = Duration.seconds(2)
    private let north: NodeName

    init() throws {
        north = try NodeName("north")
    }

    private func at(_ milliseconds: Int64) -> LocalTime { LocalTime(nanoseconds: milliseconds * 1_000_000) }

    private func hello(
        _ roster: inout Roster, _ agent: ConnectedAgent, _ devices: [String] = ["north/cam"], at milliseconds: Int64
    ) throws -> Roster.HelloResult {
        roster.hello(
            from: north, agent: agent, devices: try devices.map { try Samples.device($0) }, at: at(milliseconds),
            timeout: Self.timeout)
    }

    private func isAccepted(_ verdict: Roster.HelloResult, isNew: Bool, changed: Bool) -> Bool {
        if case .accepted(isNew, _, changed) = verdict { true } else { false }
    }

    private func refusal(_ verdict: Roster.HelloResult) -> RigProblem? {
        if case .refused(let problem) = verdict { problem } else { nil }
    }

    @Test("Ignores a repeated hello")
    func repeatedHello() throws {
        var roster = Roster()
        #expect(isAccepted(try hello(&roster, Samples.agent(), at: 0), isNew: true, changed: true))
        #expect(isAccepted(try hello(&roster, Samples.agent(), at: 100), isNew: false, changed: false))
        #expect(
            isAccepted(
                try hello(&roster, Samples.agent(), ["north/cam", "north/cam2"], at: 200), isNew: false, changed: true))
        #expect(roster.devices.map(\.description.id.description) == ["north/cam", "north/cam2"])
    }

    @Test("Keeps the first of two agents with one name")
    func clonedNode() throws {
        var roster = Roster()
        _ = try hello(&roster, Samples.agent(1, boot: "boot-1"), at: 0)
        let problem = refusal(try hello(&roster, Samples.agent(2, boot: "boot-2"), at: 1999))
        #expect(problem?.code == .conflict)
        #expect(problem?.message.contains("'north'") == true)
        #expect(roster.nodes[north]?.agent?.epoch == Samples.epoch(1), "the first stays")
        #expect(roster.heard(from: north, epoch: Samples.epoch(2), at: at(1999)) == false)
        #expect(
            isAccepted(try hello(&roster, Samples.agent(2, boot: "boot-2"), at: 2000), isNew: true, changed: false),
            "a machine that was replaced, or started again, is not locked out")
    }

    @Test(
        "An agent that was started again has to wait, its earlier life speaks beside it, or is locked out when it is alone"
    )
    func restart() throws {
        var roster = Roster()
        _ = try hello(&roster, Samples.agent(1), at: 0)
        #expect(isAccepted(try hello(&roster, Samples.agent(2), at: 10), isNew: true, changed: false))
        #expect(roster.heard(from: north, epoch: Samples.epoch(1), at: at(20)) == false)
        #expect(refusal(try hello(&roster, Samples.agent(1), at: 30))?.code == .conflict)
        #expect(roster.nodes[north]?.agent?.epoch == Samples.epoch(2))
        _ = roster.expire(at: at(10_000), timeout: Self.timeout)
        #expect(isAccepted(try hello(&roster, Samples.agent(1), at: 10_001), isNew: true, changed: false))
        #expect(isAccepted(try hello(&roster, Samples.agent(1), at: 10_002), isNew: false, changed: false))
    }

    @Test("Marks a node that has gone as away, and keeps its cameras")
    func expire() throws {
        var roster = Roster()
        _ = try hello(&roster, Samples.agent(), at: 0)
        #expect(roster.heard(from: north, epoch: Samples.epoch(1), at: at(500)) == true)
        #expect(roster.expire(at: at(2499), timeout: Self.timeout) == [])
        #expect(roster.expire(at: at(2500), timeout: Self.timeout) == [north])
        #expect(roster.expire(at: at(9000), timeout: Self.timeout) == [], "told once")
        #expect(roster.devices.map(\.condition.state) == [.unreachable])
        #expect(roster.devices.first?.condition.reason?.contains("'north'") == true)
        #expect(roster.heard(from: north, epoch: Samples.epoch(1), at: at(9001)) == false, "it has to say hello again")
        #expect(isAccepted(try hello(&roster, Samples.agent(), at: 9002), isNew: true, changed: false))
        #expect(roster.devices.map(\.condition.state) == [.running])
    }

    @Test("Accepts the rig's nodes beside endless names")
    func namesWithoutDevices() throws {
        var roster = Roster()
        for number in 0..<Roster.nodeLimit {
            let name = try NodeName("rogue-\(number)")
            _ = roster.hello(
                from: name, agent: Samples.agent(), devices: [], at: at(0), timeout: Self.timeout)
        }
        #expect(refusal(try hello(&roster, Samples.agent(), at: 1)) != nil, "the roster is not full")
        #expect(roster.expire(at: at(9000), timeout: Self.timeout).count == Roster.nodeLimit)
        #expect(isAccepted(try hello(&roster, Samples.agent(), at: 9001), isNew: true, changed: true))
    }

    @Test("Removes the forgotten camera only")
    func forget() throws {
        var roster = Roster()
        _ = try hello(&roster, Samples.agent(), ["north/cam", "north/cam2"], at: 0)
        let ids = try ["north/cam2", "north/none", "south/cam"].map { try DeviceID($0) }
        _ = roster.expire(at: at(9000), timeout: Self.timeout)
        #expect(try roster.forget(ids).map(\.description) == ["north/cam2"])
        #expect(roster.devices.map(\.description.id.description) == ["north/cam"])
        #expect(try roster.forget(ids) == [])
        #expect(try roster.forget([try DeviceID("north/cam")]).count == 1)
        #expect(roster.nodes.isEmpty, "a node without devices and agent is not part of the rig")
    }

    @Test("Forgets a camera unless its connected node has it")
    func forgetPresent() throws {
        var roster = Roster()
        _ = try hello(&roster, Samples.agent(), ["north/cam", "north/old"], at: 0)
        _ = try hello(&roster, Samples.agent(2), ["north/cam"], at: 1)
        let both = try ["north/old", "north/cam"].map { try DeviceID($0) }
        let problem = #expect(throws: RigProblem.self) { try roster.forget(both) }
        #expect(problem?.code == .conflict && problem?.message.contains("north/cam: node 'north'") == true)
        #expect(roster.devices.count == 2, "all or none")
        #expect(try roster.forget([both[0]]) == [both[0]], "its node does not have that one")
        #expect(roster.devices.map(\.description.id) == [both[1]])
    }

    @Test("Marks a camera that a hello omits as not configured until it is listed again")
    func notConfigured() throws {
        var roster = Roster()
        _ = try hello(&roster, Samples.agent(), ["north/cam", "north/old"], at: 0)
        let stale = try hello(&roster, Samples.agent(2), ["north/cam", "north/new"], at: 1)
        #expect(isAccepted(stale, isNew: true, changed: true))
        #expect(roster.devices.map(\.condition.state) == [.running, .running, .notConfigured])
        let old = try #require(roster.devices.last)
        #expect(old.condition.reason?.contains("`capctl devices forget north/old`") == true)
        #expect(old.condition.session == nil, "what is not there costs nothing")
        _ = roster.expire(at: at(9000), timeout: Self.timeout)
        #expect(roster.devices.map(\.condition.state) == [.unreachable, .unreachable, .notConfigured])
        _ = try hello(&roster, Samples.agent(3), ["north/cam", "north/old"], at: 9001)
        #expect(roster.devices.map(\.condition.state) == [.running, .notConfigured, .running], "it was put back")
    }

    @Test("Removes a camera that a heartbeat omits from shots of all cameras")
    func partialListing() throws {
        var roster = Roster()
        _ = try hello(&roster, Samples.agent(), ["north/cam", "north/cam2"], at: 0)
        #expect(roster.update(north, devices: []).isEmpty)
        let second = try Samples.device("north/cam2", state: .stopped)
        #expect(roster.update(north, devices: [second, second]).map(\.description.id) == [second.description.id])
        #expect(roster.devices.map(\.condition.state) == [.running, .stopped])
    }

    @Test("Remembers absent cameras across a restart")
    func restore() throws {
        let devices = try ["north/cam", "south/cam"].map { try Samples.device($0).description }
        var roster = Roster(restoring: devices)
        #expect(roster.devices.map(\.description) == devices)
        #expect(roster.devices.map(\.condition.state) == [.unreachable, .unreachable])
        #expect(isAccepted(try hello(&roster, Samples.agent(), at: 0), isNew: true, changed: false))
        #expect(roster.devices.map(\.condition.state) == [.running, .unreachable])
    }

    @Test("Bounds the device names of a peer")
    func deviceLimit() throws {
        var roster = Roster()
        for batch in 0..<10 {
            let names = (0..<100).map { "north/c\(batch)-\($0)" }
            _ = try hello(&roster, Samples.agent(), names, at: Int64(batch))
        }
        #expect(roster.devices.count <= Roster.deviceLimit)
        let statuses = try (0..<1000).map { try Samples.device("north/d\($0)") }
        _ = roster.update(north, devices: statuses)
        #expect(roster.devices.count <= Roster.deviceLimit)
    }

    @Test("Reports each change of a heartbeat once")
    func update() throws {
        var roster = Roster()
        _ = try hello(&roster, Samples.agent(), at: 0)
        let stalled = try Samples.device("north/cam", state: .stalled)
        #expect(roster.update(north, devices: [stalled]).map(\.condition.state) == [.stalled])
        #expect(roster.update(north, devices: [stalled]).isEmpty)
        #expect(roster.devices.map(\.condition.state) == [.stalled])
    }

    @Test(
        "Plans with the measured interval of a camera that is slower than its format states",
        arguments: [(133_333_333, 133_333_333), (200_000_000, 200_000_000), (33_900_000, 33_333_333), (1, 33_333_333)])
    func dimLight(measured: Int64, expected: Int64) throws {
        var roster = Roster()
        _ = try hello(&roster, Samples.agent(), at: 0)
        var device = try Samples.device("north/cam")
        device.condition.format = VideoFormat(
            pixelFormat: .mjpeg, width: 640, height: 480, frameInterval: .nanoseconds(33_333_333))
        device.condition.phase = FramePhase(midExposure: RigTime(nanoseconds: 5), periodNanoseconds: measured)
        _ = roster.update(north, devices: [device])
        #expect(roster.frameInterval(of: device.description.id) == .nanoseconds(expected))
    }
}
