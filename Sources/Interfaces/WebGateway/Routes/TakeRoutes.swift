internal import CaptureModel
internal import Hummingbird
internal import RigClient
internal import RigDocuments

/// Takes: movies of all selected cameras from one instant to another.
struct TakeRoutes {
    let rig: GatewayRig

    private struct Mark: Decodable {
        var text: String
        /// 64 bits as decimal text; a mark with the same number is set once.
        var mark: String?
    }

    private struct Accepted: Encodable {
        var take: ShotID
    }

    func add(to group: RouterGroup<GatewayContext>) {
        group.post("takes") { request, context in try await start(request, context) }
        group.get("takes/:id") { _, context in
            let id = try ShotRoutes.shot(context)
            let located = try await rig.with(context.session) { try await $0.shot(id) }
            guard located.shot.request.settings.movie != nil else {
                throw GatewayProblem(.notFound, "unknownShot", "\(id) is a shot and no take")
            }
            return try Response.json(TakeReportDocument(located))
        }
        group.post("takes/:id/stop") { request, context in try await stop(request, context) }
        group.post("takes/:id/marks") { request, context in
            let (id, body) = (try ShotRoutes.shot(context), try await request.document(Mark.self))
            let number = try body.mark.map { text in
                guard let number = UInt64(decimal: text) else {
                    throw GatewayProblem.member(
                        "mark", "must be a whole number of 64 bits as decimal text, and is '\(text)'")
                }
                return number
            }
            let mark = MarkTakeRequest(take: id, mark: number ?? .random(in: 1...UInt64.max), text: body.text)
            return try Response.json(MarkDocument(try await rig.with(context.session) { try await $0.mark(mark) }))
        }
    }

    /// Begins a take, and answers when it is accepted, or when every camera records if the client waits for it.
    private func start(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let wait = try ShotRoutes.wait(request)
        let body = try await request.document(TakeBody.self)
        let take = TriggerRequest(shot: body.take ?? .fresh(at: rig.time), request: body.request)
        let run = try await ShotRoutes.known(take.shot) {
            try await TriggerRun.begin(context.session, rig) { $0.trigger(take) }
        }
        return try await answer(run, take.shot, wait, at: "/\(rig.path)/takes/\(take.shot)")
    }

    /// Ends a take, and answers when that is accepted, or when every movie has an outcome if the client waits for it.
    private func stop(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let (id, wait) = (try ShotRoutes.shot(context), try ShotRoutes.wait(request))
        let run = try await TriggerRun.begin(context.session, rig) { $0.stop(StopTakeRequest(take: id)) }
        return try await answer(run, id, wait, at: "/\(rig.path)/takes/\(id)")
    }

    private func answer(_ run: TriggerRun, _ take: ShotID, _ wait: Duration?, at place: String) async throws -> Response
    {
        if let wait, let answered = await run.answer(within: wait, rig.time) {
            return try Response.json(TakeReportDocument(answered))
        }
        return try Response.json(Accepted(take: take), status: .accepted, headers: [.location: place])
    }
}
