internal import NIOCore

/// Notices that the client of a connection has gone while a request is answered.
///
/// A client that sends the end of its stream counts as gone, although it could still read: browsers and proxies do so when they give up, and nothing
/// else tells that they have.
final class ClientEnd: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private var isOver = false
    private var watchers: [Int: @Sendable () -> Void] = [:]
    private var lastWatcher = 0

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { end() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        isOver = true
        for watcher in watchers.values { watcher() }
        watchers = [:]
    }

    /// Does something that ends early if the client goes: its task is then cancelled.
    static func cancelling<Value: Sendable>(
        on channel: any Channel, _ body: @Sendable @escaping () async throws -> Value
    ) async throws -> Value {
        // Unstructured, since the connection ends it.
        let work = Task { try await body() }
        return try await withTaskCancellationHandler {
            let watcher = try? await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.handler(type: ClientEnd.self).add { work.cancel() }
            }.get()
            // A connection that has ended has no handlers.
            if watcher == nil { work.cancel() }
            defer { if let watcher { remove(watcher, from: channel) } }
            return try await work.value
        } onCancel: {
            work.cancel()
        }
    }

    private static func remove(_ watcher: Int, from channel: any Channel) {
        channel.eventLoop.execute {
            let handler = try? channel.pipeline.syncOperations.handler(type: ClientEnd.self)
            handler?.watchers[watcher] = nil
        }
    }

    private func add(_ watcher: @Sendable @escaping () -> Void) -> Int {
        lastWatcher += 1
        if isOver { watcher() } else { watchers[lastWatcher] = watcher }
        return lastWatcher
    }
}
