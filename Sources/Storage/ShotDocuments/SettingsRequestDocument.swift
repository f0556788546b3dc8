public import CaptureModel

/// A request for settings, and whose it is: `request` of a transaction in the coordinator's `settings.json`.
public struct SettingsRequestDocument: Codable, Sendable {
    /// In the order of the selection.
    public var cameras: [DeviceID]
    var isAuthenticated: Bool
    var principal: String
    var requireAll: Bool
    var selection: SelectionDocument
    /// In their text.
    var settings: String
    var time: RequestedTimeDocument

    /// - Parameter cameras: The selected cameras.
    public init(_ request: SettingsRequest, by principal: Principal, cameras: [DeviceID]) {
        self.cameras = cameras
        isAuthenticated = principal.isAuthenticated
        self.principal = principal.name
        requireAll = request.requireAll
        selection = SelectionDocument(request.selection)
        settings = request.settings.description
        time = RequestedTimeDocument(request.time)
    }

    /// Returns the request with this id.
    /// - Throws: If the settings, the principal or the cameras cannot be those of a request.
    public func value(id: SettingsID) throws -> (request: SettingsRequest, principal: Principal) {
        guard let principal = Principal(recorded: principal, isAuthenticated: isAuthenticated) else {
            throw Invalid(description: "its principal has no valid name")
        }
        guard Set(cameras).count == cameras.count else { throw Invalid(description: "it names a camera twice") }
        let request = SettingsRequest(
            id: id, selection: selection.value, settings: try CaptureSettings(parsing: settings), time: time.value,
            requireAll: requireAll)
        return (request, principal)
    }

    private struct Invalid: Error, CustomStringConvertible {
        var description: String
    }
}
