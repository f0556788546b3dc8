internal import CaptureModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import RigClient
internal import RigDocuments
internal import RigSecurity
internal import ServiceLifecycle

/// The feed as server-sent events (HTML standard, section 9.2).
struct EventRoutes {
    /// How often a comment is sent, so that proxies and the gateway itself do not take a quiet stream for a dead one.
    private static let beat = Duration.seconds(10)

    let rig: GatewayRig

    func add(to group: RouterGroup<GatewayContext>) {
        group.get("events") { request, context in
            try await rig.check(context.session, has: .view)
            let start = try Self.start(request.headers[Self.lastEventID])
            let (watch, rig) = (StreamWatch(rig, context, needing: .view), rig)
            return Response(
                status: .ok, headers: [.contentType: "text/event-stream"],
                body: ResponseBody { writer in
                    let watching = watch.begin()
                    defer { watching.cancel() }
                    for await text in Self.lines(start, rig).cancelOnGracefulShutdown() {
                        watch.willWrite()
                        try await writer.write(ByteBuffer(string: text))
                        watch.didWrite()
                    }
                    try await writer.finish(nil)
                })
        }
    }

    private static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .eTag

    /// - Throws: ``GatewayProblem``.
    private static func start(_ id: String?) throws -> RigEvents.Start {
        guard let id, !id.isEmpty else { return .now }
        let parts = id.split(separator: ":")
        guard parts.count == 2, let epoch = UInt64(parts[0], radix: 16).flatMap(Epoch.init(rawValue:)),
            let sequence = UInt64(parts[1])
        else {
            throw GatewayProblem.badRequest("Last-Event-ID is EPOCH:SEQUENCE, as events have it")
        }
        return .after(sequence, of: epoch)
    }

    /// The text of the stream: events, and comments in between.
    private static func lines(_ start: RigEvents.Start, _ rig: GatewayRig) -> AsyncStream<String> {
        let (lines, line) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(4096))
        // Unstructured, since a stream has no task; it ends with the stream.
        let task = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        for try await item in rig.client.events(from: start) {
                            // A reader that is this far behind comes back with the last id that it has.
                            if case .dropped = line.yield(Self.text(item)) { return }
                        }
                    } catch {
                        line.yield(": \("\(error)".split(separator: "\n").joined(separator: " "))\n\n")
                    }
                }
                group.addTask {
                    while (try? await rig.time.sleep(for: Self.beat)) != nil { line.yield(": \n\n") }
                }
                await group.next()
                group.cancelAll()
            }
            line.finish()
        }
        line.onTermination = { _ in task.cancel() }
        return lines
    }

    private static func text(_ item: RigFeedItem) -> String {
        switch item {
        case .event(let event):
            let document = (try? JSONText.line(EventDocument(event))) ?? "{}\n"
            return
                "id: \(event.coordinatorEpoch):\(event.sequence)\nevent: \(event.source.event.name.rawValue)\ndata: \(document)\n"
        case .skipped(let count?): return "event: gap\ndata: {\"count\":\"\(count)\"}\n\n"
        case .skipped(nil): return "event: gap\ndata: {}\n\n"
        case .restarted(let epoch): return ": the coordinator has restarted, epoch \(epoch)\n\n"
        case .silent: return ": the coordinator is silent\n\n"
        }
    }
}
