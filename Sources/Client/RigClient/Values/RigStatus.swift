public import CaptureModel
internal import RigProtocol
internal import RigWire

/// The state of the whole rig as the coordinator sees it.
public struct RigStatus: Hashable, Sendable {
    public var rigClock: RigClockID
    /// The rig time of this answer.
    public var now: RigTime
    /// Every node of the roster, connected or not, in order of name.
    public var nodes: [NodeStatus]
    /// Shots with outcomes outstanding.
    public var openShots: Int
    /// Takes under way, in order of id; they are among the open shots.
    public var takes: [OpenTake]
    /// Bytes free to the library, as its disk has last told.
    public var libraryFreeBytes: Int64
    /// For how long the library's disk has not answered; nil where it does.
    public var librarySilence: Duration?
    /// Why the library cannot be used, a sentence; nil where it can.
    public var libraryProblem: String?
    /// How long after T a trigger that names no timeout is answered at the latest; nil where the coordinator does not say.
    public var triggerTimeout: Duration?
    /// TCP port of the event feed on the coordinator's host.
    public var feedPort: UInt16
    /// The coordinator's version.
    public var software: String
    /// The coordinator's build of libzmq; nil where the coordinator is too old to tell.
    public var busLibrary: BusLibrary?
    /// Messages that were not acted upon, by channel and cause, such as `control.malformed`.
    public var droppedMessages: [String: UInt64]
    /// Connections that the coordinator refused or ended, by channel and cause, such as `feed.topicLimit`.
    public var refusedConnections: [String: UInt64]
    /// The coordinator's life.
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
        libraryFreeBytes = wire.libraryFreeBytes
        librarySilence = wire.librarySilentNs > 0 ? .nanoseconds(wire.librarySilentNs) : nil
        libraryProblem =
            wire.libraryProblem.isEmpty ? nil : wire.libraryProblem.sentence(limit: WireLimits.problemByteCount)
        let timeout = try reader.number(wire.triggerTimeoutNs, "trigger_timeout_ns", in: WireLimits.timeout)
        triggerTimeout = timeout > 0 ? .nanoseconds(timeout) : nil
        feedPort = UInt16(try reader.number(wire.feedPort, "feed_port", in: 1...65_535))
        software = wire.software.sentence(limit: WireLimits.wordByteCount)
        busLibrary = wire.hasBusLibrary ? try BusLibrary(wire: wire.busLibrary) : nil
        droppedMessages = wire.droppedMessages
        refusedConnections = wire.refusedConnections
        coordinatorEpoch = epoch
    }
}
