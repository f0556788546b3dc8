import NIOCore
import NIOPosix
import Testing

@testable import WebGateway

@Suite struct PlainRequestTests {
    private static let origin = "https://10.0.0.9:7780"

    private func answer(_ head: String) -> [String] {
        PlainRequest(head: head[...]).answer(at: Self.origin).split(separator: "\r\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    @Test func `A page is sent to the same path over TLS`() {
        let lines = answer("GET /login.html?x=1 HTTP/1.1\r\nAccept: */*\r\nHOST: 10.0.0.9:7780")
        #expect(
            lines[0] == "HTTP/1.1 307 Temporary Redirect"
                && lines[1] == "Location: https://10.0.0.9:7780/login.html?x=1")
        #expect(PlainRequest(head: "GET / HTTP/1.1\r\nHost:  rig:7780 ").host == "rig:7780")
    }

    @Test func `What would change something is refused, and says that its token was readable`() {
        let lines = answer("POST /api/v1/rigs/studio/shots HTTP/1.1\r\nHost: 10.0.0.9:7780")
        #expect(lines[0] == "HTTP/1.1 400 Bad Request" && !lines.contains { $0.hasPrefix("Location:") })
        #expect(lines.last?.contains("https://10.0.0.9:7780/api/v1/rigs/studio/shots") == true)
        #expect(lines.last?.contains("a token that was sent could be read") == true)
    }

    @Test(arguments: ["GET //\u{7F}é HTTP/1.1", "GET http://evil.example/ HTTP/1.1", "GET", "", "QUIT 1 2 3"])
    func `A target that is not a path is not repeated`(head: String) {
        let text = PlainRequest(head: head[...]).answer(at: Self.origin)
        #expect(text.contains("this port speaks TLS: https://10.0.0.9:7780/\n") && !text.contains("evil"))
    }
}

/// The guide on real connections, before a handler that stands for TLS and echoes.
@Suite(.timeLimit(.minutes(1))) struct PlainRequestGuideTests {
    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.writeAndFlush(data, promise: nil) }
    }

    /// Collects what arrives until the connection ends, or until there is as much.
    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let arrived: EventLoopPromise<String>
        private let count: Int
        private var text = ""

        init(_ arrived: EventLoopPromise<String>, count: Int) { (self.arrived, self.count) = (arrived, count) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
            if text.utf8.count >= count { arrived.succeed(text) }
        }

        func channelInactive(context: ChannelHandlerContext) { arrived.succeed(text) }
    }

    /// What a client gets that sends these parts, one after the other, until it has `count` bytes or the end.
    private func answer(to parts: [[UInt8]], count: Int = .max) async throws -> String {
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let guide = PlainRequestGuide { "https://\($0 ?? "10.0.0.9")" }
                    try channel.pipeline.syncOperations.addHandlers([guide, Echo()])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let arrived = group.next().makePromise(of: String.self)
        let client = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(arrived, count: count))
                }
            }
            .connect(host: "127.0.0.1", port: try #require(server.localAddress?.port)).get()
        for part in parts { try await client.writeAndFlush(ByteBuffer(bytes: part)) }
        let text = try await arrived.futureResult.get()
        try? await client.close()
        try await server.close()
        return text
    }

    @Test func `Plain HTTP is answered with where to go, and the connection ends`() async throws {
        let text = try await answer(to: [Array("GET /x HTTP/1.1\r\nHost: r".utf8), Array("ig:7780\r\n\r\n".utf8)])
        #expect(text.hasPrefix("HTTP/1.1 307 ") && text.contains("Location: https://rig:7780/x\r\n"))
        #expect(!text.contains("GET /x"), "nothing of it reaches TLS")
    }

    @Test func `TLS is handed on, byte for byte`() async throws {
        let hello: [UInt8] = [22, 3, 1, 0, 2, 65, 66]
        #expect(try await answer(to: [hello, [71, 69, 84]], count: 10).utf8.elementsEqual(hello + [71, 69, 84]))
    }

    @Test func `A head without an end is answered when it is too long`() async throws {
        let text = try await answer(to: [[UInt8](repeating: 65, count: 17_000)])
        #expect(text.hasPrefix("HTTP/1.1 400 "))
    }
}
