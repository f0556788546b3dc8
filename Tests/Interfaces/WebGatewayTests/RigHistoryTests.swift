import CaptureModel
import Testing

@testable import RigClient
@testable import WebGateway

@Suite struct RigHistoryTests {
    private static let start = LocalTime(nanoseconds: 1_000_000_000_000)
    private static let epoch = Epoch.random()

    private var history = RigHistory()

    private static func status(
        epoch: Epoch = epoch, openShots: Int = 0, nodes: [NodeStatus] = [], skews: [Int64] = []
    ) -> RigStatus {
        var histogram = SkewHistogram()
        for skew in skews { histogram.count(skew) }
        var status = RigStatus(
            rigClock: RigClockID(rawValue: "clock"), now: RigTime(nanoseconds: 1), nodes: nodes, openShots: openShots,
            takes: [], libraryFreeBytes: 1, feedPort: 7712, software: "1.0", droppedMessages: [:],
            refusedConnections: [:], coordinatorEpoch: epoch)
        status.shotCounts = ShotCounts(skews: histogram)
        return status
    }

    private static func node(_ name: String, isConnected: Bool = true, bound: Duration? = nil) throws -> NodeStatus {
        NodeStatus(
            node: try NodeName(name), isConnected: isConnected, clockBound: bound, ringDepth: .seconds(3),
            spoolUsedBytes: 7, spoolFreeBytes: 1, devices: 1, devicesRunning: 1, software: "1.0")
    }

    private static func camera(
        _ id: String, delivered: UInt64, torn: UInt64 = 0, state: DeviceCondition.State = .running
    ) throws -> DeviceStatus {
        var condition = DeviceCondition(state: state)
        (condition.counters.delivered, condition.counters.torn) = (delivered, torn)
        return DeviceStatus(
            device: DeviceDescription(id: try DeviceID(id), driver: "virtual"), condition: condition)
    }

    private mutating func add(_ status: RigStatus = status(), _ cameras: [DeviceStatus] = [], at seconds: Double) {
        history.add(status, cameras, at: Self.start + .seconds(seconds))
    }

    private func document(at seconds: Double) -> RigHistoryDocument {
        history.document(at: Self.start + .seconds(seconds), realtimeNanoseconds: 5_000_000_000)
    }

    @Test func `Before the first answer there is nothing`() {
        let document = document(at: 0)
        #expect(document.time == nil && document.openShots.isEmpty && document.cameras.isEmpty)
    }

    @Test mutating func `A rate is the difference of two counters that were read one interval apart`() throws {
        add(Self.status(), [try Self.camera("n/cam1", delivered: 1000, torn: 3)], at: 0)
        add(Self.status(), [try Self.camera("n/cam1", delivered: 1300, torn: 5)], at: 10)
        let camera = try #require(document(at: 11).cameras.first)
        #expect(camera.framesPerSecond == [nil, 30])
        #expect(camera.lostFrames == [nil, 2])
    }

    @Test mutating func `Answers that come a little sooner or later leave no gap`() throws {
        for (index, seconds) in [0.4, 10.1, 20.9, 30.0, 44.2].enumerated() {
            add(Self.status(openShots: index), at: seconds)
        }
        #expect(document(at: 45).openShots == [0, 1, 2, 3, 4])
    }

    @Test mutating func `Where nobody answered is a gap, and no rate is told over it`() throws {
        add(Self.status(openShots: 1), [try Self.camera("n/cam1", delivered: 0)], at: 0)
        add(Self.status(openShots: 2), [try Self.camera("n/cam1", delivered: 100)], at: 10)
        add(Self.status(openShots: 3), [try Self.camera("n/cam1", delivered: 900)], at: 40)
        add(Self.status(openShots: 4), [try Self.camera("n/cam1", delivered: 1000)], at: 50)
        #expect(document(at: 51).openShots == [1, 2, nil, nil, 3, 4])
        #expect(document(at: 51).cameras.first?.framesPerSecond == [nil, 10, nil, nil, nil, 10])
        #expect(document(at: 84).openShots == [1, 2, nil, nil, 3, 4, nil, nil], "a gap at the end is one too")
        #expect(document(at: 64).openShots.count == 6, "an answer that is due is awaited for half an interval")
    }

