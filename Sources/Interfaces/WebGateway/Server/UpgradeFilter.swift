internal import NIOCore
internal import NIOHTTP1
internal import RigSecurity

/// Decides about the first request of a connection before swift-nio's upgrade sees it: that gives no answer to what it cannot parse, or to an
/// upgrade that it does not know or that is refused.
///
/// | first request | state | passed on |
/// |---|---|---|
/// | without `Upgrade`, or to another protocol | decided | as it is, without `Upgrade` |
/// | for a WebSocket | deciding: nothing further is read | – |
/// | … admitted | decided | as it is; the upgrade follows |
/// | … refused | decided | without `Upgrade`, so that its path answers with the reason |
/// | cannot be parsed | ended | answered with 400 or 431 |
///
/// Once decided, everything is passed on, whatever it is.
final class UpgradeFilter: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case waiting
        case deciding(HTTPRequestHead, further: [HTTPServerRequestPart], isReadWanted: Bool)
        case decided
    }

    /// The session of a WebSocket that was admitted.
    private(set) var session: SessionSecret?
    private var state = State.waiting
    private let admit: @Sendable (HTTPRequestHead) async -> SessionSecret?

    init(admit: @escaping @Sendable (HTTPRequestHead) async -> SessionSecret?) {
        self.admit = admit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .decided: context.fireChannelRead(data)
        case .deciding(let head, var further, let isReadWanted):
            further.append(Self.unwrapInboundIn(data))
            state = .deciding(head, further: further, isReadWanted: isReadWanted)
        case .waiting:
            guard case .head(let head) = Self.unwrapInboundIn(data) else { return context.fireChannelRead(data) }
            begin(head, context)
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard head.headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" }) else {
            state = .decided
            return context.fireChannelRead(Self.wrapInboundOut(.head(head.withoutUpgrade)))
        }
        state = .deciding(head, further: [], isReadWanted: false)
        let (promise, admit) = (context.eventLoop.makePromise(of: SessionSecret?.self), admit)
        promise.completeWithTask { await admit(head) }
        promise.futureResult.assumeIsolated().whenComplete { result in
            self.decide((try? result.get()) ?? nil, context)
        }
    }

    private func decide(_ admitted: SessionSecret?, _ context: ChannelHandlerContext) {
        guard case .deciding(let head, let further, let isReadWanted) = state else { return }
        (session, state) = (admitted, .decided)
        let parts = [.head(admitted == nil ? head.withoutUpgrade : head)] + further
        for part in parts { context.fireChannelRead(Self.wrapInboundOut(part)) }
        context.fireChannelReadComplete()
        if isReadWanted { context.read() }
    }

    func read(context: ChannelHandlerContext) {
        guard case .deciding(let head, let further, _) = state else { return context.read() }
        state = .deciding(head, further: further, isReadWanted: true)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .decided = state { return context.fireErrorCaught(error) }
        guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
        state = .decided
        let head = HTTPResponseHead(
            version: .http1_1, status: error == .headerOverflow ? .requestHeaderFieldsTooLarge : .badRequest,
            headers: ["Connection": "close", "Content-Length": "0"])
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }
}

extension HTTPRequestHead {
    /// The request as one that stays with HTTP.
    fileprivate var withoutUpgrade: HTTPRequestHead {
        var head = self
        head.headers.remove(name: "upgrade")
        return head
    }
}
