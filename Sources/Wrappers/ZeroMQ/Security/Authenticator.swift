internal import CZeroMQ
internal import PosixSupport

/// Decides which peers may complete a handshake with the sockets of a context: the handler of [ZAP](https://rfc.zeromq.org/spec/27/), on a
/// separate thread.
///
/// Create it before any socket of the context: a socket whose security is ``SocketSecurity/server(_:domain:)`` refuses every peer until it
/// exists. It answers until the context is shut down, even while the rest of the process is busy.
public final class Authenticator: Sendable {
    /// Decides about one handshake, on the authenticator's thread. It must not block, since every handshake of the context waits for its
    /// answer.
    public typealias Decision = @Sendable (AuthenticationRequest) -> AuthenticationAnswer

    /// - Throws: `EADDRINUSE` if the context already has an authenticator.
    public init(for context: ZeroMQContext, decide: @escaping Decision) throws(ZeroMQError) {
        let handle = try SocketHandle(context: context, type: ZMQ_REP)
        try handle.set(ZMQ_LINGER, Int32(0), named: "linger")
        _ = try handle.bind(to: "inproc://zeromq.zap.01")
        do {
            try NamedThread(name: "zmq-auth", signals: .blocked) { Self.serve(handle, decide) }.detach()
        } catch {
            handle.close()
            throw ZeroMQError(code: "EAGAIN", operation: "start", endpoint: "thread zmq-auth")
        }
    }

    /// Answers until the context ends.
    private static func serve(_ handle: SocketHandle, _ decide: Decision) {
        while let message = handle.awaitMessage(maximumPartCount: AuthenticationRequest.partLimit) {
            let reply = AuthenticationRequest.reply(to: message.parts, decide)
            guard handle.reply(reply) else { break }
        }
        handle.close()
    }
}

/// A peer that requests a connection.
public struct AuthenticationRequest: Hashable, Sendable {
    /// The domain of the socket that it connected to.
    public var domain: String
    /// The peer's address in numbers, without its port.
    public var address: String
    /// The key that the peer has proved to hold.
    public var key: CurvePublicKey
}

/// The outcome of an authentication.
public enum AuthenticationAnswer: Hashable, Sendable {
    /// The peer is admitted. Each of its messages has `userID` (``ReceivedMessage/userID``), 1 to 255 bytes.
    case admit(userID: String)
    /// The peer is refused permanently: its socket does not retry by itself.
    case refuse
}

extension AuthenticationRequest {
    static let partLimit = 16

    /// Returns the parts of a reply to the parts of a request, as numbered in RFC 27. Everything except a complete request for CURVE is
    /// refused.
    static func reply(to parts: [MessagePart], _ decide: Authenticator.Decision) -> [[UInt8]] {
        let version = Array("1.0".utf8)
        let identifier = parts.count > 1 ? parts[1].bytes : []
        let refusal = [version, identifier, Array("400".utf8), Array("refused".utf8), [], []]
        guard parts.count == 7, parts[0].bytes == version, parts[5].bytes == Array("CURVE".utf8),
            let key = CurvePublicKey(bytes: parts[6].bytes)
        else { return refusal }
        let request = AuthenticationRequest(
            domain: String(decoding: parts[2].bytes, as: UTF8.self),
            address: String(decoding: parts[3].bytes, as: UTF8.self), key: key)
        switch decide(request) {
        case .admit(let userID) where (1...255).contains(userID.utf8.count):
            return [version, identifier, Array("200".utf8), Array("OK".utf8), Array(userID.utf8), []]
        case .admit, .refuse: return refusal
        }
    }
}

extension SocketHandle {
    /// Waits for a message; nil once the context has ended. For a socket that only one thread uses.
    fileprivate func awaitMessage(maximumPartCount: Int) -> ReceivedMessage? {
        while true {
            switch receive(maximumPartCount: maximumPartCount) {
            case .message(let message): return message
            // A request of no known version of ZAP. REP requires an answer before the next request.
            case .tooManyParts: guard reply([[]]) else { return nil }
            case .ended: return nil
            case .nothing: awaitInput()
            }
        }
    }

    /// Waits until a message may be available, or the context has ended.
    private func awaitInput() {
        var item = unsafe zmq_pollitem_t(socket: pointer, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
        _ = unsafe zmq_poll(&item, 1, -1)
    }

    /// - Returns: false if the context has ended.
    fileprivate func reply(_ parts: [[UInt8]]) -> Bool {
        for (index, part) in parts.enumerated() {
            let flags = index < parts.count - 1 ? ZMQ_SNDMORE : 0
            while unsafe zmq_send(pointer, part, part.count, flags) < 0 {
                guard zmq_errno() == EINTR else { return false }
            }
        }
        return true
    }
}
