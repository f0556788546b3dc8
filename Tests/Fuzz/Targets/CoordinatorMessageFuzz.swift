import CaptureEngine
import CaptureModel
import RigProtocol
import RigSecurity
import RigWire

@testable import AgentChannels
@testable import NodeCore

/// What a coordinator says on the control channel, as an agent reads it.
enum CoordinatorMessageFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let message = WireAgreement.message(WireCoordinatorMessage.self, .control, bytes) else { return }
        _ = try? CoordinatorMessage(message)
        switch message.body {
        case .welcome(let welcome):
            guard let coordinator = try? JoinedCoordinator(welcome) else { return }
            try FuzzFinding.unless(
                coordinator.heartbeatTimeout >= coordinator.heartbeatInterval, "an agent leaves before it speaks")
            keepMembership(with: coordinator, Epoch(rawValue: message.epoch))
        case .refused(let refused): try AgentMessageFuzz.check(refused.problem)
        case .prepare(let prepare): try read(prepare)
        case .deviceOrder(let order): try ClientRequestFuzz.check(order.request)
        case .viewers(let viewers):
            for holder in viewers.holders { try WireAgreement.check(holder, { try KeyHolder(wire: $0) }, { $0.wire }) }
        case .coordinatorKey(let told): _ = try? FieldReader("CoordinatorKey").publicKey(told.publicKey)
        case .fire, .cancel, .eventAck, .inventoryRequest, .helloRequired, .heartbeatAck, nil: break
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
