internal import CaptureModel
internal import Hummingbird
internal import RigClient
internal import RigDocuments
internal import RigMatching
internal import RigSecurity

/// Matching and locking of cameras: runs that take many seconds.
struct MatchRoutes {
    let rig: GatewayRig

    private struct Accepted: Encodable {
        var run: String
    }

    func add(to group: RouterGroup<GatewayContext>) {
        group.post("settings/match") { request, context in
            let wait = try ShotRoutes.wait(request)
            let body = try await request.document(MatchBody.self)
            return try await answer(try await begin(body.id, try body.order, context), wait)
        }
        group.post("settings/lock") { request, context in
            let wait = try ShotRoutes.wait(request)
            let body = try await request.document(LockBody.self)
            return try await answer(try await begin(body.id, try body.order, context), wait)
        }
        group.get("settings/runs") { _, context in
            try await rig.check(context.session, has: .view)
            return try Response.json(MatchRunListDocument(rig.matches.all.map(\.document)))
        }
        group.get("settings/runs/:run") { request, context in
            let wait = try ShotRoutes.wait(request)
            try await rig.check(context.session, has: .view)
            let run = try run(context)
            if let wait { await run.wait(within: wait, rig.time) }
            return try Response.json(run.document)
        }
        group.post("settings/runs/:run/cancel") { request, context in
            let wait = try ShotRoutes.wait(request)
            _ = try await requester(context)
            let run = try run(context)
            run.cancel()
            if let wait { await run.wait(within: wait, rig.time) }
            return try Response.json(run.document)
        }
    }

    private func run(_ context: GatewayContext) throws -> MatchRun {
        let text = try context.parameter("run")
        guard let id = MatchRunID(text) else { throw MatchRuns.unknown(text) }
        return try rig.matches.run(id)
    }

    /// Begins a run, or finds the one that a request repeats.
    private func begin(_ id: MatchRunID?, _ order: MatchOrder, _ context: GatewayContext) async throws -> MatchRun {
        let id = id ?? .fresh(at: rig.time)
        let principal = try await requester(context)
        if let run = try rig.matches.repeated(id, order) { return run }
        let (cameras, devices) = try await cameras(order)
        let request = order.request
        // The task of the run inherits the session, in whose name it sets cameras.
        return try await rig.with(context.session) { client in
            let runner = MatchRunner(
                request,
                on: ConnectedMatchingRig(client: client, devices: devices, run: SettingsRunID(id.uuid)),
                width: MatchRuns.width, clock: rig.time)
            return try rig.matches.begin(
                id, order, cameras: Set(cameras + [request.reference].compactMap(\.self)), by: principal
            ) { changed in await runner.run(cameras, changed: changed) }
        }
    }

    /// Who asks, if they may set cameras, and nobody else holds the rig.
    ///
    /// The coordinator decides about each transaction. This is for what nothing comes of, so that it does not begin.
    private func requester(_ context: GatewayContext) async throws -> String {
        let identity = try await rig.with(context.session) { try await $0.identity() }
        try GatewayRig.check(identity, has: .configure)
        // In the gateway's own name: whoever may configure need not be allowed to view.
        if let status = try await rig.client.status().hold, status.hold.holder.name != identity.principal {
            let (name, end) = (
                status.hold.holder.name, RFC3339.text(realtimeNanoseconds: status.endsRealtimeNanoseconds)
            )
            throw GatewayProblem(
                .locked, RigProblem.Code.held.rawValue,
                "\(name) holds the rig until \(end); wait, ask \(name) to release it, or let an administrator override it"
            )
        }
        guard RigClient.condition == nil else {
            throw GatewayProblem(
                .preconditionFailed, "preconditionFailed", "a run has no entity tag, so that no If-Match is fulfilled")
        }
        return identity.principal
    }

    /// The selected cameras, and all devices of the rig.
    private func cameras(_ order: MatchOrder) async throws -> (cameras: [DeviceID], devices: [DeviceStatus]) {
        let devices = try await rig.client.devices()
        let chosen: [DeviceID]
        do throws(EmptySelection) {
            chosen = try order.selection.evaluate(
                devices.map { SelectionCandidate(device: $0.device, condition: $0.condition) }
            ).map(\.id)
        } catch {
            throw GatewayProblem(.unprocessableContent, "emptySelection", "\(error)")
        }
        guard case .reference(let reference, let card) = order.request.goal else { return (chosen, devices) }
        guard devices.contains(where: { $0.device.id == reference && $0.device.mediaType == .video }) else {
            throw GatewayProblem(.notFound, "unknownDevice", "the rig has no camera '\(reference)'")
        }
        guard card != nil || chosen != [reference] else {
            throw GatewayProblem(
                .unprocessableContent, "emptySelection",
                "the selection has only the reference; select the cameras that are to look like it")
        }
        return (chosen, devices)
    }

    private func answer(_ run: MatchRun, _ wait: Duration?) async throws -> Response {
        if let wait {
            await run.wait(within: wait, rig.time)
            let document = run.document
            if document.hasEnded { return try Response.json(document) }
        }
        return try Response.json(
            Accepted(run: "\(run.id)"), status: .accepted,
            headers: [.location: "/\(rig.path)/settings/runs/\(run.id)"])
    }
}
