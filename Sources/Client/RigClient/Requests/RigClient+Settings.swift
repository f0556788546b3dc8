public import CaptureModel
internal import RigProtocol
internal import RigWire

extension RigClient {
    /// The longest time that a transaction takes: the latest T, and as long as a coordinator waits for nodes before and after it.
    private static var settingsLimit: Duration { .seconds(300) }

    /// Gives cameras settings at one instant.
    ///
    /// If the connection is replaced meanwhile, the request is repeated; the coordinator carries out each id once.
    /// - Returns: The outcome of every camera.
    public func apply(_ request: SettingsRequest) async throws(RigClientError) -> SettingsReport {
        _ = try await signOfLife()
        let answer = try await ask(.applySettings(request.wire), operation: "settings set", limit: Self.settingsLimit)
        return try reading(answer, operation: "settings set") { body throws(WireError) in
            guard case .settingsReport(let report) = body else { return nil }
            return try SettingsReport(wire: report)
        }
    }
}
