public import CaptureModel
internal import RigProtocol
public import RigWire

extension RigClient {
    /// Everything that is known of a device; its node asks the hardware anew, whether it streams or not.
    /// - Parameter timeout: How long the node may take.
    public func describe(
        _ device: DeviceID, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> DeviceDetails {
        try await ask(device, .describe(.init()), timeout, operation: "describe") { result throws(WireError) in
            guard case .details(let details) = result else { return nil }
            return try DeviceDetails(wire: details)
        }
    }

    /// Sets controls of a device that streams, by name, all or none.
    /// - Returns: What each has afterwards, read back; what cannot be read, such as a button, is left out.
    public func setControls(
        of device: DeviceID, _ values: [String: Int64], timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> [String: Int64] {
        var order = WireSetControls()
        order.values = values
        return try await ask(device, .setControls(order), timeout, operation: "set controls") {
            result throws(WireError) in
            guard case .controls(let controls) = result else { return nil }
            return try controls.checked()
        }
    }
}
