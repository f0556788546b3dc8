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
    }
}

/// The body of `POST /settings`. docs/api/README.md describes it.
struct SettingsBody: RequestDocument {
    static let members = [
        "": ["id", "selection", "settings", "time", "requireAll"],
        "selection": TriggerBody.members["selection"] ?? [],
        "time": ["lead", "relative", "at"],
    ]

    var id: SettingsID?
    var selection: TriggerBody.Choice?
    /// In the grammar of docs/settings.md.
    var settings: String
    var time: TriggerBody.Time?
    var requireAll: Bool?

    /// - Parameter made: The id for a request without one.
    /// - Throws: ``GatewayProblem``.
    func request(made: SettingsID) throws -> SettingsRequest {
        let read: CaptureSettings
        do throws(SettingsTextError) {
            read = try CaptureSettings(parsing: settings)
        } catch {
            throw GatewayProblem.badRequest("settings: \(error)")
        }
        guard !read.entries.isEmpty else {
            throw GatewayProblem.badRequest("settings has at least one entry, such as exposure=8ms")
        }
        return SettingsRequest(
            id: id ?? made, selection: try TriggerBody.Choice.read(selection), settings: read,
            time: try TriggerBody.Time.read(time), requireAll: requireAll ?? false)
    }
}
