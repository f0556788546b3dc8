internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl status`.
struct StatusCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the coordinator and its nodes: connections, clocks, space.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { client in
            StatusReport(status: try await client.status(), devices: try await client.devices())
        }
        console.write(try report.rendered(as: output.format))
        return .complete
    }
}

/// The load of a node's cameras while they run, and its limits: sums of the costs of its devices.
struct NodeLoad: Encodable, Equatable {
    /// The readiness of the least ready camera among those that should run; absent if there is none.
    var readiness: CaptureReadiness?
    var streamBytesPerSecond: Int64 = 0
    /// Bytes of memory that the rings need for their full depth, and the limit.
    var ringBytes: Int64 = 0
    var ringLimitBytes: Int64 = 0
    /// Processor cores for encoding, in thousandths.
    var encodePermille = 0
    /// USB buses in order of number.
    var buses: [Bus] = []

    /// A USB bus with the cameras on it.
    struct Bus: Encodable, Equatable {
        var number: Int
        var bytesPerSecond: Int64
        var limitBytesPerSecond: Int64
    }

    /// - Parameter devices: The devices of one node.
    init(_ devices: [DeviceStatus]) {
        let sessions = devices.compactMap(\.condition.session)
        readiness = sessions.filter { !$0.demands.isEmpty && !$0.isHeld }.map(\.readiness).max()
        var buses: [Int: Bus] = [:]
        for cost in sessions.compactMap(\.cost) {
            add(cost)
            guard let bus = cost.bus else { continue }
            var sum = buses[bus.number] ?? Bus(number: bus.number, bytesPerSecond: 0, limitBytesPerSecond: 0)
            sum.bytesPerSecond = Self.sum(sum.bytesPerSecond, cost.streamBytesPerSecond)
            sum.limitBytesPerSecond = max(sum.limitBytesPerSecond, bus.limitBytesPerSecond)
            buses[bus.number] = sum
        }
        self.buses = buses.values.sorted { $0.number < $1.number }
    }

    private mutating func add(_ cost: SessionCost) {
        streamBytesPerSecond = Self.sum(streamBytesPerSecond, cost.streamBytesPerSecond)
        ringBytes = Self.sum(ringBytes, cost.ringBytes)
        ringLimitBytes = Self.sum(ringLimitBytes, cost.ringLimitBytes)
        encodePermille = encodePermille.addingReportingOverflow(cost.encodePermille).partialValue
    }

    /// A peer may report any figures.
    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }

    /// Overloads of the node by its cameras together: a sentence each.
    var warnings: [String] {
        buses.filter { $0.bytesPerSecond > $0.limitBytesPerSecond }.map { bus in
            "the cameras on USB bus \(bus.number) need \(Decimals.byteText(bus.bytesPerSecond))/s, and it carries about "
                + "\(Decimals.byteText(bus.limitBytesPerSecond))/s: put a camera on another controller, or choose smaller or compressed formats"
        }
    }
}

/// `capctl status --format json`.
struct StatusDocument: Encodable {
    var coordinatorEpoch: String
    var droppedMessages: [String: UInt64]
    var feedPort: Int
    var libraryFreeBytes: Int64
    /// The coordinator's libzmq; absent if unknown.
    var libzmq: BusLibrary?
    /// Why the library cannot be used; absent if it can.
    var libraryProblem: String?
    /// Absent if the library's disk answers.
    var librarySilentNanoseconds: Int64?
    var nodes: [Node]
    var openShots: Int
    var refusedConnections: [String: UInt64]
    var rigClock: String
    var rigNowNanoseconds: Int64
    var software: String

    /// A node; optional members are absent if unknown.
    struct Node: Encodable {
        var clockBoundNanoseconds: Int64?
        var connected: Bool
        var devices: Int
        var devicesRunning: Int
        /// The endpoint of the node's live pictures.
        var frames: String?
        var load: NodeLoad?
        var lastHeardRigNanoseconds: Int64?
        var libzmq: BusLibrary?
        var node: String
        var pressure: SystemPressure?
        var ringDepthNanoseconds: Int64
        var software: String
        var spoolFreeBytes: Int64
        /// Why the spool has no room for another photo.
        var spoolShortage: String?
        var spoolUsedBytes: Int64
    }

    init(_ status: RigStatus, loads: [NodeName: NodeLoad]) {
        coordinatorEpoch = status.coordinatorEpoch.description
        droppedMessages = status.droppedMessages
        feedPort = Int(status.feedPort)
        libraryFreeBytes = status.libraryFreeBytes
        libzmq = status.busLibrary
        libraryProblem = status.libraryProblem?.message
        librarySilentNanoseconds = status.librarySilence?.nanoseconds
        nodes = status.nodes.map { Node($0, loads[$0.node]) }
        openShots = status.openShots
        refusedConnections = status.refusedConnections
        rigClock = status.rigClock.rawValue
        rigNowNanoseconds = status.now.nanoseconds
        software = status.software
    }
}

extension StatusDocument.Node {
    init(_ status: NodeStatus, _ load: NodeLoad?) {
        self.load = load
        clockBoundNanoseconds = status.clockBound?.nanoseconds
        connected = status.isConnected
        devices = status.devices
        devicesRunning = status.devicesRunning
        frames = status.frames?.endpoint
        lastHeardRigNanoseconds = status.lastHeard?.nanoseconds
        libzmq = status.busLibrary
        node = status.node.rawValue
        pressure = status.pressure
        ringDepthNanoseconds = status.ringDepth.nanoseconds
        software = status.software
        spoolFreeBytes = status.spoolFreeBytes
        spoolShortage = status.spoolShortage
        spoolUsedBytes = status.spoolUsedBytes
    }
}
