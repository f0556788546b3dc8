public import CaptureModel
internal import RigProtocol
internal import RigWire

extension RigClient {
    /// The longest time that a transaction takes: the latest T, and as long as a coordinator waits for nodes before and after it.
    private static var settingsLimit: Duration { .seconds(300) }

    /// Gives cameras settings at one instant.
    ///
    /// If the connection is replaced before the answer, the request is repeated; the coordinator carries out each id once.
    /// - Returns: The outcome of every camera.
    public func apply(_ request: SettingsRequest) async throws(RigClientError) -> SettingsReport {
        _ = try await signOfLife()
        return try await report(of: .applySettings(request.wire), "settings set")
    }

    /// Ends a settings transaction before its T; after T nothing is cancelled.
    /// - Returns: The outcome of every camera, when the transaction has ended.
    public func cancelSettings(_ id: SettingsID) async throws(RigClientError) -> SettingsReport {
        _ = try await signOfLife()
        var cancel = WireCancelSettings()
        cancel.settingsID = id.wire
        return try await report(of: .cancelSettings(cancel), "settings cancel")
    }

    private func report(
        of request: WireClientRequest.OneOf_Body, _ operation: String
    ) async throws(RigClientError) -> SettingsReport {
        let answer = try await ask(request, operation: operation, limit: Self.settingsLimit)
        return try reading(answer, operation: operation) { body throws(WireError) in
            guard case .settingsReport(let report) = body else { return nil }
            return try SettingsReport(wire: report)
        }
    }
}
