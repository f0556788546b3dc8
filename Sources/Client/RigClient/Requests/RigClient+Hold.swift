public import CaptureModel
internal import RigProtocol
internal import RigWire

/// The hold of the rig.
extension RigClient {
    /// Holds the rig, or goes on holding it.
    /// - Returns: The requester's hold, and its version, as ``RigStatus/holdVersion``.
    /// - Throws: `held`, with a sentence that names the holder, if somebody else holds the rig.
    public func hold(
        _ request: HoldRequest
    ) async throws(RigClientError) -> (status: HoldStatus, version: ContentDigest?) {
        let answer = try await ask(.takeHold(request.wire), operation: "hold")
        return try reading(answer, operation: "hold") { body throws(WireError) in
            guard case .hold(let state) = body else { return nil }
            let reader = FieldReader("HoldState")
            return (
                try HoldStatus(wire: try reader.present(state.hasHold ? state.hold : nil, "hold")),
                try reader.version(state.version, "version")
            )
        }
    }

    /// Ends the requester's hold of the rig. A repeat has no further effect.
    /// - Parameter overrides: The name of the holder whose hold an administrator ends; nil for the requester's own.
    /// - Throws: `held`, with a sentence that names the holder, if somebody else holds the rig.
    public func releaseHold(overriding overrides: String? = nil) async throws(RigClientError) {
        var request = WireReleaseHold()
        request.overrides = overrides ?? ""
        let answer = try await ask(.releaseHold(request), operation: "hold release")
        let _: Void = try reading(answer, operation: "hold release") { body throws(WireError) in
            guard case .hold = body else { return nil }
            return ()
        }
    }
}
