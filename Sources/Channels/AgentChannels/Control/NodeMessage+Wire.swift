import CaptureEngine
import CaptureModel
import Journal
import NodeCore
import RigProtocol
import RigWire
import Spool
import ZeroMQ

extension NodeMessage {
    /// Whether the message reports the frames channel.
    var tellsFrames: Bool {
        switch self {
        case .hello, .heartbeat: true
        default: false
        }
    }

    /// - Parameter frames: The status of the frames channel, for a message that reports it; nil without a frames
    ///   channel.
    func wire(_ identity: AgentIdentity, frames: FramesStatus?) -> WireAgentMessage.OneOf_Body {
        switch self {
        case .hello(let hello): .hello(hello.wire(identity, frames: frames))
        case .heartbeat(let heartbeat): .heartbeat(heartbeat.wire(frames: frames))
        case .prepareResult(let result): .prepareResult(result.wire)
        case .captureResult(.captured(let report)): .captured(report.wire)
        case .captureResult(.missed(let key, let problem)): .missed(WireCaptureMissed(key, problem))
        case .events(let batch): .events(batch.wire)
        case .deviceAnswer(let answer): .deviceAnswer(answer.wire)
        case .inventory(let page): .inventory(page.wire)
        }
    }
}

extension NodeHello {
    fileprivate func wire(_ identity: AgentIdentity, frames: FramesStatus?) -> WireHello {
        var wire = WireHello()
        wire.protocolVersion = ProtocolVersion.current
        wire.software = identity.software
        wire.bootID = identity.bootID
        wire.busLibrary = BusLibrary.linked.wire
        wire.devices = devices.map(\.wire)
        wire.ringDepthNs = ringReach.nanoseconds
        if let frames { wire.frames = frames.wire }
        wire.rigClockID = rigClock?.rawValue ?? ""
        wire.inventory = inventory.captures.map(\.wire)
        wire.inventoryTruncated = inventory.hasMore
        return wire
    }
}

extension NodeHeartbeat {
    fileprivate func wire(frames: FramesStatus?) -> WireHeartbeat {
        var wire = WireHeartbeat()
        wire.sequence = sequence
        wire.devices = (devices ?? []).map(\.wire)
        wire.rigClockID = rigClock?.rawValue ?? ""
        if let clockBoundNanoseconds { wire.clockBoundNs = clockBoundNanoseconds }
        wire.ringDepthNs = ringReach.nanoseconds
        if let usage = health.spool {
            wire.spoolUsedBytes = usage.storedBytes + usage.reservedBytes
            wire.spoolFreeBytes = usage.availableBytes
        }
        if let pressure = health.pressure { wire.pressure = pressure.wire }
        wire.spoolShortage = health.spoolShortage ?? ""
        if let frames { wire.frames = frames.wire }
        return wire
    }
}

extension PrepareResult {
    fileprivate var wire: WirePrepareResult {
        var wire = WirePrepareResult()
        wire.shotID = key.shot.wire
        wire.device = key.device.device.rawValue
        switch outcome {
        case .success(let resolved): wire.armed = resolved.wire
        case .failure(let problem): wire.refused = problem.wire
        }
        return wire
    }
}

extension WireCaptureMissed {
    fileprivate init(_ key: CaptureKey, _ problem: RigProblem) {
        self.init()
        shotID = key.shot.wire
        device = key.device.device.rawValue
        self.problem = problem.wire
    }
}

extension EventBatch {
    fileprivate var wire: WireEventBatch {
        var wire = WireEventBatch()
        wire.events = events.map(\.wire)
        if let follows {
            wire.follows.epoch = follows.epoch.wire
            wire.follows.sequence = follows.sequence
        }
        return wire
    }
}

extension DeviceAnswer {
    fileprivate var wire: WireDeviceAnswer {
        var wire = WireDeviceAnswer()
        wire.requestID = number
        switch outcome {
        case .success(let reply): wire.reply = reply.wire
        case .failure(let problem): wire.problem = problem.wire
        }
        wire.devices = devices.map(\.wire)
        return wire
    }
}

extension InventoryPage {
    fileprivate var wire: WireInventory {
        var wire = WireInventory()
        if let after { wire.after = after.wire }
        wire.captures = captures.map(\.wire)
        wire.hasMore_p = hasMore
        return wire
    }
}

extension BusLibrary {
    /// The libzmq that this process is linked with.
    static let linked = BusLibrary(version: ZeroMQLibrary.linked.version, isHardened: ZeroMQLibrary.linked.isHardened)
}
