public import CaptureModel
internal import RigProtocol
public import RigSecurity
internal import RigWire

/// The state of the rig as the coordinator sees it.
public struct RigStatus: Hashable, Sendable {
    public var rigClock: RigClockID
    /// The rig time of this answer.
    public var now: RigTime
    /// Every node of the roster, connected or not, in order of name.
    public var nodes: [NodeStatus]
    /// Number of shots with outstanding outcomes.
    public var openShots: Int
    /// Takes under way, in order of id; they are among the open shots.
    public var takes: [OpenTake]
    /// Who holds the rig; nil if nobody does.
    public var hold: HoldStatus?
    /// Differs whenever the hold does; nil from a coordinator that evaluates no conditions (``RigClient/condition``).
    public var holdVersion: ContentDigest?
    /// Free bytes on the library's disk, as last reported by the disk.
    public var libraryFreeBytes: Int64
    /// For how long the library's disk has not answered; nil if it answers.
    public var librarySilence: Duration?
    /// Why the library cannot be used; nil if it can.
    public var libraryProblem: RigProblem?
    /// How long after T a trigger without a timeout is answered at the latest; nil if the coordinator does not say.
    public var triggerTimeout: Duration?
    /// TCP port of the event feed on the coordinator's host.
    public var feedPort: UInt16
    /// The coordinator's version.
    public var software: String
    /// The coordinator's build of libzmq; nil if the coordinator does not report it.
    public var busLibrary: BusLibrary?
    /// Number of messages that were dropped, by channel and cause, such as `control.malformed`.
    public var droppedMessages: [String: UInt64]
    /// Number of connections that the coordinator refused or ended, by channel and cause, such as `feed.topicLimit`.
    public var refusedConnections: [String: UInt64]
    /// The name of the rig; nil if the coordinator does not report it.
    public var rig: RigName?
    /// The coordinator's public key; nil without keys. It differs from the key that the client has connected with while the coordinator replaces it.
    public var coordinatorKey: PublicKey?
    /// The gateways that serve the rig, in order of name and address.
    public var gateways: [GatewayStatus] = []
    /// What the coordinator has counted of its shots; nil if it does not report it.
    public var shotCounts: ShotCounts?
    /// What deletes shots of the library by itself; nil if nothing does, or an older coordinator does not report it.
    public var retention: RetentionStatus?
    /// The epoch of the coordinator's run.
    public var coordinatorEpoch: Epoch
}

extension RigStatus {
    init(wire: WireRigStatus, epoch: Epoch) throws(WireError) {
        let reader = FieldReader("RigStatus")
        rigClock = try reader.rigClockID(wire.rigClockID)
        now = RigTime(nanoseconds: wire.rigNowNs)
        nodes = try wire.nodes.map(NodeStatus.init(wire:)).sorted { $0.node < $1.node }
        openShots = Int(wire.openShots)
        takes = try reader.list(wire.takes, "takes", limit: WireLimits.openTakes).map(OpenTake.init(wire:))
        hold = wire.hasHold ? try HoldStatus(wire: wire.hold) : nil
        holdVersion = try reader.version(wire.holdVersion, "hold_version")
        libraryFreeBytes = wire.libraryFreeBytes
        librarySilence = wire.librarySilentNs > 0 ? .nanoseconds(wire.librarySilentNs) : nil
        libraryProblem = wire.hasLibraryProblem ? RigProblem(wire: wire.libraryProblem) : nil
        let timeout = try reader.number(wire.triggerTimeoutNs, "trigger_timeout_ns", in: WireLimits.timeout)
        triggerTimeout = timeout > 0 ? .nanoseconds(timeout) : nil
        feedPort = UInt16(try reader.number(wire.feedPort, "feed_port", in: 1...65_535))
        software = wire.software.sentence(limit: WireLimits.wordByteCount)
        busLibrary = wire.hasBusLibrary ? try BusLibrary(wire: wire.busLibrary) : nil
        droppedMessages = wire.droppedMessages
        refusedConnections = wire.refusedConnections
        rig = wire.rig.isEmpty ? nil : try reader.name(wire.rig, "rig")
        coordinatorKey =
            wire.coordinatorKey.isEmpty ? nil : try reader.publicKey(wire.coordinatorKey, "coordinator_key")
        gateways = try reader.list(wire.gateways, "gateways", limit: WireLimits.gateways)
            .map(GatewayStatus.init(wire:))
        shotCounts = wire.hasShotCounts ? try ShotCounts(wire: wire.shotCounts) : nil
        retention = wire.hasRetention ? try RetentionStatus(wire: wire.retention) : nil
        coordinatorEpoch = epoch
    }
}

/// A gateway between browsers and the rig, as it describes itself.
public struct GatewayStatus: Hashable, Sendable {
    /// The holder of its key.
    public var name: String
    /// To open in a browser.
    public var address: String
    /// SHA-256 in DER of a certificate that it has made itself, which people compare; nil otherwise.
    public var certificate: ContentDigest?

    public init(name: String, address: String, certificate: ContentDigest?) {
        self.name = name
        self.address = address
        self.certificate = certificate
    }
}

extension GatewayStatus {
    init(wire: WireGatewayStatus) throws(WireError) {
        let reader = FieldReader("GatewayStatus")
        self.init(
            name: wire.name.sentence(limit: WireLimits.wordByteCount),
            address: try reader.webAddress(wire.address, "address"),
            certificate: wire.certificateSha256.isEmpty
                ? nil : try reader.present(ContentDigest(bytes: wire.certificateSha256), "certificate_sha256"))
    }
}

/// One page of the coordinator's events.
struct EventReplay: Hashable, Sendable {
    var epoch: Epoch
    /// In order of publication, those of earlier epochs first.
    var events: [FeedEvent]
    /// The newest sequence of `epoch` so far; 0 without events.
    var lastSequence: UInt64
    /// Whether events between the requested position and the first event here have been dropped.
    var isTruncated: Bool
}

extension EventReplay {
    init(wire: WireEventLog, epoch: Epoch) throws(WireError) {
        self.epoch = epoch
        events = try wire.events.map(FeedEvent.init(wire:))
        lastSequence = wire.lastSequence
        isTruncated = wire.truncated
    }
}