    @Test mutating func `A counter that began again tells no rate`() throws {
        add(Self.status(), [try Self.camera("n/cam1", delivered: 1000)], at: 0)
        add(Self.status(), [try Self.camera("n/cam1", delivered: 20)], at: 10)
        add(Self.status(), [try Self.camera("n/cam1", delivered: 320)], at: 20)
        #expect(document(at: 21).cameras.first?.framesPerSecond == [nil, nil, 30])
    }

    @Test mutating func `A camera that cannot be reached and a node that is away have gaps`() throws {
        for (index, state) in [DeviceCondition.State.running, .running, .unreachable].enumerated() {
            add(
                Self.status(nodes: [
                    try Self.node("n", isConnected: state == .running, bound: .microseconds(50)), try Self.node("o"),
                ]), [try Self.camera("n/cam1", delivered: UInt64(index) * 50, state: state)], at: Double(index) * 10)
        }
        let document = document(at: 21)
        #expect(document.cameras.first?.framesPerSecond == [nil, 5, nil])
        #expect(document.nodes.map(\.node.rawValue) == ["n", "o"])
        #expect(document.nodes.first?.clockBoundSeconds == [5e-5, 5e-5, nil])
        #expect(document.nodes.first?.spoolUsedBytes == [7, 7, nil])
        #expect(document.nodes.last?.clockBoundSeconds == [nil, nil, nil], "its clock is not synchronized")
    }

    @Test mutating func `The skew is the mean of the pictures of an interval, of one run of the coordinator`() {
        add(Self.status(skews: [9_000_000]), at: 0)
        add(Self.status(skews: [9_000_000, -2_000_000, 4_000_000]), at: 10)
        add(Self.status(skews: [9_000_000, -2_000_000, 4_000_000]), at: 20)
        add(Self.status(epoch: .random(), skews: [9_000_000, 9_000_000, 9_000_000, 9_000_000]), at: 30)
        #expect(document(at: 31).meanSkewSeconds == [nil, 0.003, nil, nil])
    }

    @Test mutating func `An hour is kept, and what was gone before it has no series`() throws {
        add(Self.status(), [try Self.camera("n/gone", delivered: 0)], at: 0)
        add(Self.status(), [try Self.camera("n/gone", delivered: 10)], at: 10)
        #expect(document(at: 11).cameras.count == 1)
        for index in 2..<1000 { add(Self.status(openShots: index), at: Double(index) * 10) }
        let document = document(at: 9991)
        #expect(document.openShots == Array(640..<1000))
        #expect(document.cameras.isEmpty)
        #expect(document.time == 4_000_000_000, "the newest value was read a second before")
    }

    @Test mutating func `A long silence forgets what is older than an hour`() {
        add(Self.status(openShots: 1), at: 0)
        add(Self.status(openShots: 2), at: 7200)
        #expect(document(at: 7201).openShots == [2])
    }

    @Test mutating func `Of further cameras and nodes than the limits there are no series`() throws {
        for round in 0..<2 {
            let nodes = try (0..<RigHistory.nodeLimit + 3).map { try Self.node("n\($0)") }
            let cameras = try (0..<RigHistory.cameraLimit + 3).map {
                try Self.camera("n/c\($0)", delivered: UInt64(round) * 10)
            }
            add(Self.status(nodes: nodes), cameras, at: Double(round) * 10)
        }
        let document = document(at: 11)
        #expect(document.nodes.count == RigHistory.nodeLimit)
        #expect(document.cameras.count == RigHistory.cameraLimit)
    }
}
