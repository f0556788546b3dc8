public import CaptureModel
internal import RigProtocol
internal import RigWire

extension RigClient {
    /// Starts a device's session; returns when its hardware runs or has failed.
    /// - Parameter timeout: How long to wait for the node.
    public func startSession(
        of device: DeviceID, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> SessionResult {
        try await session(.startSession, of: device, timeout, "session start")
    }

    /// Stops a device's session. When this returns, other programs can use the device. It stays stopped until it is
    /// started.
    /// - Parameter force: Whether to end a recording, which ``SessionResult/changes`` reports. Without it, a device
    ///   that records is not stopped.
    public func stopSession(
        of device: DeviceID, force: Bool = false, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> SessionResult {
        try await session(.stopSession(force: force), of: device, timeout, "session stop")
    }

    /// Tries a session that has failed, or waits for its next attempt, again at once.
    public func resumeSession(
        of device: DeviceID, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> SessionResult {
        try await session(.resumeSession, of: device, timeout, "resume")
    }

    /// Replaces the device of a session by another one of the same node. If that fails, the old device is restored.
    public func switchInput(
        of device: DeviceID, to replacement: DeviceName, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> SessionResult {
        try await session(.switchInput(to: replacement), of: device, timeout, "session switch")
    }

    /// Returns why ``switchInput(of:to:timeout:)`` would be refused at present; nil if nothing objects. Changes nothing.
    ///
    /// Whether another program uses the replacement shows only when it is opened.
    public func objection(
        toSwitching device: DeviceID, to replacement: DeviceName, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> SwitchObjection? {
        try await ask(device, .canSwitchInput(to: replacement), timeout, operation: "session switch --check") {
            reply -> SwitchObjection?? in
            guard case .canSwitchInput(let objection) = reply else { return nil }
            return .some(objection)
        }
    }

    /// Changes how a device's pictures are shown, from the next live frame and the next armed capture on.
    /// - Parameters:
    ///   - orientation: Clockwise turn that makes the picture stand upright; nil: unchanged.
    ///   - isMirrored: Whether left and right are exchanged after that turn; nil: unchanged.
    public func setConnection(
        of device: DeviceID, orientation: Orientation?, isMirrored: Bool?,
        timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> SessionResult {
        try await session(
            .setConnection(orientation: orientation, isMirrored: isMirrored), of: device, timeout, "session turn")
    }

    /// Aligns the exposures of a device with the rig's time and keeps them aligned until its agent ends; or lets them run free. Returns when the
    /// device is aligned, cannot be or does not stream; at the latest after 8 s and the time for restarts.
    /// ``SessionCondition/alignment`` of the result says which.
    /// - Parameters:
    ///   - request: nil: the exposures run free.
    ///   - timeout: How long to wait for the node, besides the time for restarts; up to ten minutes with it.
    public func align(
        _ device: DeviceID, _ request: AlignmentRequest?, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> SessionResult {
        let whole = min(timeout + (request?.restartBudget ?? .zero), .seconds(600))
        return try await session(.align(request), of: device, whole, "sync align")
    }

    private func session(
        _ command: DeviceCommand, of device: DeviceID, _ timeout: Duration, _ operation: String
    ) async throws(RigClientError) -> SessionResult {
        try await ask(device, command, timeout, operation: operation) { reply in
            if case .session(let session) = reply { session } else { nil }
        }
    }

    /// Sends a request for one device to its node, and waits for the answer.
    func ask<Value>(
        _ device: DeviceID, _ command: DeviceCommand, _ timeout: Duration, operation: String,
        _ read: (DeviceReply) -> Value?
    ) async throws(RigClientError) -> Value {
        try await ask(.device(device), command, timeout, operation: operation, read)
    }

    /// Sends a request to a node, or for one of its devices, and waits for the answer.
    ///
    /// Hardware may take long, so this first requests a sign of life from the coordinator. Then it waits for as long as
    /// the coordinator does, plus the client's patience.
    /// - Parameter read: Returns nil for an answer of another kind.
    func ask<Value>(
        _ subject: DeviceRequest.Subject, _ command: DeviceCommand, _ timeout: Duration, operation: String,
        _ read: (DeviceReply) -> Value?
    ) async throws(RigClientError) -> Value {
        _ = try await signOfLife()
        let request = DeviceRequest(
            subject, timeout: timeout, command: command, id: .random(in: 1...UInt64.max))
        let answer = try await ask(.deviceRequest(request.wire), operation: operation, limit: timeout + patience)
        return try reading(answer, operation: operation) { body throws(WireError) in
            guard case .deviceReply(let reply) = body else { return nil }
            return read(try DeviceReply(wire: reply))
        }
    }
}

extension RigClient {
    /// Returns the description of a device. Its node asks the hardware again, even while it streams.
    /// - Parameter timeout: How long to wait for the node.
    public func describe(
        _ device: DeviceID, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> DeviceDetails {
        try await ask(device, .describe, timeout, operation: "describe") { reply in
            if case .details(let details) = reply { details } else { nil }
        }
    }

    /// Measures a part of the pictures of a streaming device. Returns when the frames have arrived.
    public func measure(
        _ device: DeviceID, _ request: MeasureRequest, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> PictureMeasurement {
        try await ask(device, .measure(request), timeout, operation: "measure") { reply in
            if case .measured(let measurement) = reply { measurement } else { nil }
        }
    }

    /// Has the node of a streaming camera keep how late its controls act, for all its cameras of this model in this format.
    /// - Returns: The file at the node's machine.
    public func keepDelays(
        of device: DeviceID, _ delays: [ControlDelay], timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> String {
        try await ask(device, .keepDelays(delays), timeout, operation: "keep delays") { reply in
            if case .delaysKept(let file) = reply { file } else { nil }
        }
    }

    /// Has a node open a camera again with this correction of its stamps, and keep it.
    /// - Returns: The camera's condition, with where the correction is kept.
    public func keepStamps(
        of device: DeviceID, _ correction: StampCorrection, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> SessionResult {
        try await ask(device, .keepStamps(correction), timeout, operation: "keep stamps") { reply in
            if case .session(let result) = reply { result } else { nil }
        }
    }

    /// Sets controls of a streaming device by name, all or none.
    /// - Returns: The values that were read back. A control that cannot be read, such as a button, is omitted.
    public func setControls(
        of device: DeviceID, _ values: [String: Int64], timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> [String: Int64] {
        try await ask(device, .setControls(values), timeout, operation: "set controls") { reply in
            if case .controls(let values) = reply { values } else { nil }
        }
    }
}

extension RigClient {
    /// Returns all captures in a node's spool, oldest shot first.
    /// - Parameters:
    ///   - isDamaged: Whether to list the captures that were moved aside, instead of those that wait.
    ///   - timeout: How long to wait for the node, for each part of the answer.
    public func spool(
        of node: NodeName, damaged isDamaged: Bool, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> [SpooledCapture] {
        var captures: [SpooledCapture] = []
        while true {
            let command = DeviceCommand.listSpool(after: captures.last?.key, isDamaged: isDamaged)
            let page: SpoolListing = try await ask(.node(node), command, timeout, operation: "spool list") { reply in
                if case .spool(let listing) = reply { listing } else { nil }
            }
            // A node that repeats a page would be asked forever.
            if let last = captures.last, let first = page.captures.first, first.key <= last.key { return captures }
            captures += page.captures
            guard page.hasMore, !page.captures.isEmpty else { return captures }
        }
    }

    /// Permanently removes captures from a node's spool. Missing captures are ignored.
    /// - Parameter isDamaged: Whether to remove from the captures that were moved aside, instead of those that wait.
    /// - Returns: The captures that existed and were removed.
    public func discard(
        _ captures: [CaptureKey], of node: NodeName, damaged isDamaged: Bool,
        timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> [SpooledCapture] {
        var discarded: [SpooledCapture] = []
        var rest = captures[...]
        while !rest.isEmpty {
            let command = DeviceCommand.discardCaptures(
                Array(rest.prefix(WireLimits.inventoryPage)), isDamaged: isDamaged)
            rest = rest.dropFirst(WireLimits.inventoryPage)
            let gone: [SpooledCapture] = try await ask(.node(node), command, timeout, operation: "spool discard") {
                reply in
                if case .discarded(let captures) = reply { captures } else { nil }
            }
            discarded += gone
        }
        return discarded
    }
}

extension RigClient {
    /// Ends a take's recordings at one instant, and reports how their movies arrive in the library, as ``trigger(_:)``
    /// does. Ending the stream early ends only the reports.
    public nonisolated func stop(_ request: StopTakeRequest) -> AsyncThrowingStream<TriggerUpdate, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            // Unstructured, since a stream has no task; it ends with the stream.
            let task = Task {
                do {
                    try await self.run(.stop(request)) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Sets a mark in a take that records; returns when it is durable.
    public func mark(_ request: MarkTakeRequest) async throws(RigClientError) -> SetMark {
        let answer = try await ask(.markTake(request.wire), operation: "record mark")
        return try reading(answer, operation: "record mark") { body throws(WireError) in
            guard case .takeMark(let mark) = body else { return nil }
            return try SetMark(wire: mark)
        }
    }
}
