internal import CaptureModel
internal import RigClient

/// `capctl status --format json`.
struct StatusDocument: Encodable {
    var coordinatorEpoch: String
    var droppedMessages: [String: UInt64]
    var feedPort: Int
    var libraryFreeBytes: Int64
    /// The coordinator's; absent where unknown.
    var libzmq: BusLibrary?
    /// Why the library cannot be used; absent where it can.
    var libraryProblem: String?
    /// Absent where the library's disk answers.
    var librarySilentNanoseconds: Int64?
    var nodes: [Node]
    var openShots: Int
    var refusedConnections: [String: UInt64]
    var rigClock: String
    var rigNowNanoseconds: Int64
    var software: String

    /// A node; optional members are absent where unknown.
    struct Node: Encodable {
        var clockBoundNanoseconds: Int64?
        var connected: Bool
        var devices: Int
        var devicesRunning: Int
        /// Where the node's live pictures are.
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
        libraryProblem = status.libraryProblem
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
