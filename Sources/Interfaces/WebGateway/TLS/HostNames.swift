internal import Foundation
internal import NIOCore

/// Names by which a machine is reached.
enum HostNames {
    /// This machine's names and addresses: its host name first, also in multicast DNS.
    static var ofThisMachine: [String] {
        let name = ProcessInfo.processInfo.hostName.lowercased()
        let short = String(name.prefix { $0 != "." })
        var names = [name]
        for further in [short, "\(short).local", "localhost"] where !names.contains(further) { names.append(further) }
        return names
    }

    /// The addresses of this machine's interfaces, without those that are valid on one link only.
    static var addressesOfThisMachine: [String] {
        let addresses = ((try? System.enumerateDevices()) ?? []).compactMap { $0.address?.ipAddress }
        return Set(addresses).filter { !$0.lowercased().hasPrefix("fe80:") }.sorted()
    }

    /// `HOST` of `HOST` or `HOST:PORT`.
    static func withoutPort(_ host: String) -> String {
        guard !host.hasPrefix("[") else { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" })
    }
}

extension WebGateway.Configuration {
    /// The names that a certificate of the gateway's own has.
    var certificateNames: [String] {
        var names: [String] = []
        let all = hosts.map(HostNames.withoutPort) + HostNames.ofThisMachine + HostNames.addressesOfThisMachine
        for name in all where !names.contains(name) { names.append(name) }
        return names
    }

    /// The address to open in a browser.
    /// - Parameter reachable: The numeric address at which other machines reach this one; nil if it has none.
    func address(port: Int, reachable: String?) -> String {
        // A reverse proxy has the usual port, unless the name says otherwise.
        if transport.isSecure, transport.scheme == "http", let host = hosts.first { return "https://\(host)/" }
        var host = hosts.first.map(HostNames.withoutPort) ?? listen
        if ["0.0.0.0", "::"].contains(host) { host = everywhere(reachable) }
        return "\(transport.scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
    }

    /// The host of a gateway that listens on every address: by number, since a phone may not find this machine's name, unless the certificate
    /// is for a name.
    private func everywhere(_ reachable: String?) -> String {
        if case .tls(.files) = transport { return HostNames.ofThisMachine[0] }
        return reachable ?? HostNames.ofThisMachine[0]
    }
}
