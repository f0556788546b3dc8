import CaptureModel
import Doctor
import DoctorTestSupport
import PosixSupport
import RigProtocol
import Testing

@testable import CapctlCommands
@testable import RigClient

/// A rig of a coordinator and a node with two cameras, that lacks nothing.
private struct SampleRig: HealthySample {
    var status: RigStatus
    var devices: [DeviceStatus]
    var isLocal = false
    var frames: [NodeName: TCPCheck.Answer]

    init() throws {
        let node = try NodeName("north")
        var wire = WireRigStatus()
        (wire.rigClockID, wire.feedPort) = ("clock", 1)
        status = try RigStatus(wire: wire, epoch: .random())
        status.software = "caprig-coordinator \(CapctlProgram.version)"
        status.libraryFreeBytes = 50_000_000_000
        status.busLibrary = BusLibrary(version: "4.3.4", isHardened: true)
        status.nodes = [
            NodeStatus(
                node: node, isConnected: true, clockBound: .milliseconds(1),
                clock: ClockStatus(
                    offset: .zero, ratePartsPerBillion: 0, roundTrip: .microseconds(150),
                    shortestRoundTrip: .microseconds(100), since: RigTime(nanoseconds: 1),
                    newest: RigTime(nanoseconds: 2)), ringDepth: .seconds(3), spoolUsedBytes: 0,
                spoolFreeBytes: 1 << 30, devices: 2, devicesRunning: 2,
                software: "caprig-agent \(CapctlProgram.version)",
                busLibrary: status.busLibrary, frames: FramesStatus(host: "192.168.10.2", port: 7800),
                pressure: SystemPressure())
        ]
        devices = try ["front", "side"].map { try Self.camera($0, of: node) }
        frames = [node: .open(TCPCheck.Connection(packetBytes: 1500, ownAddress: "192.168.10.9"))]
    }

    private static func camera(_ name: String, of node: NodeName) throws -> DeviceStatus {
        let bus = SessionCost.USBBus(number: 1, limitBytesPerSecond: 48_000_000)
        let cost = SessionCost(
            streamBytesPerSecond: 18_000_000, ringBytes: 1, ringLimitBytes: 1, encodePermille: 0, bus: bus)
        let format = VideoFormat(pixelFormat: .mjpeg, width: 1920, height: 1080, frameInterval: .seconds(1) / 30)
        let id = DeviceID(node: node, device: try DeviceName(name))
        return DeviceStatus(
            device: DeviceDescription(
                id: id, type: .external, position: .unspecified, labels: [], purpose: "A test", driver: "v4l2"),
            condition: DeviceCondition(
                state: .running, format: format,
                session: SessionCondition(phase: .running, authorization: .authorized, cost: cost)))
    }

    func examined() -> Examination {
        RigFacts(status: status, devices: devices, isLocal: isLocal, frames: frames).examined()
    }
}

