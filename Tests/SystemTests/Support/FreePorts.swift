import Foundation

/// Ports that a coordinator can take, and take again after a restart.
enum FreePorts {
    /// The first of five neighbouring ports that are free. They lie below the range from which the system gives ports to
    /// outgoing connections, so that between two lives of a coordinator nobody is given one by accident.
    static func base() throws -> UInt16 {
        for _ in 0..<1000 {
            let base = UInt16.random(in: 10_000...32_000)
            if (base..<base + 5).allSatisfy(isFree) { return base }
        }
        throw SystemTestError("there are no five neighbouring free ports")
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
