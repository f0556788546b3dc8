import Glibc
import PosixSupport
import Testing

/// A port of loopback that ends its first connections at once, as a busy machine does when a handshake has taken too long, and passes the next
/// one on to another port.
final class BusyDoor: Sendable {
    let port: UInt16
    private let listener: CInt

    /// - Parameter ends: How many connections it ends.
    init(ending ends: Int, then target: UInt16) throws {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, size) == 0 && getsockname(listener, pointer, &size) == 0
                    && listen(listener, 8) == 0
            }
        }
        try #require(isListening)
        port = UInt16(bigEndian: address.sin_port)
        self.listener = listener
        let thread = try NamedThread(name: "door") {
            for _ in 0..<ends {
                let ended = accept(listener, nil, nil)
                guard ended >= 0 else { return }
                close(ended)
            }
            let outside = accept(listener, nil, nil)
            guard outside >= 0, let inside = Self.connected(to: target) else { return }
            Self.pass(between: outside, and: inside)
            close(outside)
            close(inside)
        }
        thread.detach()
    }

    deinit {
        _ = shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func connected(to port: UInt16) -> CInt? {
        let file = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = loopback(port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(file, $0, size) }
        }
        return result == 0 ? file : nil
    }

    /// Copies bytes in both directions until one side ends.
    private static func pass(between first: CInt, and second: CInt) {
        var waited = [
            pollfd(fd: first, events: Int16(POLLIN), revents: 0), pollfd(fd: second, events: Int16(POLLIN), revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 4096)
        while unsafe poll(&waited, 2, -1) > 0 {
            for (from, to) in [(0, 1), (1, 0)] where waited[from].revents != 0 {
                let count = unsafe read(waited[from].fd, &buffer, buffer.count)
                guard count > 0, unsafe write(waited[to].fd, buffer, count) == count else { return }
            }
        }
    }
}
