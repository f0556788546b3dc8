import CaptureModel
import Doctor
import PosixSupport
import RigProtocol
import Testing

@testable import CapctlCommands
@testable import RigClient

/// A rig of a coordinator and a node with two cameras, that lacks nothing.
private struct SampleRig {
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
                node: node, isConnected: true, clockBound: .milliseconds(1), ringDepth: .seconds(3), spoolUsedBytes: 0,
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

private struct RigFault: Sendable, CustomTestStringConvertible {
    var code: Finding.Code
    var severity: Finding.Severity
    var remedy: String
    var plant: @Sendable (inout SampleRig) -> Void

    init(
        _ code: Finding.Code, _ severity: Finding.Severity, _ remedy: String,
        _ plant: @escaping @Sendable (inout SampleRig) -> Void
    ) {
        (self.code, self.severity, self.remedy, self.plant) = (code, severity, remedy, plant)
    }

    var testDescription: String { code.rawValue }

    static let all: [RigFault] = [
        RigFault(.nodeAway, .problem, "systemctl start capagentd") { $0.status.nodes[0].isConnected = false },
        RigFault(.nodeUnsynchronized, .problem, "capagentd doctor") { $0.status.nodes[0].clockBound = nil },
        RigFault(.clockUncertain, .warning, "ping -c 20") { $0.status.nodes[0].clockBound = .milliseconds(11) },
        RigFault(.spoolShort, .problem, "capctl spool list --node north") {
            $0.status.nodes[0].spoolShortage = "it is full"
        },
        RigFault(.machineOverloaded, .warning, "top") {
            $0.status.nodes[0].pressure = SystemPressure(level: .serious, factors: [.cpu], reason: "70 %")
        },
        RigFault(.machineOverloaded, .problem, "top") {
            $0.status.nodes[0].pressure = SystemPressure(level: .critical, factors: [.cpu], reason: "90 %")
        },
        RigFault(.libraryAbortable, .warning, "apt install caprig-agent") {
            $0.status.nodes[0].busLibrary?.isHardened = false
        },
        RigFault(.libraryAbortable, .warning, "apt install caprig-coordinator") {
            $0.status.busLibrary?.isHardened = false
        },
        RigFault(.versionsDiffer, .warning, "--only-upgrade caprig-agent") {
            $0.status.nodes[0].software = "caprig-agent 0.0.9"
        },
        RigFault(.framesLoopback, .warning, "frames.listen.host: '*'") {
            $0.status.nodes[0].frames?.host = "127.0.0.1"
            $0.frames = [:]
        },
        RigFault(.framesUnreachable, .warning, "tcp dport 7800 accept") { rig in
            for node in rig.frames.keys { rig.frames[node] = .silent }
        },
        RigFault(.libraryUnusable, .problem, "capcoordd doctor") { $0.status.librarySilence = .seconds(20) },
        RigFault(.libraryUnusable, .problem, "capcoordd doctor") {
            $0.status.libraryProblem = RigProblem(.noSpace, "it is full")
        },
        RigFault(.libraryNearlyFull, .warning, "larger disk") { $0.status.libraryFreeBytes = 1_999_999_999 },
        RigFault(.cameraSlow, .warning, "exposureDynamicFrameRate=off") {
            $0.devices[0].condition.phase = FramePhase(
                midExposure: RigTime(nanoseconds: 0), periodNanoseconds: 66_666_667)
        },
        RigFault(.cameraDenied, .problem, "capagentd doctor") { $0.devices[0].condition.state = .denied },
        RigFault(.cameraFailed, .problem, "capctl resume north/front") { $0.devices[0].condition.state = .failed },
        RigFault(.cameraInterrupted, .problem, "--list-devices") { $0.devices[0].condition.state = .absent },
        RigFault(.cameraInterrupted, .problem, "fuser") { $0.devices[0].condition.state = .busy },
        RigFault(.cameraNotConfigured, .warning, "capctl devices forget north/front") {
            $0.devices[0].condition.state = .notConfigured
        },
        RigFault(.cameraCostly, .warning, "ring.memory") { $0.devices[0].condition.session?.cost?.ringBytes = 2 },
        RigFault(.busNarrow, .problem, "lsusb -t") {
            $0.devices[0].condition.session?.cost?.streamBytesPerSecond = 36_000_000
        },
    ]
}

@Suite struct RigFactsTests {
    @Test func `is silent about a rig that lacks nothing`() throws {
        let examination = try SampleRig().examined()
        #expect(examination.findings == [])
        #expect(examination.checks > 10)
    }

    @Test(arguments: RigFault.all)
    fileprivate func `finds a planted fault alone, and names its remedy`(_ fault: RigFault) throws {
        var rig = try SampleRig()
        fault.plant(&rig)
        let findings = rig.examined().findings
        #expect(findings.map(\.code) == [fault.code])
        #expect(findings.first?.severity == fault.severity)
        #expect(findings.first?.remedy.contains(fault.remedy) == true, "\(findings)")
        for line in rig.examined().text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
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
