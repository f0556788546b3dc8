import Glibc

/// A plain TCP connection, as a stranger who does not speak ZeroMQ makes it.
final class TCPClient: Sendable {
    private let descriptor: Int32

    /// Connects to an endpoint such as `tcp://127.0.0.1:4711`.
    init(to endpoint: String) throws {
        guard let port = endpoint.split(separator: ":").last.flatMap({ UInt16($0) }) else { throw Silence() }
        descriptor = try Self.connected(toPort: port)
    }

    private static func connected(toPort port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, size) }
        }
        guard result == 0 else {
            _ = close(descriptor)
            throw Silence()
        }
        return descriptor
    }

    func write(_ bytes: [UInt8]) { _ = unsafe Glibc.write(descriptor, bytes, bytes.count) }

    /// Waits until the other side has sent `bytes`, or closes.
    func read(until bytes: [UInt8]) {
        var received: [UInt8] = []
        var byte: UInt8 = 0
        while !received.suffix(bytes.count).elementsEqual(bytes), unsafe Glibc.read(descriptor, &byte, 1) == 1 {
            received.append(byte)
        }
    }

    /// Waits until the other side closes.
    func readToEnd() {
        var buffer = [UInt8](repeating: 0, count: 256)
        while unsafe Glibc.read(descriptor, &buffer, buffer.count) > 0 {}
    }

    deinit { _ = Glibc.close(descriptor) }
}
