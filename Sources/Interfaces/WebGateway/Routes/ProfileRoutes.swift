internal import CaptureModel
internal import Hummingbird
internal import RigClient
internal import RigDocuments

/// Profiles of settings, undo, and past settings transactions.
struct ProfileRoutes {
    let rig: GatewayRig

    func add(to group: RouterGroup<GatewayContext>) {
        group.get("settings/held") { _, context in
            try Response.json(ProfileDocument(try await rig.with(context.session) { try await $0.heldSettings() }))
        }
        group.get("settings/history") { _, context in
            try Response.json(
                SettingsHistoryDocument(try await rig.with(context.session) { try await $0.settingsHistory() }))
        }
        group.post("settings/undo") { request, context in
            let body = try await request.document(UndoBody.self)
            return try await carryOut(body.transaction, try body.origin, context)
        }
        group.get("settings/profiles") { _, context in
            try Response.json(ProfileListDocument(try await rig.with(context.session) { try await $0.profiles() }))
        }
        group.get("settings/profiles/:profile") { request, context in
            let reference = ProfileReference(try Self.name(context), version: try Self.version(request))
            return try Response.json(
                ProfileDocument(try await rig.with(context.session) { try await $0.profile(reference) }))
        }
        group.post("settings/profiles/:profile") { request, context in
            let name = try Self.name(context)
            let body = try await request.document(SaveBody.self)
            let saved = try await rig.with(context.session) {
                try await $0.saveProfile(name, of: body.selection ?? Selection())
            }
            return try Response.json(SavedProfileDocument(saved))
        }
        group.delete("settings/profiles/:profile") { _, context in
            let name = try Self.name(context)
            _ = try await rig.with(context.session) { try await $0.removeProfile(name) }
            return Response(status: .noContent)
        }
        group.post("settings/profiles/:profile/load") { request, context in
            let name = try Self.name(context)
            let body = try await request.document(LoadBody.self)
            return try await carryOut(
                body.transaction, .profile(ProfileReference(name, version: try Self.version(body.version))), context)
        }
    }

    private func carryOut(
        _ body: TransactionBody, _ origin: SettingsOrigin, _ context: GatewayContext
    ) async throws -> Response {
        let settings = SettingsRequest(
            id: body.id ?? .fresh(at: rig.time), origin: origin, time: body.time ?? .soon(lead: nil),
            requireAll: body.requireAll ?? false)
        let report = try await rig.with(context.session) { try await $0.apply(settings) }
        return try Response.json(SettingsReportDocument(report))
    }

    private static func name(_ context: GatewayContext) throws -> ProfileName {
        let text = try context.parameter("profile")
        guard let name = ProfileName(text) else {
            throw GatewayProblem(
                .notFound, "unknownProfile", "'\(text)' is not the name of a profile: \(ProfileName.rule)")
        }
        return name
    }

    private static func version(_ request: Request) throws -> Int? {
        guard let text = request.parameter("version") else { return nil }
        guard let number = Int64(decimal: text).flatMap(Int.init(exactly:)) else {
            throw GatewayProblem.member("version", "must be a number from 1, and is '\(text)'")
        }
        return try version(number)
    }

    private static func version(_ number: Int?) throws -> Int? {
        guard let number else { return nil }
        guard (1...Int(Int32.max)).contains(number) else {
            throw GatewayProblem.member("version", "must be a number from 1, and is \(number)")
        }
        return number
    }
}

/// The body of `POST /settings/profiles/NAME`.
private struct SaveBody: Decodable, ValidatedDocument {
    /// All cameras if absent.
    var selection: Selection?

    func validate() throws(InvalidDocument) { try check(selection, "selection") }
}

/// What every body of a transaction has.
private struct TransactionBody {
    var id: SettingsID?
    var time: RequestedTime?
    var requireAll: Bool?
}

/// The body of `POST /settings/undo`.
private struct UndoBody: Decodable, ValidatedDocument {
    var id: SettingsID?
    var time: RequestedTime?
    var requireAll: Bool?
    /// The newest one that is not undone if absent.
    var undone: SettingsID?
    /// All of it if absent.
    var cameras: [DeviceID]?

    private enum CodingKeys: String, CodingKey {
        case id = "id"
        case time = "time"
        case requireAll = "requireAll"
        case undone = "transaction"
        case cameras = "cameras"
    }

    func validate() throws(InvalidDocument) { try check(time, "time") }

    var transaction: TransactionBody { TransactionBody(id: id, time: time, requireAll: requireAll) }

    var origin: SettingsOrigin {
        get throws {
            guard cameras.map({ (1...SettingsProfile.cameraLimit).contains($0.count) }) ?? true else {
                throw GatewayProblem.member("cameras", "must have 1 to \(SettingsProfile.cameraLimit) elements")
            }
            return .undo(UndoScope(undone, cameras: cameras ?? []))
        }
    }
}

/// The body of `POST /settings/profiles/NAME/load`.
private struct LoadBody: Decodable, ValidatedDocument {
    var id: SettingsID?
    var time: RequestedTime?
    var requireAll: Bool?
    var version: Int?

    func validate() throws(InvalidDocument) { try check(time, "time") }

    var transaction: TransactionBody { TransactionBody(id: id, time: time, requireAll: requireAll) }
}
