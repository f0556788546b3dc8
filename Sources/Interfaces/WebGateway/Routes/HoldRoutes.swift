internal import CaptureModel
internal import Hummingbird
internal import RigClient
internal import RigDocuments

/// The hold of the rig.
struct HoldRoutes {
    let rig: GatewayRig

    private struct Body: Decodable {
        /// Nanoseconds, as decimal text.
        var duration: String?
        var note: String?
        var overrides: String?

        static let usualDuration = Duration.seconds(600)

        var request: HoldRequest {
            get throws {
                let allowed = RigHold.durations
                guard let nanoseconds = duration.map(Self.number) ?? Self.usualDuration.nanoseconds,
                    allowed.contains(.nanoseconds(nanoseconds))
                else {
                    throw GatewayProblem.member(
                        "duration",
                        "must be \(allowed.lowerBound.nanoseconds) to \(allowed.upperBound.nanoseconds), as decimal text"
                    )
                }
                guard RigHold.isValid(note: note ?? "") else {
                    throw GatewayProblem.member("note", "must be one line of at most \(RigHold.longestNote) bytes")
                }
                return HoldRequest(
                    duration: .nanoseconds(nanoseconds), note: note, overrides: try HoldRoutes.overridden(overrides))
            }
        }

        private static func number(_ text: String) -> Int64? { Int64(decimal: text) }
    }

    func add(to group: RouterGroup<GatewayContext>) {
        group.get("hold") { request, context in
            let status = try await rig.with(context.session) { try await $0.status() }
            return try Response.json(HoldStateDocument(status.hold), version: status.holdVersion, to: request)
        }
        group.put("hold") { request, context in
            let hold = try await request.document(Body.self).request
            let (status, version) = try await rig.with(context.session) { try await $0.hold(hold) }
            return try Response.json(HoldStateDocument(status), version: version, to: request)
        }
        group.delete("hold") { request, context in
            let overrides = try Self.overridden(request.parameter("overrides"))
            try await rig.with(context.session) { try await $0.releaseHold(overriding: overrides) }
            return Response(status: .noContent)
        }
    }

    /// The name of the holder whose hold is to be ended; nil to end nobody's.
    private static func overridden(_ name: String?) throws -> String? {
        guard let name else { return nil }
        guard Principal(recorded: name, isAuthenticated: false) != nil else {
            throw GatewayProblem.member("overrides", "must be the name of whoever holds the rig")
        }
        return name
    }
}
