public import CaptureModel

extension RigClient {
    /// Everything that is known of a device; its node asks the hardware anew, whether it streams or not.
    /// - Parameter timeout: How long the node may take.
    public func describe(
        _ device: DeviceID, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> DeviceDetails {
        try await ask(device, .describe, timeout, operation: "describe") { reply in
            if case .details(let details) = reply { details } else { nil }
        }
    }

    /// Sets controls of a device that streams, by name, all or none.
    /// - Returns: What each has afterwards, read back; what cannot be read, such as a button, is left out.
    public func setControls(
        of device: DeviceID, _ values: [String: Int64], timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> [String: Int64] {
        try await ask(device, .setControls(values), timeout, operation: "set controls") { reply in
            if case .controls(let values) = reply { values } else { nil }
        }
    }
}
