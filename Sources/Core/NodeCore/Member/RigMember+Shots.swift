import CaptureEngine
import CaptureModel
import ControlMessages
import FaultPoints

/// One device of a prepare. It is armed concurrently with everything else, because its camera may answer slowly.
struct ArmingRequest: Sendable {
    var order: PrepareOrder
    var device: DeviceID

    var key: CaptureKey { CaptureKey(shot: order.shot, device: device) }
}

/// Shots. ``CapturesBeingArmed`` keeps the order of the messages for one camera and one shot.
extension RigMember {
    /// Checks a prepare and returns the devices to arm, without those that are already being armed.
    func accept(_ order: PrepareOrder) async -> [ArmingRequest] {
        guard !isShuttingDown else {
            for device in order.devices {
                let key = CaptureKey(shot: order.shot, device: device)
                await send(.prepareResult(PrepareResult(key: key, outcome: .failure(Self.shuttingDown(device)))))
            }
            return []
        }
        var requests: [ArmingRequest] = []
        for device in order.devices {
            let request = ArmingRequest(order: order, device: device)
            switch arming.prepare(request.key) {
            case .carryOut: requests.append(request)
            case .refuse:
                await send(
                    .prepareResult(PrepareResult(key: request.key, outcome: .failure(Self.tooMany(device.device)))))
            case .passOver: break
            }
        }
        return requests
    }

    /// Arms a device and reports the result to the coordinator. Cancels the device instead if a cancel has arrived
    /// before that.
    func carryOut(_ request: ArmingRequest) async {
        let key = request.key
        let outcome = await node.prepare(request.order, request.device)
        guard arming.isCancelled(key) else {
            // From here on, a cancel finds the capture armed.
            arming.finish(key)
            await send(.prepareResult(PrepareResult(key: key, outcome: outcome)))
            return
        }
        await node.cancel(key)
        arming.finish(key)
    }

    func cancel(_ shot: ShotID, _ devices: [DeviceID]) async {
        for key in devices.map({ CaptureKey(shot: shot, device: $0) }) where arming.cancel(key) == .carryOut {
            await node.cancel(key)
        }
    }

    /// Makes the pictures of all devices concurrently and reports each when it is ready.
    func carryOut(_ order: FireOrder) async {
        await withDiscardingTaskGroup { group in
            for key in order.devices.map({ CaptureKey(shot: order.shot, device: $0) }) {
                group.addTask {
                    if let stop = order.stop { await self.node.stop(key, at: stop) }
                    guard let result = await self.node.fire(key) else { return }
                    await self.send(.captureResult(result))
                }
            }
        }
    }

    private static func tooMany(_ device: DeviceName) -> RigProblem {
        RigProblem(
            .noMemory,
            "'\(device)' has not answered for \(CapturesBeingArmed.limit) shots yet; wait until some of them have ended"
        )
    }
}

/// Cameras that are being armed, each for one shot. The messages for one camera and one shot keep their order, while
/// nothing else waits for a camera that answers slowly.
///
/// | capture is | prepare arrives | cancel arrives | the camera has answered |
/// |---|---|---|---|
/// | not being armed | arm it | cancel it at once, without asking the camera | – |
/// | being armed | ignored: the answer follows, unless a cancel is noted | noted | reported; if a cancel is noted: cancel it instead |
///
/// A camera that does not answer gets at most ``limit`` shots; further ones are refused. A value.
struct CapturesBeingArmed: Sendable {
    /// Number of shots for which one camera may be armed at a time: as many as its session accepts.
    static let limit = 64

    /// What to do with a message.
    enum Verdict: Hashable, Sendable {
        case carryOut
        case passOver
        /// Too many shots are in progress.
        case refuse
    }

    /// Whether each capture is to be cancelled when it is armed.
    private var arming: [CaptureKey: Bool] = [:]
    private var counts: [DeviceID: Int] = [:]

    /// Whether any camera is being armed.
    var isArming: Bool { !arming.isEmpty }

    mutating func prepare(_ key: CaptureKey) -> Verdict {
        guard arming[key] == nil else { return .passOver }
        guard counts[key.device, default: 0] < Self.limit else { return .refuse }
        arming[key] = false
        counts[key.device, default: 0] += 1
        return .carryOut
    }

    mutating func cancel(_ key: CaptureKey) -> Verdict {
        guard arming[key] != nil else { return .carryOut }
        arming[key] = true
        return .passOver
    }

    /// Returns whether a capture that the camera has answered must be cancelled before ``finish(_:)``.
    func isCancelled(_ key: CaptureKey) -> Bool { arming[key] == true }

    /// Notes that the message for a capture was carried out.
    mutating func finish(_ key: CaptureKey) {
        guard arming.removeValue(forKey: key) != nil else { return }
        counts[key.device, default: 1] -= 1
        if counts[key.device] == 0 { counts[key.device] = nil }
    }
}

/// The points at which the tasks that keep the node a member of its rig wait.
package enum MemberFault: String, TaskFaultPoint {
    /// A message is about to be carried out.
    case work = "agent.control.wait.work"
    case tick = "agent.control.wait.tick"
    case spoolUsage = "agent.control.wait.spoolUsage"
    case events = "agent.control.wait.events"
}

/// Requests about devices. They may take as long as hardware does, so each has a separate task.
extension RigMember {
    /// Carries out a request and answers it, unless the coordinator that sent it is gone when it is done.
    func carryOut(_ request: NumberedDeviceRequest, from coordinator: Epoch) async {
        switch requests.accept(request.number, from: coordinator) {
        case .ignore:
            return
        case .answer(let answer):
            await send(answer, to: request)
        case .carryOut:
            let answer = DeviceAnswer(number: request.number, outcome: await outcome(of: request.request))
            guard requests.finish(answer, from: coordinator), membership.coordinator == coordinator else { return }
            await send(answer, to: request)
        }
    }

    private func outcome(
        of request: Result<DeviceRequest, RigProblem>
    ) async -> Result<DeviceReply, RigProblem> {
        switch request {
        case .failure(let problem):
            return .failure(problem)
        case .success(let request):
            if case .node = request.subject { return await spoolRequests.carryOut(request) }
            return await node.carryOut(request)
        }
    }

    /// Sends an answer. An answer about a device, also a repeated one, lists the condition of all devices at the moment
    /// of sending.
    private func send(_ answer: DeviceAnswer, to request: NumberedDeviceRequest) async {
        guard request.isAboutDevice else {
            await send(.deviceAnswer(answer))
            return
        }
        await listing {
            var answer = answer
            answer.devices = await self.node.statuses()
            await self.send(.deviceAnswer(answer))
        }
    }
}

extension RigMember {
    /// Refuses every prepare from here on.
    func refuseShots() {
        isShuttingDown = true
    }

    /// Gives up captures whose picture is not being made yet, and reports to the coordinator that they are missed.
    func giveUp(_ session: CaptureSession) async {
        for key in await session.giveUpUnmade(with: Self.shuttingDown(session.device.id)) {
            await send(.captureResult(.missed(key, Self.shuttingDown(key.device))))
        }
    }

    /// Whether a camera has not yet answered for a shot.
    var isArming: Bool { arming.isArming }

    /// Returns the problem of an agent that is ending. Its code is not `cancelled`: another agent with the node's name
    /// may have made the picture, and that picture counts.
    static func shuttingDown(_ device: DeviceID) -> RigProblem {
        RigProblem(
            .nodeUnreachable, "\(device): the agent of node '\(device.node)' is ending; trigger again when it is back")
    }
}
