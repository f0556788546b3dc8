public import CaptureModel
public import RigClient

/// The state of a rig: `capctl status`.
public struct StatusDocument: Encodable, Sendable {
    var coordinatorEpoch: String
    var droppedMessages: [String: Integer64]
    var feedPort: Int
    /// The gateways that serve the rig.
    var gateways: [GatewayDocument]
    /// Absent if nobody holds the rig.
    var hold: HoldDocument?
    var libraryFreeBytes: Integer64
    /// The coordinator's libzmq; absent if unknown.
    var libzmq: BusLibrary?
    /// Why the library cannot be used; absent if it can.
    var libraryProblem: String?
    /// Absent if the library's disk answers.
    var librarySilentNanoseconds: Integer64?
    var nodes: [Node]
    var openShots: Int
    var refusedConnections: [String: Integer64]
    /// Absent if the coordinator deletes no shots by itself.
    var retention: RetentionDocument?
    var rigClock: String
    var rigNowNanoseconds: Integer64
    var software: String

    /// A node; optional members are absent if unknown.
    struct Node: Encodable {
        var clock: ClockDocument?
        var clockBoundNanoseconds: Integer64?
        var connected: Bool
        var devices: Int
        var devicesRunning: Int
        /// The endpoint of the node's live pictures.
        var frames: String?
        var load: Load?
        var lastHeardRigNanoseconds: Integer64?
        var libzmq: BusLibrary?
        var node: String
        var pressure: SystemPressure?
        var ringDepthNanoseconds: Integer64
        var software: String
        var spoolFreeBytes: Integer64
        /// Why the spool has no room for another photo.
        var spoolShortage: String?
        var spoolUsedBytes: Integer64
    }

    /// ``NodeLoad``.
    struct Load: Encodable {
        var buses: [Bus]
        var encodePermille: Int
        var readiness: CaptureReadiness?
        var ringBytes: Integer64
        var ringLimitBytes: Integer64
        var streamBytesPerSecond: Integer64

        struct Bus: Encodable {
            var bytesPerSecond: Integer64
            var limitBytesPerSecond: Integer64
            var number: Int
        }
    }

    /// - Parameter devices: The devices of the rig.
    public init(_ status: RigStatus, devices: [DeviceStatus]) {
        let loads = NodeLoad.ofNodes(devices)
        coordinatorEpoch = status.coordinatorEpoch.description
        droppedMessages = status.droppedMessages.mapValues(Integer64.init)
        feedPort = Int(status.feedPort)
        gateways = status.gateways.map(GatewayDocument.init)
        hold = status.hold.map(HoldDocument.init)
        libraryFreeBytes = Integer64(status.libraryFreeBytes)
        libzmq = status.busLibrary
        libraryProblem = status.libraryProblem?.message
        librarySilentNanoseconds = (status.librarySilence?.nanoseconds).map(Integer64.init)
        nodes = status.nodes.map { Node($0, loads[$0.node]) }
        openShots = status.openShots
        refusedConnections = status.refusedConnections.mapValues(Integer64.init)
        retention = status.retention.map(RetentionDocument.init)
        rigClock = status.rigClock.rawValue
        rigNowNanoseconds = Integer64(status.now.nanoseconds)
        software = status.software
    }
}

extension StatusDocument.Node {
    fileprivate init(_ status: NodeStatus, _ load: NodeLoad?) {
        self.load = load.map(StatusDocument.Load.init)
        clock = status.clock.map(ClockDocument.init)
        clockBoundNanoseconds = (status.clockBound?.nanoseconds).map(Integer64.init)
        connected = status.isConnected
        devices = status.devices
        devicesRunning = status.devicesRunning
        frames = status.frames?.endpoint
        lastHeardRigNanoseconds = (status.lastHeard?.nanoseconds).map(Integer64.init)
        libzmq = status.busLibrary
        node = status.node.rawValue
        pressure = status.pressure
        ringDepthNanoseconds = Integer64(status.ringDepth.nanoseconds)
        software = status.software
        spoolFreeBytes = Integer64(status.spoolFreeBytes)
        spoolShortage = status.spoolShortage
        spoolUsedBytes = Integer64(status.spoolUsedBytes)
    }
}

extension StatusDocument.Load {
    fileprivate init(_ load: NodeLoad) {
        buses = load.buses.map { bus in
            Bus(
                bytesPerSecond: Integer64(bus.bytesPerSecond), limitBytesPerSecond: Integer64(bus.limitBytesPerSecond),
                number: bus.number)
        }
        encodePermille = load.encodePermille
        readiness = load.readiness
        ringBytes = Integer64(load.ringBytes)
        ringLimitBytes = Integer64(load.ringLimitBytes)
        streamBytesPerSecond = Integer64(load.streamBytesPerSecond)
    }
}
