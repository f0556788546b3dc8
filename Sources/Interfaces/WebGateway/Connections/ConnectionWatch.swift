internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// Ends a connection of which a part of a request takes too long, as ``ConnectionStages`` says, and tells ``OpenConnections`` how far its
/// requests are.
final class ConnectionWatch: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connections: OpenConnections
    private let number: ConnectionTable.Number
    private var stages: ConnectionStages
    private var timer: (task: Scheduled<Void>, deadline: NIODeadline)?
    private var context: ChannelHandlerContext?
    /// Whether the head of an answer was written whose end was not.
    private var isAnswering = false
    private var isOver = false

    /// - Parameter number: The connection's, in `connections`.
    init(_ number: ConnectionTable.Number, in connections: OpenConnections, at now: NIODeadline) {
        (self.number, self.connections) = (number, connections)
        stages = ConnectionStages(at: now)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        setTimer(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        isOver = true
        timer?.task.cancel()
        (timer, self.context) = (nil, nil)
    }

    /// Whether the connection has left HTTP.
    var isOtherProtocol: Bool { stages.isOtherProtocol }

    // MARK: What the client sends

    /// Call when bytes of whatever part have arrived, before they are decoded.
    func bytesArrived() {
        guard let context else { return }
        stages.bytesArrived(at: context.eventLoop.now)
        setTimer(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Another protocol has other parts.
        guard !isOtherProtocol else { return context.fireChannelRead(data) }
        guard !isOver else { return }
        switch Self.unwrapInboundIn(data) {
        case .head(let head):
            stages.headRead(at: context.eventLoop.now)
            connections.began(number, session: RequestCredentials(head)?.session)
        case .body: break
        case .end:
            stages.bodyRead(at: context.eventLoop.now)
            tellReading()
        }
        setTimer(context)
        context.fireChannelRead(data)
    }

    /// Ends an idle connection when the gateway ends. Those whose request is answered end with the answer.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, stages.isReading, !isAnswering { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: What the gateway sends

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isOtherProtocol else { return context.write(data, promise: promise) }
        guard !isOver else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        let part = Self.unwrapOutboundIn(data)
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        stages.writeBegan(at: context.eventLoop.now)
        let loop = context.eventLoop
        written.futureResult.assumeIsolated().whenComplete { _ in
            self.stages.writeEnded(at: loop.now)
            self.context.map(self.setTimer)
        }
        switch part {
        case .head(let head) where head.status == .switchingProtocols:
            stages.switchedProtocol()
            connections.wasRead(number)
        case .head: isAnswering = true
        case .body: break
        case .end:
            isAnswering = false
            stages.answered(at: context.eventLoop.now)
            tellReading()
        }
        setTimer(context)
        context.write(data, promise: written)
    }

    private func tellReading() {
        if stages.isReading { connections.waits(number) } else { connections.wasRead(number) }
    }

    // MARK: Limits

    private func setTimer(_ context: ChannelHandlerContext) {
        guard !isOver, let deadline = stages.deadline?.time else { return }
        // A timer that fires too early looks again.
        if let timer, timer.deadline <= deadline { return }
        timer?.task.cancel()
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.look(context) }
        timer = (task, deadline)
    }

    private func look(_ context: ChannelHandlerContext) {
        timer = nil
        guard !isOver, let (time, part) = stages.deadline else { return }
        guard time <= context.eventLoop.now else { return setTimer(context) }
        isOver = true
        connections.ended(number, lateWith: part)
        guard !isAnswering, part == .head || part == .body else { return ArrivalWatch.end(context.channel) }
        let seconds = part.limit.nanoseconds / 1_000_000_000
        Self.end(
            context,
            with: GatewayProblem(
                .requestTimeout, "badRequest",
                "the \(part.rawValue) of the request did not arrive within \(seconds) s; send it again"))
    }
}

extension ChannelInboundHandler where OutboundOut == HTTPServerResponsePart {
    /// Answers with a problem, and ends the connection.
    static func end(_ context: ChannelHandlerContext, with problem: GatewayProblem) {
        let body = problem.text
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: problem.status),
            headers: [
                "Connection": "close", "Content-Type": "application/problem+json",
                "Content-Length": "\(body.utf8.count)",
                "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            ])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in ArrivalWatch.end(channel) }
        // To a client that reads nothing, nothing can be said.
        context.eventLoop.scheduleTask(in: .seconds(5)) { ArrivalWatch.end(channel) }
    }
}

/// The first handler of a connection, which sees bytes before all others.
final class ArrivalWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let watch: ConnectionWatch

    init(_ watch: ConnectionWatch) { self.watch = watch }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        watch.bytesArrived()
        context.fireChannelRead(data)
    }

    /// Ends a connection at once, whatever its peer does: without TLS's goodbye, for whose answer the connection would wait.
    static func end(_ channel: any Channel) {
        channel.eventLoop.execute {
            let first = try? channel.pipeline.syncOperations.context(handlerType: ArrivalWatch.self)
            if let first { first.close(promise: nil) } else { channel.close(promise: nil) }
        }
    }
}
