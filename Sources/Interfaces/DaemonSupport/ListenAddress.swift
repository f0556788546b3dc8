import PosixSupport
import RigConfiguration

/// The host on which a daemon should listen, before it is resolved to an address.
public struct ListenAddress: Sendable {
    /// A name, an address without brackets, or `*`.
    private let host: String
    /// The option or the configuration key with the host.
    private let source: String

    /// - Parameters:
    ///   - option: The value of `--listen`; nil if it is not given.
    ///   - configured: The value of the key `key` in the configuration.
    /// - Throws: ``UnusableListenAddress`` if the option is not a host.
    public init(option: String?, configured: String, key: String) throws(UnusableListenAddress) {
        source = option == nil ? key : "--listen"
        guard let option else {
            host = configured
            return
        }
        guard let parsed = ListenHost.parse(option) else { throw .noHost(option, source) }
        host = parsed
    }

    /// The host as configured.
    public var name: String { host }

    /// Resolves the address to bind. For a name, this is its first IPv4 address of this machine, otherwise its first
    /// IPv6 address of this machine. Waits for name servers.
    /// - Returns: A numeric address without brackets, the name of an interface, or `*`.
    /// - Throws: ``UnusableListenAddress`` if the name has no address or none of this machine.
    public func resolved() throws(UnusableListenAddress) -> String {
        if host == "*" || HostAddresses.isInterface(host) { return host }
        let addresses: [String]
        do {
            addresses = try HostAddresses.of(host)
        } catch {
            guard isWellFormed else { throw .noHost(host, source) }
            throw .notYetOwn("\(source): \(error)")
        }
        // An explicit address may become an address of this machine; binding shows whether it is one.
        if addresses == [host] { return host }
        let own = addresses.filter(HostAddresses.isOwn)
        guard let address = own.first(where: { !$0.contains(":") }) ?? own.first else {
            throw .notYetOwn(
                "\(source): '\(host)' is \(addresses.joined(separator: ", ")), which is not an address of this machine")
        }
        return address
    }

    /// Whether the text may become an address of this machine. A colon means an IPv6 address, whose interface may not
    /// exist yet.
    private var isWellFormed: Bool {
        !host.contains(":") || (try? HostAddresses.of(String(host.prefix { $0 != "%" }))) != nil
    }
}
