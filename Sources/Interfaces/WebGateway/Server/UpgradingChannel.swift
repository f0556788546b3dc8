internal import HTTPTypes
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
    /// A connection ends that sends no request for so long, or on which a WebSocket sends and receives nothing.
    static let idleSeconds: Int64 = 60
    private static let idleHandler = "idle"
    /// How long the first request may take.
    static let firstRequestSeconds: Int64 = 20

    let responder: HTTPChannelHandler.Responder
    let transport: GatewayTransport
    /// nil for plain HTTP.
    let certificate: CertificateKeeper?
    /// Returns the session of a request for a WebSocket, once it is verified; nil for any other request.
    let admit: @Sendable (HTTPRequestHead) async -> SessionSecret?
    let serve: @Sendable (Frames, SessionSecret) async -> Void

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            guard transport.admits(channel.remoteAddress) else { throw ChannelError.inappropriateOperationForState }
            try certificate?.identity.secure(channel)
            try channel.pipeline.syncOperations.addHandler(
                IdleStateHandler(allTimeout: .seconds(Self.idleSeconds)), name: Self.idleHandler)
            try channel.pipeline.syncOperations.addHandler(IdleConnectionCloser())
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
            try operations.addHandler(UpgradeFilter(admit: admit), position: .before(upgrade))
            // A connection that sends its first request too slowly, or none.
            let late = channel.eventLoop.scheduleTask(in: .seconds(Self.firstRequestSeconds)) {
                channel.close(promise: nil)
            }
            negotiated.whenComplete { _ in late.cancel() }
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
                    return .webSocket(try Frames(wrappingChannelSynchronously: channel), session)
                }
            })
    }

    private static func http(_ logger: Logger) -> @Sendable (any Channel) -> EventLoopFuture<Negotiated> {
        { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                try channel.pipeline.syncOperations.addHandler(ClientEnd())
                // Counts idle time between requests only: an answer may take longer.
                try channel.pipeline.syncOperations.addHandler(
                    HTTPConnectionStateHandler(idleTimeout: .seconds(idleSeconds), logger: logger))
                channel.pipeline.removeHandler(name: idleHandler, promise: nil)
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
