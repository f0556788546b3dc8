public import ZeroMQ

/// A socket that listens, and can listen again.
public protocol Listener: Actor {
    func secure(with security: SocketSecurity) throws(ZeroMQError)
    @discardableResult
    func bind(to endpoint: String) throws(ZeroMQError) -> String
    func unbind(from endpoint: String) throws(ZeroMQError)
    func rebind(_ endpoint: String) async throws(ZeroMQError)
}
