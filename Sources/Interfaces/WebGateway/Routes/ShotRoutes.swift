internal import CaptureModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import RigClient
internal import RigDocuments
internal import ShotDocuments

/// Shots and takes: triggered, listed, shown.
struct ShotRoutes {
    /// The longest wait for a result, in seconds.
    static let waits = 0...60

    let rig: GatewayRig

    private struct Annotation: Decodable {
        var title: String?
        var note: String?
        var reject: [DeviceID]?
        var accept: [DeviceID]?
    }

    private struct Accepted: Encodable {
        var shot: ShotID
    }

    func add(to group: RouterGroup<GatewayContext>) {
        group.post("shots") { request, context in try await trigger(request, context) }
        group.get("shots") { request, context in
            let (query, limit, cursor) = try ShotListAnswer.read(request)
            let list = try await rig.with(context.session) { try await $0.shots(query, limit: limit, before: cursor) }
            return try Response.json(
                ShotListAnswer(list, isOfTakes: query.isOfTakes, isFull: list.shots.count == limit))
        }
        group.get("shots/:id") { request, context in
            let id = try Self.shot(context)
            let shot = try await rig.with(context.session) { try await $0.shot(id) }
            return try Response.json(ShotReportDocument(shot), version: shot.version, to: request)
        }
        group.get("shots/:id/manifest") { request, context in
            let id = try Self.shot(context)
            let manifest = try await rig.with(context.session) { try await $0.manifest(id) }
            let headers: HTTPFields = [
                .contentType: "application/json", .eTag: "\"\(manifest.digest)\"", .cacheControl: "no-cache",
            ]
            if request.has(headers[.eTag]) {
                return Response(status: .notModified, headers: headers)
            }
            return Response(
                status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: manifest.bytes)))
        }
        group.patch("shots/:id") { request, context in
            let (id, body) = (try Self.shot(context), try await request.document(Annotation.self))
            let edit = ShotAnnotationEdit(
                title: body.title, note: body.note, reject: body.reject ?? [],
                accept: body.accept ?? [])
            let (annotation, version) = try await rig.with(context.session) { try await $0.edit(id, edit) }
            return try Response.json(AnnotationDocument(id, annotation), version: version, to: request)
        }
        group.delete("shots/:id") { request, context in
            let wish = ShotDeletionRequest(shot: try Self.shot(context), evenOnlyCopy: try request.flag("onlyCopy"))
            let deletion = try await rig.with(context.session) { try await Self.delete(wish, $0) }
            return try Response.json(DeletedShotDocument(deletion))
        }
        group.post("shots/:id/verification") { _, context in
            let id = try Self.shot(context)
            return try Response.json(
                VerificationDocument(
                    [try await rig.with(context.session) { try await $0.verify(id) }], damaged: [], moreDamaged: 0,
                    unclaimed: nil))
        }
    }

    /// - Throws: ``GatewayProblem`` with the files that would be lost, if no other copy of the shot is known; `RigClientError`.
    private static func delete(_ wish: ShotDeletionRequest, _ client: RigClient) async throws -> ShotDeletion {
        do throws(RigClientError) {
            return try await client.delete(wish)
        } catch {
            guard error.code == .refused(RigProblem.Code.onlyCopy.rawValue) else { throw error }
            var problem = GatewayProblem(error)
            problem.wouldDelete = (try? await client.shot(wish.shot)).map { StoredFileDocument.all(of: $0.shot) }
            throw problem
        }
    }

    static func shot(_ context: GatewayContext) throws -> ShotID {
        let text = try context.parameter("id")
        guard let id = ShotID(text) else {
            throw GatewayProblem(.notFound, "unknownShot", "'\(text)' is not the id of a shot")
        }
        return id
    }

    /// How long the client waits for a result; nil if it does not.
    static func wait(_ request: Request) throws -> Duration? {
        guard let text = request.parameter("wait") else { return nil }
        guard let seconds = Int(decimal: text), waits.contains(seconds) else {
            throw GatewayProblem.badRequest("wait is 0 to 60 seconds")
        }
        return seconds == 0 ? nil : .seconds(seconds)
    }

    /// What the client waits for.
    static func until(_ request: Request) throws -> TriggerWait {
        guard let text = request.parameter("until") else { return .all }
        guard let wait = TriggerWait(rawValue: text) else { throw GatewayProblem.badRequest("until is stills or all") }
        return wait
    }

    /// Says of a request that got no answer which shot it is: repeated with this id, it fires once.
    static func known<Value>(_ shot: ShotID, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as RigClientError where [.noCoordinator, .lostCoordinator].contains(error.code) {
            throw GatewayProblem(
                .gatewayTimeout, "unknownFate", "it is not known whether \(shot) is under way: \(error)")
        }
    }

    /// Triggers, and answers when the shot is accepted, or with its result if the client waits for it.
    private func trigger(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let (wait, until) = (try Self.wait(request), try Self.until(request))
        let body = try await request.document(TriggerBody.self)
        let trigger = TriggerRequest(shot: body.shot ?? .fresh(at: rig.time), request: body.request)
        let run = try await Self.known(trigger.shot) {
            try await TriggerRun.begin(context.session, rig, until: until) { $0.trigger(trigger) }
        }
        if let wait, let answered = await run.answer(within: wait, rig.time) {
            return try Response.json(ShotReportDocument(answered))
        }
        return try Response.json(
            Accepted(shot: trigger.shot), status: .accepted,
            headers: [.location: "/\(rig.path)/shots/\(trigger.shot)"])
    }
}

