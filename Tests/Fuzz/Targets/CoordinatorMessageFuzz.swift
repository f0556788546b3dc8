import CaptureEngine
import CaptureModel
import ControlMessages
import RigProtocol
import RigSecurity
import RigWire

@testable import NodeCore

/// What a coordinator says on the control channel, as an agent reads it.
enum CoordinatorMessageFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let message = WireAgreement.message(WireCoordinatorMessage.self, .control, bytes) else { return }
        let node = try NodeName("node")
        let read = try? CoordinatorMessage(wire: message.body, to: node)
        switch message.body {
        case .welcome:
            guard case .welcome(let welcome)? = read else { return }
            try FuzzFinding.unless(
                welcome.heartbeatTimeout >= welcome.heartbeatInterval, "an agent leaves before it speaks")
            keepMembership(after: welcome, Epoch(rawValue: message.epoch))
        case .refused(let refused): try AgentMessageFuzz.check(refused.problem)
        case .prepare:
            guard case .order(.prepare(let order))? = read else { return }
            try carryOut(order, on: node)
        case .deviceOrder(let order): try ClientRequestFuzz.check(order.request)
        case .viewers(let viewers):
            for holder in viewers.holders { try WireAgreement.check(holder, { try KeyHolder(wire: $0) }, { $0.wire }) }
        case .coordinatorKey, .fire, .cancel, .eventAck, .inventoryRequest, .helloRequired, .heartbeatAck, nil: break
        }
    }

    private static func keepMembership(after welcome: Welcome, _ epoch: Epoch?) {
        guard let epoch else { return }
        var now = LocalTime(nanoseconds: 1)
        var membership = Membership(at: now)
        for _ in 0..<4 {
            _ = membership.tick(at: now)
            membership.welcomed(
                by: epoch, interval: welcome.heartbeatInterval, timeout: welcome.heartbeatTimeout, at: now)
            now = membership.nextTick
        }
    }

    private static func carryOut(_ order: PrepareOrder, on node: NodeName) throws {
        for device in order.devices {
            let key = CaptureKey(shot: order.shot, device: device)
            let capture = order.captureOrder(for: key)
            try FuzzFinding.unless(
                capture.key == key && device.node == node, "a camera is prepared for the capture of another")
        }
        try FuzzFinding.unless(
            try PhotoSettings(wire: order.settings.wire) == order.settings, "settings are passed on as others")
    }
}
