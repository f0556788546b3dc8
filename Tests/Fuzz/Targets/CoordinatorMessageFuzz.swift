import CaptureEngine
import CaptureModel
import RigProtocol
import RigWire

@testable import AgentRuntime

/// What a coordinator says on the control channel, as an agent reads it.
enum CoordinatorMessageFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let message = WireAgreement.message(WireCoordinatorMessage.self, .control, bytes) else { return }
        switch message.body {
        case .welcome(let welcome):
            guard let coordinator = JoinedCoordinator(welcome) else { return }
            try FuzzFinding.unless(
                coordinator.heartbeatTimeout >= coordinator.heartbeatInterval, "an agent leaves before it speaks")
            keepMembership(with: coordinator, Epoch(rawValue: message.epoch))
        case .refused(let refused): try AgentMessageFuzz.check(refused.problem)
        case .prepare(let prepare): try read(prepare)
        case .fire(let fire): _ = (fire.devices.map { try? DeviceName($0) }, try? FieldReader("").shotID(fire.shotID))
        case .cancel(let cancel): _ = cancel.devices.map { try? DeviceName($0) }
        case .eventAck(let ack): _ = Epoch(rawValue: ack.epoch)
        case .deviceOrder(let order): try ClientRequestFuzz.check(order.request)
        case .inventoryRequest(let request): _ = try? CaptureKey(wire: request.after)
        case .helloRequired, .heartbeatAck, nil: break
        }
    }

    private static func keepMembership(with coordinator: JoinedCoordinator, _ epoch: Epoch?) {
        guard let epoch else { return }
        var now = LocalTime(nanoseconds: 1)
        var membership = Membership(at: now)
        for _ in 0..<4 {
            _ = membership.tick(at: now)
            membership.welcomed(
                by: epoch, interval: coordinator.heartbeatInterval, timeout: coordinator.heartbeatTimeout, at: now)
            now = membership.nextTick
        }
    }

    private static func read(_ prepare: WirePrepare) throws {
        guard let order = try? PrepareOrder(prepare) else { return }
        for device in order.devices {
            let key = CaptureKey(shot: order.shot, device: DeviceID(node: try NodeName("node"), device: device))
            let capture = order.captureOrder(for: key)
            try FuzzFinding.unless(capture.key == key, "a camera is prepared for the capture of another")
        }
        try WireAgreement.check(prepare.settings, { try PhotoSettings(wire: $0) }, { $0.wire })
    }
}
