internal import CaptureModel
internal import Hummingbird
internal import RigClient
internal import RigDocuments

/// What waits in the spool of a node.
struct SpoolRoutes {
    let rig: GatewayRig

    private struct Discard: Decodable {
        struct Capture: Decodable {
            var shot: ShotID
            var device: DeviceID
        }

        var captures: [Capture]
        var damaged: Bool?
    }

    func add(to group: RouterGroup<GatewayContext>) {
        group.get("spool/:node") { request, context in
            let (node, isDamaged) = (try Self.node(context), try request.flag("damaged"))
            return try Response.json(
                SpoolDocument(
                    try await rig.with(context.session) { try await $0.spool(of: node, damaged: isDamaged) }))
        }
        group.post("spool/:node/discards") { request, context in
            let (node, body) = (try Self.node(context), try await request.document(Discard.self))
            guard !body.captures.isEmpty else {
                throw GatewayProblem.member("captures", "names the captures to discard, and is empty")
            }
            let captures = body.captures.map { CaptureKey(shot: $0.shot, device: $0.device) }
            let discarded = try await rig.with(context.session) { client in
                try await client.discard(captures, of: node, damaged: body.damaged ?? false)
            }
            return try Response.json(DiscardDocument(discarded))
        }
    }

    private static func node(_ context: GatewayContext) throws -> NodeName {
        let text = try context.parameter("node")
        do {
            return try NodeName(text)
        } catch {
            throw GatewayProblem(.notFound, "notFound", "'\(text)' is not a node: \(error)")
        }
    }
}
