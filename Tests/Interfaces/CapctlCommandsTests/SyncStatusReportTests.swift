import CaptureModel
import RigProtocol
import RigWire
import Testing

@testable import CapctlCommands
@testable import RigClient

@Suite struct SyncStatusReportTests {
    private func report(devices: [DeviceStatus] = []) throws -> SyncStatusReport {
        var wire = WireRigStatus()
        (wire.rigClockID, wire.feedPort, wire.rigNowNs) = ("clock", 1, 7_212_500_000_000)
        var north = WireNodeStatus()
        (north.node, north.connected, north.clockBoundNs) = ("north-east-corner-of-the", true, 128_400)
        north.clock =
            ClockStatus(
                offset: .seconds(-4321), ratePartsPerBillion: -12_340, roundTrip: .microseconds(2500),
                shortestRoundTrip: .microseconds(210), since: RigTime(nanoseconds: 12_500_000_000),
                newest: RigTime(nanoseconds: 7_212_000_000_000), congestedSince: RigTime(nanoseconds: 7_200_500_000_000)
            ).wire
        var south = WireNodeStatus()
        (south.node, south.connected, south.clockBoundNs) = ("south", true, 41_000)
        south.clock =
            ClockStatus(
                offset: .seconds(1), ratePartsPerBillion: 50_000, roundTrip: .microseconds(88),
                shortestRoundTrip: .microseconds(80), since: RigTime(nanoseconds: 7_202_500_000_000),
                newest: RigTime(nanoseconds: 7_212_100_000_000)
            ).wire
        var (east, west) = (WireNodeStatus(), WireNodeStatus())
        (east.node, east.connected, west.node) = ("east", true, "west")
        wire.nodes = [north, south, east, west]
        return SyncStatusReport(status: try RigStatus(wire: wire, epoch: .random()), devices: devices)
    }

    @Test("Shows bound, drift, round trip, source and congestion in 80 columns") func narrow() throws {
        let table = try report().table(TextLayout(width: 80))
        #expect(
            table == """
                NODE       BOUND             DRIFT  ROUND TRIP  SOURCE  CONGESTED          SINCE
                east       not
                           synchronized
                north-ea…  ± 128 µs      -12.3 ppm     2500 µs  probes  for 12.0 s  7200.0 s ago
                south      ± 41 µs       +50.0 ppm       88 µs  probes  no            10.0 s ago
                west       away

                """)
        #expect(table.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(try report().emptiness == nil)
    }

    @Test("Shows what has narrowed the bound, and what contradicts the probes") func disciplined() throws {
        var report = try report()
        let synchronized = report.status.nodes.indices.filter { report.status.nodes[$0].clock != nil }
        report.status.nodes[synchronized[0]].clock?.source = .ptp
        report.status.nodes[synchronized[1]].clock?.conflict = ClockConflict(
            reference: ClockReference(source: .ptp, identity: "7acc9b.fffe.1234ab"),
            since: RigTime(nanoseconds: 7_200_500_000_000),
            claimed: ClockConflict.Statement(offset: .seconds(38), bound: .microseconds(12)),
            proven: ClockConflict.Statement(offset: .seconds(1), bound: .microseconds(90)))
        let node = report.status.nodes[synchronized[1]].node
        let table = report.table(TextLayout(isWide: true))
        #expect(table.contains("ptp+probes"))
        #expect(
            table.contains(
                "\n\(node): PTP (grandmaster 7acc9b.fffe.1234ab) contradicts the probes and is not used: "
                    + "the two differ by 37.0 s, ± 12 µs and ± 90 µs, for 12.0 s\n"))
    }

    @Test("Shows where in its period each camera exposes") func cameras() throws {
        func camera(_ id: String, _ phase: FramePhase?, _ stamps: CameraStamps? = nil) throws -> DeviceStatus {
            DeviceStatus(
                device: DeviceDescription(id: try DeviceID(id), driver: "virtual"),
                condition: DeviceCondition(state: .running, phase: phase, stamps: stamps))
        }
        let devices = [
            try camera(
                "south/cam1",
                FramePhase(
                    midExposure: RigTime(nanoseconds: -8_000_000), periodNanoseconds: 40_000_000,
                    bound: .microseconds(73)), CameraStamps(.simulated)),
            try camera(
                "south/cam2",
                FramePhase(midExposure: RigTime(nanoseconds: 100_004_500_000), periodNanoseconds: 5_000_000)),
            try camera("south/cam3", nil),
            try camera("south/cam4", nil, CameraStamps(.startOfExposure, correction: StampCorrection())),
            try camera(
                "south/cam5", nil,
                CameraStamps(
                    .startOfExposure,
                    correction: StampCorrection(
                        latencyOffset: .microseconds(-41_250), uncertainty: .microseconds(830),
                        measuredOn: CalendarDay("2026-11-30")))),
        ]
        #expect(
            try report(devices: devices).table(TextLayout(width: 80)).hasSuffix(
                """
                west       away

                CAMERA        PERIOD     PHASE  BOUND    LATENCY            MEASURED
                south/cam1  40.00 ms  32.00 ms  ± 73 µs  none               -
                south/cam2   5000 µs   4500 µs  -        -                  -
                south/cam4         -         -  -        not measured       -
                south/cam5         -         -  -        41.25 ms ± 830 µs  2026-11-30

                """))
    }

    private func aligned(_ id: String, _ alignment: CameraAlignment?) throws -> DeviceStatus {
        DeviceStatus(
            device: DeviceDescription(id: try DeviceID(id), driver: "virtual"),
            condition: DeviceCondition(
                state: .running,
                phase: FramePhase(midExposure: RigTime(nanoseconds: 40_000_012), periodNanoseconds: 40_000_000),
                session: SessionCondition(phase: .running, alignment: alignment)))
    }

    @Test("Shows how far each aligned camera is from its place, and in wide why one cannot be moved") func alignment()
        throws
    {
        let devices = [
            try aligned(
                "south/cam1", CameraAlignment(state: .aligned, lateness: .microseconds(-12), bound: .microseconds(73))),
            try aligned("south/cam2", CameraAlignment(state: .unmovable, reason: "it plays a recording")),
            try aligned("south/cam3", nil),
        ]
        let report = try report(devices: devices)
        #expect(
            report.table(TextLayout(width: 80)).hasSuffix(
                """
                CAMERA        PERIOD  PHASE  BOUND  LATENCY  ALIGNMENT  OFF BY
                south/cam1  40.00 ms   0 µs  -      -        aligned    12 µs early ± 73 µs
                south/cam2  40.00 ms   0 µs  -      -        unmovable  -
                south/cam3  40.00 ms   0 µs  -      -        free       -

                """))
        #expect(report.table(TextLayout(isWide: true)).contains("it plays a recording"))
    }

    @Test("Shows everything where lines may have any length") func wide() throws {
        let table = try report().table(TextLayout(isWide: true))
        for text in ["SHORTEST", "210 µs", "PROBED", "400 ms ago", "OFFSET", "-4321000000000 ns"] {
            #expect(table.contains(text), "\(text)")
        }
    }
}
