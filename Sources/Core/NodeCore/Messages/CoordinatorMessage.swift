package import CaptureEngine
package import CaptureModel
package import RigSecurity

/// A message of a coordinator to this node.
package enum CoordinatorMessage: Sendable {
    /// The coordinator does not know this connection and wants a hello.
    case helloRequired
    case welcome(JoinedCoordinator)
    /// The answer to a hello: this node may not join.
    case refused(RigProblem)
    /// A sign of life without content.
    case heartbeatAcknowledged
    case prepare(PrepareOrder)
    case fire(FireOrder)
    case cancel(ShotID, [DeviceName])
    /// The events of the epoch up to the sequence may be removed.
    case acknowledge(Epoch, through: UInt64)
    /// Lists the captures in the spool after a capture, or from the oldest.
    case listInventory(after: CaptureKey?)
    case deviceRequest(NumberedDeviceRequest)
    case viewers(AdmittedViewers)
}

/// Who may watch and listen on this node's frames channel, at one revision of the rig's keys.
package struct AdmittedViewers: Hashable, Sendable {
    package var revision: UInt64
    package var holders: [KeyHolder]

    package init(revision: UInt64, holders: [KeyHolder]) {
        self.revision = revision
        self.holders = holders
    }
}

/// The runs of coordinator and agent between which a message passes.
package struct MessageHeader: Hashable, Sendable {
    /// The coordinator that sent it; nil if the message does not name one.
    package var coordinator: Epoch?
    /// Whether it is meant for this run of the agent.
    package var isForThisLife: Bool

    package init(coordinator: Epoch?, isForThisLife: Bool) {
        self.coordinator = coordinator
        self.isForThisLife = isForThisLife
    }
}

/// An order to make the pictures of a shot that was prepared.
package struct FireOrder: Hashable, Sendable {
    package var shot: ShotID
    package var devices: [DeviceName]
    /// The instant at which a recording ends; nil for a shot and for the start of a take.
    package var stop: RigTime?

    package init(shot: ShotID, devices: [DeviceName], stop: RigTime? = nil) {
        self.shot = shot
        self.devices = devices
        self.stop = stop
    }
}

/// A request of the coordinator, with the number that identifies repeats.
package struct NumberedDeviceRequest: Sendable {
    package var number: UInt64
    /// The request, or the reason why it cannot be carried out.
    package var request: Result<DeviceRequest, RigProblem>

    package init(number: UInt64, request: Result<DeviceRequest, RigProblem>) {
        self.number = number
        self.request = request
    }

    /// Whether the answer lists the condition of the devices. A request about the spool changes no device.
    var isAboutDevice: Bool {
        guard case .success(let request) = request, case .node = request.subject else { return true }
        return false
    }
}

/// The contents of a welcome: where the other channels are, and how liveness is kept.
package struct JoinedCoordinator: Hashable, Sendable {
    package var clockPort: UInt16
    package var collectPort: UInt16
    package var heartbeatInterval: Duration
    package var heartbeatTimeout: Duration

    package init(
        clockPort: UInt16, collectPort: UInt16, heartbeatInterval: Duration, heartbeatTimeout: Duration
    ) {
        self.clockPort = clockPort
        self.collectPort = collectPort
        self.heartbeatInterval = heartbeatInterval
        self.heartbeatTimeout = heartbeatTimeout
    }
}

/// A message of this node to its coordinator.
package enum NodeMessage: Sendable {
    case hello(NodeHello)
    case heartbeat(NodeHeartbeat)
    case prepareResult(PrepareResult)
    case captureResult(CaptureResult)
    case events(EventBatch)
    case deviceAnswer(DeviceAnswer)
    case inventory(InventoryPage)
}

/// The description of a node that wants to join.
package struct NodeHello: Sendable {
    package var devices: [DeviceStatus]
    /// The rig time line of the devices' phases; nil before the first estimate.
    package var rigClock: RigClockID?
    /// How far back T may reach.
    package var ringReach: Duration
    /// The captures in the spool, from the oldest.
    package var inventory: InventoryPage
}

/// The report that a member sends at intervals.
package struct NodeHeartbeat: Sendable {
    package var sequence: UInt64
    /// nil if no device has changed after the last report.
    package var devices: [DeviceStatus]?
    /// The rig time line of the bound and of the devices' phases; nil before the first estimate.
    package var rigClock: RigClockID?
    /// The error bound of the node's estimate of rig time; nil if there is no estimate.
    package var clockBoundNanoseconds: Int64?
    package var ringReach: Duration
    package var health: NodeHealth.State
}

/// Whether a device is armed for a shot.
package struct PrepareResult: Sendable {
    package var key: CaptureKey
    package var outcome: Result<ResolvedPhotoSettings, RigProblem>
}

/// An order to arm devices for a shot.
package struct PrepareOrder: Hashable, Sendable {
    package var shot: ShotID
    package var devices: [DeviceName]
    /// The instant T.
    package var time: RigTime
    /// The rig time line of `time`.
    package var rigClock: RigClockID
    /// The instant until which the frames stay pinned if the shot is not fired.
    package var pinnedUntil: RigTime
    /// The instant until which what is set for the shot stays set; nil for the camera's last picture.
    package var setUntil: RigTime?
    package var settings: PhotoSettings
    /// The rig's wall clock at T, nanoseconds since 1970.
    package var realtimeAtTime: Int64
    /// The rig's offset from UTC.
    package var utcOffsetMinutes: Int

    package init(
        shot: ShotID, devices: [DeviceName], time: RigTime, rigClock: RigClockID, pinnedUntil: RigTime,
        setUntil: RigTime? = nil, settings: PhotoSettings, realtimeAtTime: Int64, utcOffsetMinutes: Int
    ) {
        self.shot = shot
        self.devices = devices
        self.time = time
        self.rigClock = rigClock
        self.pinnedUntil = pinnedUntil
        self.setUntil = setUntil
        self.settings = settings
        self.realtimeAtTime = realtimeAtTime
        self.utcOffsetMinutes = utcOffsetMinutes
    }

    func captureOrder(for key: CaptureKey) -> CaptureOrder {
        CaptureOrder(
            key: key, time: time, rigClock: rigClock, pinnedUntil: pinnedUntil, setUntil: setUntil,
            settings: settings, realtimeAtTime: realtimeAtTime, utcOffsetMinutes: utcOffsetMinutes)
    }
}
