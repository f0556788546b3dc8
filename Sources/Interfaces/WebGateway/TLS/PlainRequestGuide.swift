internal import NIOCore

/// Before TLS on a connection: answers plain HTTP with the address to use instead, and hands everything else on.
///
/// | first byte | is |
/// |---|---|
/// | a capital letter | plain HTTP, whose methods begin so: the head is read, a page is sent to the same path over TLS, any other request is refused |
/// | another, such as TLS's 22 | handed on, with everything that follows |
///
/// What the client sends after its head is dropped; nothing of the request is carried out. How long a head may take is limited as that of every connection.
final class PlainRequestGuide: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        case undecided
        case handedOn
        case readingHead(ByteBuffer)
        case answered
    }

    private static let longestHead = 16 * 1024
    private let origin: @Sendable (_ host: String?) -> String
    private var state = State.undecided

    /// - Parameter origin: The gateway's origin over TLS, such as `https://rig.example:7780`, for a client that knows it by this `Host`.
    init(origin: @escaping @Sendable (_ host: String?) -> String) { self.origin = origin }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        switch state {
        case .undecided:
            guard let first = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else { return }
            guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else {
                state = .handedOn
                return context.fireChannelRead(data)
            }
            read(bytes, context)
        case .handedOn: context.fireChannelRead(data)
        case .readingHead(var head):
            head.writeBuffer(&bytes)
            read(head, context)
        case .answered: break
        }
    }

    private func read(_ head: ByteBuffer, _ context: ChannelHandlerContext) {
        let text = String(decoding: head.readableBytesView.prefix(Self.longestHead), as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else {
            state = .readingHead(head)
            if head.readableBytes >= Self.longestHead { answer(PlainRequest(head: ""), context) }
            return
        }
        answer(PlainRequest(head: text[..<end.lowerBound]), context)
    }

    private func answer(_ request: PlainRequest, _ context: ChannelHandlerContext) {
        state = .answered
        let answer = request.answer(at: origin(request.host))
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: answer)), promise: nil)
        // Closed completely, the client's further bytes would reset the connection before it has read the answer.
        context.close(mode: .output, promise: nil)
    }
}

/// What matters of a request that came without TLS.
struct PlainRequest: Equatable {
    private var method = ""
    private var target = "/"
    private(set) var host: String?

    init(head: Substring) {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count == 3 else { return }
        method = String(words[0])
        if words[1].hasPrefix("/"), words[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            target = String(words[1])
        }
        host = lines.dropFirst().compactMap(Self.host).first
    }

    private static func host(in line: Substring) -> String? {
        let field = line.split(separator: ":", maxSplits: 1)
        guard field.count == 2, field[0].lowercased() == "host" else { return nil }
        return field[1].filter { $0 != " " && $0 != "\t" }
    }

    /// - Parameter origin: The gateway's origin over TLS.
    func answer(at origin: String) -> String {
        let isLook = ["GET", "HEAD"].contains(method)
        let body =
            "this port speaks TLS: \(origin)\(target)\n"
            + (isLook
                ? "" : "nothing was done; a token that was sent could be read in the network: capctl web end ID\n")
        let head =
            (isLook
                ? ["HTTP/1.1 307 Temporary Redirect", "Location: \(origin)\(target)"] : ["HTTP/1.1 400 Bad Request"])
            + [
                "Content-Type: text/plain; charset=utf-8", "Content-Length: \(body.utf8.count)",
                "Cache-Control: no-store",
                "Connection: close",
            ]
        return head.joined(separator: "\r\n") + "\r\n\r\n" + (method == "HEAD" ? "" : body)
    }
}
