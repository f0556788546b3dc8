internal import Glibc

/// The addresses of this machine in its networks.
public enum NetworkAddresses {
    /// Returns the numeric addresses of the interfaces that are up, but for loopback and link-local ones, in the order of the system.
    /// IPv4 addresses come first.
    public static func ofThisMachine() throws(PosixError) -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else {
            throw PosixError(code: errno, operation: "list the addresses of", subject: "this machine")
        }
        defer { unsafe freeifaddrs(first) }
        var (version4, version6): ([String], [String]) = ([], [])
        var next = unsafe first
        while let entry = unsafe next {
            defer { unsafe next = entry.pointee.ifa_next }
            let flags = unsafe Int32(bitPattern: entry.pointee.ifa_flags)
            guard flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0,
                let address = unsafe entry.pointee.ifa_addr, let text = unsafe Self.text(of: address)
            else { continue }
            if unsafe address.pointee.sa_family == AF_INET {
                version4.append(text)
            } else if !text.contains("%") {
                version6.append(text)
            }
        }
        return version4 + version6
    }

    /// Returns the name of the network interface that has a numeric address; nil if none has it.
    public static func interface(with address: String) -> String? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { return nil }
        defer { unsafe freeifaddrs(first) }
        var next = unsafe first
        while let entry = unsafe next {
            defer { unsafe next = entry.pointee.ifa_next }
            guard let own = unsafe entry.pointee.ifa_addr, let text = unsafe Self.text(of: own), text == address,
                let name = unsafe entry.pointee.ifa_name
            else { continue }
            return unsafe String(cString: name)
        }
        return nil
    }

    /// The numeric form of an IPv4 or IPv6 address; nil for others. A link-local one of IPv6 has a zone, which begins with `%`.
    private static func text(of address: UnsafeMutablePointer<sockaddr>) -> String? {
        let length: Int
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = unsafe getnameinfo(
            address, socklen_t(length), &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
        guard status == 0 else { return nil }
        return String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
