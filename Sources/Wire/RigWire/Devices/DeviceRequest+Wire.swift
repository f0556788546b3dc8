public import CaptureModel
public import RigProtocol

extension DeviceRequest {
    public init(wire: WireDeviceRequest) throws(WireError) {
        let reader = FieldReader("DeviceRequest")
        let nanoseconds = try reader.number(wire.timeoutNs, "timeout_ns", in: WireLimits.deviceTimeout)
        self.init(
            try Self.subject(of: wire, reader),
            timeout: nanoseconds == 0 ? Self.defaultTimeout : .nanoseconds(nanoseconds),
            command: try wire.command.map { (command) throws(WireError) in try DeviceCommand(wire: command) },
            id: wire.id == 0 ? nil : wire.id)
    }

    private static func subject(of wire: WireDeviceRequest, _ reader: FieldReader) throws(WireError) -> Subject {
        guard !wire.node.isEmpty else {
            return .device(try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device")))
        }
        guard !wire.hasDevice else { throw reader.invalid("node", "is given beside a device") }
        return .node(try reader.name(wire.node, "node"))
    }

    public var wire: WireDeviceRequest {
        var wire = WireDeviceRequest()
        switch subject {
        case .device(let device): wire.device = device.wire
        case .node(let node): wire.node = node.rawValue
        }
        wire.timeoutNs = timeout.nanoseconds
        wire.command = command?.wire
        wire.id = id ?? 0
        return wire
    }
}