/// `GET /shots`: its parameters and its document.
struct ShotListAnswer: Encodable {
    static let limits = 1...1000

    private let list: ShotList
    private let isOfTakes: Bool
    /// The cursor of the next page; nil at the end of the list.
    private let next: String?

    init(_ list: ShotList, isOfTakes: Bool, isFull: Bool) {
        self.list = list
        self.isOfTakes = isOfTakes
        next = isFull ? list.shots.last.map { ListCursor(after: $0.id).text } : nil
    }

    private enum Key: String, CodingKey {
        case next
    }

    func encode(to encoder: any Encoder) throws {
        if isOfTakes {
            try TakeListDocument(list).encode(to: encoder)
        } else {
            try ShotListDocument(list).encode(to: encoder)
        }
        var members = encoder.container(keyedBy: Key.self)
        try members.encodeIfPresent(next, forKey: .next)
    }

    /// - Throws: ``GatewayProblem``.
    static func read(_ request: Request) throws -> (ShotQuery, limit: Int, before: ShotID?) {
        func refused(_ name: String, _ text: String) -> GatewayProblem {
            .badRequest("\(name) cannot be '\(text)'; docs/api/README.md lists what it can be")
        }
        func instant(_ name: String) throws -> Int64? {
            try request.parameter(name).map { text in
                guard let instant = RFC3339.realtimeNanoseconds(text) else { throw refused(name, text) }
                return instant
            }
        }
        func words<Word: RawRepresentable & Hashable>(_ name: String) throws -> Set<Word>
        where Word.RawValue == String {
            Set(
                try request.parameters(name).map { text in
                    guard let word = Word(rawValue: text) else { throw refused(name, text) }
                    return word
                })
        }
        let limit = try request.parameter("limit").map { text in
            guard let limit = Int(decimal: text), limits.contains(limit) else { throw refused("limit", text) }
            return limit
        }
        let cursor = try request.parameter("cursor").map { text in
            guard let cursor = ListCursor(text) else {
                throw GatewayProblem.badRequest("cursor cannot be '\(text)'; it is the 'next' of an answer")
            }
            return cursor.shot
        }
        var query = ShotQuery()
        (query.since, query.until) = (try instant("since"), try instant("until"))
        query.devices = try request.parameters("device").map { text in
            guard let pattern = DevicePattern(text) else { throw refused("device", text) }
            return pattern
        }
        query.labels = request.parameters("label")
        (query.outcomes, query.statuses) = (try words("outcome"), try words("status"))
        (query.title, query.text) = (request.parameter("title"), request.parameter("text"))
        (query.isOfTakes, query.isRejected) = (try request.flag("takes"), try request.flag("rejected"))
        return (query, limit ?? 50, cursor)
    }
}
