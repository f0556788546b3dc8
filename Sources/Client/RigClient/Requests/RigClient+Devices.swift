public import CaptureModel
internal import RigProtocol
internal import RigWire

extension RigClient {
    /// Lets a device's session run; returns when its hardware runs or has failed.
    /// - Parameter timeout: How long the node may take.
    public func startSession(
        of device: DeviceID, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> SessionResult {
        try await session(.startSession, of: device, timeout, "session start")
    }

    /// Stops a device's session; when this returns, the device is free for others. It stays stopped until it is started.
    /// - Parameter force: Whether a recording is cut off, which ``SessionResult/changes`` tells; else a device that records is
    ///   not stopped.
    public func stopSession(
        of device: DeviceID, force: Bool = false, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> SessionResult {
        try await session(.stopSession(force: force), of: device, timeout, "session stop")
    }

    /// Has a session that has failed, or waits for its next attempt, tried again at once.
    public func resumeSession(
        of device: DeviceID, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> SessionResult {
        try await session(.resumeSession, of: device, timeout, "resume")
    }

    /// Replaces a device, which is the input of its session, by another one of the same node; the old one is restored
    /// where that fails.
    public func switchInput(
        of device: DeviceID, to replacement: DeviceName, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> SessionResult {
        try await session(.switchInput(to: replacement), of: device, timeout, "session switch")
    }

    /// Changes how a device's pictures are to be shown, from the next live frame and the next capture that is armed.
    /// - Parameters:
    ///   - orientation: Clockwise turn that makes the picture stand upright; nil leaves it as it is.
    ///   - isMirrored: Whether left and right are exchanged after that turn; nil leaves it as it is.
    public func setConnection(
        of device: DeviceID, orientation: Orientation?, isMirrored: Bool?,
        timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> SessionResult {
        try await session(
            .setConnection(orientation: orientation, isMirrored: isMirrored), of: device, timeout, "session turn")
    }

    private func session(
        _ command: DeviceCommand, of device: DeviceID, _ timeout: Duration, _ operation: String
    ) async throws(RigClientError) -> SessionResult {
        try await ask(device, command, timeout, operation: operation) { reply in
            if case .session(let session) = reply { session } else { nil }
        }
    }

    /// Asks one device of its node, and waits for the answer.
    func ask<Value>(
        _ device: DeviceID, _ command: DeviceCommand, _ timeout: Duration, operation: String,
        _ read: (DeviceReply) -> Value?
    ) async throws(RigClientError) -> Value {
        try await ask(.device(device), command, timeout, operation: operation, read)
    }

    /// Asks a node, or one device of it, and waits for the answer.
    ///
    /// Hardware may take long, so this asks the coordinator for a sign of life first, and then waits for as long as the
    /// coordinator does, and the client's patience.
    /// - Parameter read: nil where the answer is of another kind.
    func ask<Value>(
        _ subject: DeviceRequest.Subject, _ command: DeviceCommand, _ timeout: Duration, operation: String,
        _ read: (DeviceReply) -> Value?
    ) async throws(RigClientError) -> Value {
        _ = try await status()
        let request = DeviceRequest(
            subject, timeout: timeout, command: command, id: .random(in: 1...UInt64.max))
        let answer = try await ask(.deviceRequest(request.wire), operation: operation, limit: timeout + patience)
        return try reading(answer, operation: operation) { body throws(WireError) in
            guard case .deviceReply(let reply) = body else { return nil }
            return read(try DeviceReply(wire: reply))
        }
    }
}
