internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1
internal import NIOWebSocket
internal import RigSecurity

/// A connection of a browser or script: HTTP/1.1, or a WebSocket on the same port.
///
/// Hummingbird handles HTTP, and swift-nio-ssl TLS. The upgrade is swift-nio's, which Hummingbird's own channels lack.
struct UpgradingChannel: ServerChildChannel, HTTPChannelHandler {
    typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
    typealias Parts = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    /// What a connection turned out to be with its first request.
    enum Negotiated: Sendable {
        case http(Parts)
        case webSocket(Frames, SessionSecret)
    }

    struct Value: ServerChildChannelValue {
        let negotiated: EventLoopFuture<Negotiated>
        let channel: any Channel
    }

    /// The longest message of a page. Its longest request watches a camera.
    static let longestMessage = 16 * 1024
    /// A connection ends on which a WebSocket sends and receives nothing for so long.
    static let idleSeconds: Int64 = 60

    let responder: HTTPChannelHandler.Responder
    let transport: GatewayTransport
    /// nil for plain HTTP.
    let certificate: CertificateKeeper?
    let connections: OpenConnections
    /// Where a plain request with this `Host` should have gone.
    let secureOrigin: @Sendable (_ host: String?) -> String
    /// Returns the session of a request for a WebSocket, once it is verified; nil for any other request.
    let admit: @Sendable (HTTPRequestHead) async -> SessionSecret?
    let serve: @Sendable (Frames, SessionSecret) async -> Void

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            guard transport.admits(channel.remoteAddress) else { throw ChannelError.inappropriateOperationForState }
            let number = connections.opened(channel, by: transport.source(of: channel.remoteAddress))
            channel.closeFuture.whenComplete { _ in connections.ended(number) }
            let watch = ConnectionWatch(number, in: connections, at: channel.eventLoop.now)
            try channel.pipeline.syncOperations.addHandler(ArrivalWatch(watch))
            if let certificate {
                try channel.pipeline.syncOperations.addHandler(PlainRequestGuide(origin: secureOrigin))
                try certificate.identity.secure(channel)
            }
            var configuration = NIOUpgradableHTTPServerPipelineConfiguration(
                upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                    upgraders: [upgrader], notUpgradingCompletionHandler: Self.http(logger)))
            configuration.enablePipelining = false
            configuration.enableErrorHandling = false
            configuration.decoderConfiguration.maxHeaderListSize = 32 * 1024
            configuration.decoderConfiguration.maxHeaderFieldCount = 100
            let operations = channel.pipeline.syncOperations
            let negotiated = try operations.configureUpgradableHTTPServerPipeline(configuration: configuration)
            let upgrade = try operations.handler(type: NIOTypedHTTPServerUpgradeHandler<Negotiated>.self)
            try operations.addHandlers(
                [watch, RequestTargetFilter { watch.isOtherProtocol }, UpgradeFilter(admit: admit)],
                position: .before(upgrade))
            return Value(negotiated: negotiated, channel: channel)
        }
    }

    private var upgrader: NIOTypedWebSocketServerUpgrader<Negotiated> {
        NIOTypedWebSocketServerUpgrader(
            maxFrameSize: Self.longestMessage,
            // The filter before it hands on no request that is not admitted.
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    let filter = try channel.pipeline.syncOperations.handler(type: UpgradeFilter.self)
                    guard let session = filter.session else { throw ChannelError.inappropriateOperationForState }
                    try channel.pipeline.syncOperations.addHandlers([
                        IdleStateHandler(allTimeout: .seconds(Self.idleSeconds)), IdleConnectionCloser(),
                    ])
                    return .webSocket(try Frames(wrappingChannelSynchronously: channel), session)
                }
            })
    }

    private static func http(_ logger: Logger) -> @Sendable (any Channel) -> EventLoopFuture<Negotiated> {
        { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                try channel.pipeline.syncOperations.addHandler(ClientEnd())
                // Ends the connection after the answer under way when the gateway ends.
                try channel.pipeline.syncOperations.addHandler(HTTPConnectionStateHandler(logger: logger))
                return .http(
                    try Parts(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true)))
            }
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.negotiated.get() {
            case .http(let parts): await handleHTTP(asyncChannel: parts, logger: logger)
            case .webSocket(let frames, let session): await serve(frames, session)
            }
        } catch {
            logger.debug("a connection ends before its first request", metadata: ["reason": "\(error)"])
            try? await value.channel.close()
        }
    }
}

/// Ends a connection on which nothing is sent or received.
private final class IdleConnectionCloser: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
        context.close(promise: nil)
    }
}
