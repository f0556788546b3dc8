internal import NIOCore
internal import NIOHTTP1

/// Refuses requests that do not say clearly for whom they are, before anything else reads them: two programs on their way could read them
/// differently.
final class RequestTargetFilter: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private var isOver = false
    private let isOtherProtocol: () -> Bool

    /// - Parameter isOtherProtocol: Whether the connection has left HTTP, whose parts are not seen here then.
    init(isOtherProtocol: @escaping () -> Bool) { self.isOtherProtocol = isOtherProtocol }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOtherProtocol() else { return context.fireChannelRead(data) }
        guard !isOver else { return }
        guard case .head(var head) = Self.unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        do throws(GatewayProblem) {
            try head.readTarget()
            context.fireChannelRead(Self.wrapInboundOut(.head(head)))
        } catch {
            isOver = true
            Self.end(context, with: error)
        }
    }
}

extension HTTPRequestHead {
    /// Fields that decide who asks whom for what, and of which a request has one at most.
    static let singleFields = [
        "Host", "Origin", "Authorization", "Caprig-Request", "Sec-Fetch-Site", "Idempotency-Key", "Content-Type",
    ]

    /// Checks the target and its `Host` (RFC 9112, section 3.2), and leaves only path and query in the target.
    mutating func readTarget() throws(GatewayProblem) {
        for field in Self.singleFields where headers[field].count > 1 {
            throw .badRequest("the request has \(headers[field].count) fields '\(field)'; send one")
        }
        guard version == .http1_0 || headers.contains(name: "Host") else {
            throw .badRequest("the request has no field 'Host', which HTTP/1.1 needs")
        }
        guard !uri.hasPrefix("/"), uri != "*" else { return }
        guard let scheme = ["http://", "https://"].first(where: { uri.lowercased().hasPrefix($0) }) else {
            throw .badRequest("the target '\(uri.prefix(64))' is neither a path nor an address")
        }
        let rest = uri.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = headers.first(name: "Host") ?? ""
        guard !authority.isEmpty, authority.lowercased() == host.lowercased() else {
            throw .badRequest(
                "the target is of '\(authority.prefix(64))' and the field 'Host' is '\(host)'; send the same")
        }
        let path = rest.dropFirst(authority.count)
        uri = path.hasPrefix("/") ? String(path) : "/\(path)"
    }
}