extension PlantedFault<SampleRig> {
    fileprivate static var all: [Self] {
        [
            PlantedFault(.nodeAway, .problem, "systemctl start capagentd") { $0.status.nodes[0].isConnected = false },
            PlantedFault(.nodeUnsynchronized, .problem, "capagentd doctor") { $0.status.nodes[0].clockBound = nil },
            PlantedFault(.clockUncertain, .warning, "ping -c 20") { $0.status.nodes[0].clockBound = .milliseconds(11) },
            PlantedFault(.clockContradicted, .warning, "GET TIME_STATUS_NP") {
                $0.status.nodes[0].clock?.conflict = ClockConflict(
                    reference: ClockReference(source: .ptp, identity: "7acc9b.fffe.1234ab"),
                    since: RigTime(nanoseconds: 1),
                    claimed: ClockConflict.Statement(offset: .seconds(37), bound: .microseconds(12)),
                    proven: ClockConflict.Statement(offset: .seconds(0), bound: .microseconds(90)))
            },
            PlantedFault(.spoolShort, .problem, "capctl spool list --node north") {
                $0.status.nodes[0].spoolShortage = "it is full"
            },
            PlantedFault(.machineOverloaded, .warning, "top") {
                $0.status.nodes[0].pressure = SystemPressure(level: .serious, factors: [.cpu], reason: "70 %")
            },
            PlantedFault(.machineOverloaded, .problem, "top") {
                $0.status.nodes[0].pressure = SystemPressure(level: .critical, factors: [.cpu], reason: "90 %")
            },
            PlantedFault(.libraryAbortable, .warning, "apt install caprig-agent") {
                $0.status.nodes[0].busLibrary?.isHardened = false
            },
            PlantedFault(.libraryAbortable, .warning, "apt install caprig-coordinator") {
                $0.status.busLibrary?.isHardened = false
            },
            PlantedFault(.versionsDiffer, .warning, "--only-upgrade caprig-agent") {
                $0.status.nodes[0].software = "caprig-agent 0.0.9"
            },
            PlantedFault(.framesLoopback, .warning, "frames.listen.host: '*'") {
                $0.status.nodes[0].frames?.host = "127.0.0.1"
                $0.frames = [:]
            },
            PlantedFault(.framesUnreachable, .warning, "tcp dport 7800 accept") { rig in
                for node in rig.frames.keys { rig.frames[node] = .silent }
            },
            PlantedFault(.libraryUnusable, .problem, "capcoordd doctor") { $0.status.librarySilence = .seconds(20) },
            PlantedFault(.libraryUnusable, .problem, "capcoordd doctor") {
                $0.status.libraryProblem = RigProblem(.noSpace, "it is full")
            },
            PlantedFault(.libraryNearlyFull, .warning, "larger disk") { $0.status.libraryFreeBytes = 1_999_999_999 },
            PlantedFault(.cameraSlow, .warning, "exposureDynamicFrameRate=off") {
                $0.devices[0].condition.phase = FramePhase(
                    midExposure: RigTime(nanoseconds: 0), periodNanoseconds: 66_666_667)
            },
            PlantedFault(.cameraDenied, .problem, "capagentd doctor") { $0.devices[0].condition.state = .denied },
            PlantedFault(.cameraFailed, .problem, "capctl resume north/front") {
                $0.devices[0].condition.state = .failed
            },
            PlantedFault(.cameraInterrupted, .problem, "--list-devices") { $0.devices[0].condition.state = .absent },
            PlantedFault(.cameraInterrupted, .problem, "fuser") { $0.devices[0].condition.state = .busy },
            PlantedFault(.cameraNotConfigured, .warning, "capctl devices forget north/front") {
                $0.devices[0].condition.state = .notConfigured
            },
            PlantedFault(.cameraCostly, .warning, "ring.memory") {
                $0.devices[0].condition.session?.cost?.ringBytes = 2
            },
            PlantedFault(.busNarrow, .problem, "lsusb -t") {
                $0.devices[0].condition.session?.cost?.streamBytesPerSecond = 36_000_000
            },
        ]
    }
}

@Suite struct RigFactsTests {
    @Test func `is silent about a rig that lacks nothing`() throws {
        let examination = try SampleRig().examined()
        #expect(examination.findings == [])
        #expect(examination.checks > 10)
    }

    @Test(arguments: PlantedFault<SampleRig>.all)
    fileprivate func `finds a planted fault alone, and names its remedy in 80 columns`(
        _ fault: PlantedFault<SampleRig>
    ) throws {
        #expect(try fault.mistakes() == [])
    }

    @Test func `a rig on one machine may use loopback`() throws {
        var rig = try SampleRig()
        rig.status.nodes[0].frames?.host = "127.0.0.1"
        rig.isLocal = true
        #expect(rig.examined().findings == [])
    }

    @Test func `a camera that was stopped on purpose is fine`() throws {
        var rig = try SampleRig()
        rig.devices[0].condition.state = .stopped
        rig.devices[0].condition.session?.phase = .stopped
        rig.devices[0].condition.session?.isHeld = true
        #expect(rig.examined().findings == [])
    }

    @Test func `nodes that are away are one finding`() throws {
        var rig = try SampleRig()
        for name in ["east", "west"] {
            var node = rig.status.nodes[0]
            node.node = try NodeName(name)
            node.isConnected = false
            rig.status.nodes.append(node)
        }
        #expect(rig.examined().findings.map(\.code) == [.nodeAway])
    }

    @Test func `the status of a rig points to the doctor if it would find something`() throws {
        var rig = try SampleRig()
        #expect(!StatusReport(status: rig.status, devices: rig.devices).table.contains("doctor"))
        rig.devices[0].condition.state = .failed
        let table = StatusReport(status: rig.status, devices: rig.devices).table
        #expect(table.contains("1 problem, ") && table.contains("capctl doctor"))
    }
}
