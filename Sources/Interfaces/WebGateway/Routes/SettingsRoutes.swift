internal import CaptureModel
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import RigClient
internal import RigDocuments

/// Settings of several cameras at one instant.
struct SettingsRoutes {
    let rig: GatewayRig

    func add(to group: RouterGroup<GatewayContext>) {
        group.post("settings") { request, context in
            let body = try await request.document(SettingsBody.self)
            let settings = try body.request(made: .fresh(at: rig.time))
            let report = try await rig.with(context.session) { try await $0.apply(settings) }
            return try Response.json(SettingsReportDocument(report))
        }
        group.post("settings/transactions/:settings/cancel") { _, context in
            let text = try context.parameter("settings")
            guard let id = SettingsID(text) else {
                throw GatewayProblem(.notFound, "notFound", "'\(text)' is not the id of a settings transaction")
            }
            let report = try await rig.with(context.session) { try await $0.cancelSettings(id) }
            return try Response.json(SettingsReportDocument(report))
        }
    }
}

/// The body of `POST /settings`. docs/api/README.md describes it.
struct SettingsBody: RequestDocument {
    static let members = [
        "": ["id", "selection", "settings", "cameras", "time", "requireAll"],
        "cameras": ["device", "settings"],
        "selection": TriggerBody.members["selection"] ?? [],
        "time": ["lead", "relative", "at"],
    ]

    var id: SettingsID?
    var selection: TriggerBody.Choice?
    /// In the grammar of docs/settings.md; may be absent if `cameras` names every selected camera.
    var settings: String?
    /// Further settings of single cameras.
    var cameras: [Camera]?
    var time: TriggerBody.Time?
    var requireAll: Bool?

    struct Camera: Decodable {
        var device: DeviceID
        var settings: String
    }

    /// - Parameter made: The id for a request without one.
    /// - Throws: ``GatewayProblem``.
    func request(made: SettingsID) throws -> SettingsRequest {
        var own: [DeviceID: CaptureSettings] = [:]
        for camera in cameras ?? [] {
            let settings = try Self.read(camera.settings, "the settings of \(camera.device)")
            guard own.updateValue(settings, forKey: camera.device) == nil else {
                throw GatewayProblem.badRequest("cameras names \(camera.device) twice")
            }
        }
        guard own.count <= SettingsProfile.cameraLimit else {
            throw GatewayProblem.badRequest("cameras has at most \(SettingsProfile.cameraLimit) elements")
        }
        guard settings != nil || !own.isEmpty else {
            throw GatewayProblem.badRequest("settings are absent; name some, such as exposure=8ms, or those of cameras")
        }
        return SettingsRequest(
            id: id ?? made, selection: try TriggerBody.Choice.read(selection),
            settings: try settings.map { try Self.read($0, "settings") } ?? CaptureSettings(), cameras: own,
            time: try TriggerBody.Time.read(time), requireAll: requireAll ?? false)
    }

    private static func read(_ text: String, _ what: String) throws -> CaptureSettings {
        let read: CaptureSettings
        do throws(SettingsTextError) {
            read = try CaptureSettings(parsing: text)
        } catch {
            throw GatewayProblem.badRequest("\(what): \(error)")
        }
        guard !read.entries.isEmpty else {
            throw GatewayProblem.badRequest("\(what): at least one entry is required, such as exposure=8ms")
        }
        return read
    }
}
