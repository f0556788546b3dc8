public import CaptureModel

/// A request for settings, and whose it is: `request` of a transaction in the coordinator's `settings.json`.
public struct SettingsRequestDocument: Codable, Sendable {
    /// In the order of the selection.
    public var cameras: [DeviceID]
    var isAuthenticated: Bool
    var principal: String
    var requireAll: Bool
    var selection: Selection
    /// In their text.
    var settings: String
    /// Of single cameras; absent if there are none.
    var settingsOfCameras: [CameraSettings]?
    /// `NAME` or `NAME@VERSION`; absent unless a profile was requested.
    var profile: String?
    /// true if an undo was requested; otherwise absent.
    var undo: Bool?
    /// The transaction that is to be undone; absent for the newest one.
    var undoTransaction: SettingsID?
    /// The only cameras of it that are undone; absent for all.
    var undoCameras: [DeviceID]?
    /// The run that it is part of; absent for none.
    var run: SettingsRunID?
    var time: RequestedTime

    /// - Parameter cameras: The selected cameras.
    public init(_ request: SettingsRequest, by principal: Principal, cameras: [DeviceID]) {
        self.cameras = cameras
        isAuthenticated = principal.isAuthenticated
        self.principal = principal.name
        requireAll = request.requireAll
        selection = request.selection
        settings = request.settings.description
        settingsOfCameras =
            request.cameras.isEmpty
            ? nil
            : request.cameras.sorted { $0.key < $1.key }.map {
                CameraSettings(device: $0.key, settings: $0.value.description)
            }
        switch request.origin {
        case .profile(let reference): profile = reference.description
        case .undo(let scope):
            undo = true
            undoTransaction = scope.transaction
            undoCameras = scope.cameras.isEmpty ? nil : scope.cameras
        case nil: break
        }
        run = request.run
        time = request.time
    }

    /// Returns the request with this id.
    /// - Throws: If the settings, the principal or the cameras cannot be those of a request.
    public func value(id: SettingsID) throws -> (request: SettingsRequest, principal: Principal) {
        guard let principal = Principal(recorded: principal, isAuthenticated: isAuthenticated) else {
            throw Self.damaged("its principal has no valid name")
        }
        guard Set(cameras).count == cameras.count else { throw Self.damaged("it names a camera twice") }
        let settingsOfCameras = try (settingsOfCameras ?? []).map {
            ($0.device, try CaptureSettings(parsing: $0.settings))
        }
        var request = SettingsRequest(
            id: id, selection: selection, settings: try CaptureSettings(parsing: settings),
            cameras: Dictionary(settingsOfCameras, uniquingKeysWith: { first, _ in first }), time: time,
            requireAll: requireAll, run: run)
        request.origin = try origin
        return (request, principal)
    }

    private var origin: SettingsOrigin? {
        get throws {
            if undo == true { return .undo(UndoScope(undoTransaction, cameras: undoCameras ?? [])) }
            guard let profile else { return nil }
            guard let reference = ProfileReference(profile) else {
                throw Self.damaged("'\(profile)' is not a profile")
            }
            return .profile(reference)
        }
    }

    struct CameraSettings: Codable, Sendable {
        var device: DeviceID
        /// In their text.
        var settings: String
    }

    private static func damaged(_ cause: String) -> DocumentError {
        DocumentError(.damaged, "read", "the request", cause)
    }
}
