internal import CaptureModel
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
struct SettingsBody: Decodable, ValidatedDocument {
    var id: SettingsID?
    var selection: Selection
    /// In the grammar of docs/settings.md; may be absent if `cameras` names every selected camera.
    var settings: String?
    /// Further settings of single cameras.
    var cameras: [Camera]?
    var time: RequestedTime?
    var requireAll: Bool?

    struct Camera: Decodable {
        var device: DeviceID
        var settings: String
    }

    func validate() throws(InvalidDocument) {
        try check(selection, "selection")
        try check(time, "time")
    }

    /// - Parameter made: The id for a request without one.
    /// - Throws: ``GatewayProblem``.
    func request(made: SettingsID) throws -> SettingsRequest {
        var own: [DeviceID: CaptureSettings] = [:]
        for (index, camera) in (cameras ?? []).enumerated() {
            let settings = try Self.read(camera.settings, "cameras[\(index)].settings")
            guard own.updateValue(settings, forKey: camera.device) == nil else {
                throw GatewayProblem.member("cameras[\(index)].device", "\(camera.device) is named twice")
            }
        }
        guard own.count <= SettingsProfile.cameraLimit else {
            throw GatewayProblem.member("cameras", "must have at most \(SettingsProfile.cameraLimit) elements")
        }
        guard settings != nil || !own.isEmpty else {
            throw GatewayProblem.member(
                "settings", "these are absent; name some, such as exposure=8ms, or those of cameras")
        }
        return SettingsRequest(
            id: id ?? made, selection: selection,
            settings: try settings.map { try Self.read($0, "settings") } ?? CaptureSettings(), cameras: own,
            time: time ?? .soon(lead: nil), requireAll: requireAll ?? false)
    }

    private static func read(_ text: String, _ path: String) throws -> CaptureSettings {
        let read: CaptureSettings
        do throws(SettingsTextError) {
            read = try CaptureSettings(parsing: text)
        } catch {
            throw GatewayProblem.member(path, "\(error)")
        }
        guard !read.entries.isEmpty else {
            throw GatewayProblem.member(path, "at least one entry is required, such as exposure=8ms")
        }
        return read
    }
}
