import Glibc
public import PosixSupport

/// A TCP port of loopback that nobody else gets as long as this exists. Connections to it are refused, but while it is listened on.
public final class LoopbackPort: Sendable {
    public let number: UInt16
    private let file: CInt

    public init() throws(PosixError) {
        file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { [file] pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(file, pointer, length) == 0 && getsockname(file, pointer, &length) == 0
            }
        }
        number = UInt16(bigEndian: address.sin_port)
        guard isBound else { throw PosixError(code: errno, operation: "bind", subject: "a port of loopback") }
    }

    public func startListening() throws(PosixError) {
        guard listen(file, 4) == 0 else {
            throw PosixError(code: errno, operation: "listen on", subject: "port \(number) of loopback")
        }
    }

    /// Refuses connections again, and keeps the port.
    public func stopListening() { _ = shutdown(file, Int32(SHUT_RDWR)) }

    deinit { close(file) }
}
