import CaptureModel
import RigDocuments
import RigWire
import Testing

@testable import CapctlCommands
@testable import RigClient

@Suite struct FrameTallyTests {
    private func frame(_ number: UInt64, at milliseconds: Int64, epoch: UInt64 = 1, superseded: UInt64 = 0) throws
        -> ReceivedFrame
    {
        var drops = OutputDrops()
        drops.superseded = superseded
        let time = LocalTime(nanoseconds: 0)
        let header = FrameHeader(
            topic: FrameTopic(device: try DeviceID("n/c"), kind: .full), epoch: try #require(Epoch(rawValue: epoch)),
            number: number, sequence: number, midExposure: time, stampBound: .zero, exposure: nil, dequeued: time,
            published: time, rig: nil, width: 8, height: 8, orientation: .degrees0, drops: drops)
        return ReceivedFrame(
            header: header, payload: [], byteCount: 1000, received: LocalTime(nanoseconds: milliseconds * 1_000_000))
    }

    @Test("Reports rate and bytes of a stream")
    func rates() throws {
        var tally = FrameTally()
        #expect(tally.rate == nil && tally.bytesPerSecond == nil)
        for index in 0...10 { tally.note(try frame(UInt64(index + 7), at: Int64(index) * 50), latency: nil) }
        #expect(tally.count == 11 && tally.missed == 0)
        #expect(abs(try #require(tally.rate) - 20) < 1e-9)
        #expect(abs(try #require(tally.bytesPerSecond) - 20_000) < 1e-6)
    }

    @Test("Counts frames missed while watching, and none before")
    func missed() throws {
        var tally = FrameTally()
        tally.note(try frame(100, at: 0, superseded: 9), latency: nil)
        tally.note(try frame(104, at: 1, superseded: 2), latency: (.milliseconds(3), .microseconds(4)))
        #expect(tally.missed == 3 && tally.drops.superseded == 2)
        tally.note(try frame(1, at: 2, epoch: 2), latency: nil)
        tally.note(try frame(2, at: 3, epoch: 2), latency: (.milliseconds(1), .microseconds(9)))
        #expect(tally.missed == 3, "a restarted agent counts from one")
        #expect(tally.latencies == [.milliseconds(3), .milliseconds(1)] && tally.latencyBound == .microseconds(9))
    }

    @Test(
        "A picture larger than asked for is shown, or one smaller than need be",
        arguments: [
            ("1280x720", FrameKind.full), ("1279x720", .half), ("640x360", .half), ("639x360", .quarter),
            ("160x90", .eighth), ("10x10", .eighth), ("65535x65535", .full),
        ])
    func kind(size: String, kind: FrameKind) throws {
        let format = VideoFormat(pixelFormat: .mjpeg, width: 1280, height: 720, frameInterval: .milliseconds(33))
        #expect(try #require(PictureSize(argument: size)).kind(of: format) == kind)
    }

    @Test(
        "A size that is none is taken for one",
        arguments: ["", "x", "640", "640x", "x360", "0x10", "10x0", "-1x5", "65536x1", "1x2x3", "9e9x1"])
    func badSize(text: String) {
        #expect(PictureSize(argument: text) == nil)
    }
}

@Suite struct NodeLoadTests {
    private func device(
        _ name: String, bytes: Int64, bus: Int?, readiness: CaptureReadiness = .ready,
        demands: [SessionDemand] = [.standby]
    ) throws -> DeviceStatus {
        let bus = bus.map { SessionCost.USBBus(number: $0, limitBytesPerSecond: 48_000_000) }
        let cost = SessionCost(
            streamBytesPerSecond: bytes, ringBytes: 10, ringLimitBytes: 20, encodePermille: 300, bus: bus)
        return DeviceStatus(
            device: DeviceDescription(id: try DeviceID("n/\(name)"), driver: "v4l2"),
            condition: DeviceCondition(
                state: .running,
                session: SessionCondition(phase: .running, demands: demands, readiness: readiness, cost: cost)))
    }

    @Test("Names the cameras that exceed their USB bus, and no others")
    func buses() throws {
        let load = NodeLoad([
            try device("a", bytes: 30_000_000, bus: 1), try device("b", bytes: 30_000_000, bus: 1),
            try device("c", bytes: 30_000_000, bus: 2), try device("d", bytes: 30_000_000, bus: nil),
        ])
        #expect(load.streamBytesPerSecond == 120_000_000)
        #expect(load.encodePermille == 1200)
        #expect(load.buses.map(\.bytesPerSecond) == [60_000_000, 30_000_000])
        #expect(load.warnings.count == 1)
        #expect(load.warnings.first?.contains("USB bus 1") == true)
    }

    @Test("Waits for every camera that is needed, and for no other")
    func readiness() throws {
        let cameras = [
            try device("a", bytes: 1, bus: nil), try device("b", bytes: 1, bus: nil, readiness: .waitingForCapture),
            try device("c", bytes: 1, bus: nil, readiness: .notRunning, demands: []),
        ]
        #expect(NodeLoad(cameras).readiness == .waitingForCapture)
        #expect(NodeLoad([cameras[2]]).readiness == nil)
    }

    @Test("Handles figures of a broken agent")
    func overflow() throws {
        let load = NodeLoad([try device("a", bytes: .max, bus: 1), try device("b", bytes: .max, bus: 1)])
        #expect(load.streamBytesPerSecond == .max)
    }
}
