import ArgumentParser
import PosixSupport
import RigConfiguration

/// The host that a daemon is told to listen on, before it is an address.
public struct ListenAddress: Sendable {
    /// A name, an address without brackets, or `*`.
    private let host: String
    /// The option or the key of the configuration that names it.
    private let source: String

    /// - Parameters:
    ///   - option: What `--listen` says; nil where it is not given.
    ///   - configured: What the key `key` of the configuration says.
    /// - Throws: ``UnusableListenAddress`` where the option is no host.
    public init(option: String?, configured: String, key: String) throws(UnusableListenAddress) {
        source = option == nil ? key : "--listen"
        guard let option else {
            host = configured
            return
        }
        guard let parsed = ListenHost.parse(option) else { throw .noHost(option, source) }
        host = parsed
    }

    /// What the configuration calls it.
    public var name: String { host }

    /// The address to bind. A name stands for its first IPv4 address that is this machine's, or else the first of IPv6. Waits
    /// for name servers.
    /// - Parameter consequence: What any machine could do if other machines reached it.
    /// - Returns: An address in numbers without brackets, the name of an interface, or `*`.
    /// - Throws: ``UnusableListenAddress`` where the name has no address or none of this machine, ``ExposedAddress`` where
    ///   other machines reach it and `insecure` does not allow that.
    public func resolved(insecure: Bool, consequence: String) throws -> String {
        let address = try address()
        try ListenPolicy.check(host: host, address: address, insecure: insecure, consequence: consequence)
        return address
    }

    private func address() throws(UnusableListenAddress) -> String {
        if host == "*" || HostAddresses.isInterface(host) { return host }
        let addresses: [String]
        do {
            addresses = try HostAddresses.of(host)
        } catch {
            guard isWellFormed else { throw .noHost(host, source) }
            throw .notYetOwn("\(source): \(error)")
        }
        // An address that is given as such may come to be this machine's; binding it says whether it has.
        if addresses == [host] { return host }
        let own = addresses.filter(HostAddresses.isOwn)
        guard let address = own.first(where: { !$0.contains(":") }) ?? own.first else {
            throw .notYetOwn(
                "\(source): '\(host)' is \(addresses.joined(separator: ", ")), which is no address of this machine")
        }
        return address
    }

    /// Whether the text may come to be an address of this machine. A colon is of an IPv6 address, whose interface may not be
    /// there yet.
    private var isWellFormed: Bool {
        !host.contains(":") || (try? HostAddresses.of(String(host.prefix { $0 != "%" }))) != nil
    }
}

/// A host that a daemon cannot listen on.
public struct UnusableListenAddress: Error, CustomStringConvertible {
    var reason: String
    /// The status that the daemon ends with.
    var exitCode: ExitCode

    /// Text that never will be one.
    static func noHost(_ text: String, _ source: String) -> UnusableListenAddress {
        UnusableListenAddress(
            reason: "\(source): '\(text)' is no host name and no address", exitCode: Daemon.badConfiguration)
    }

    /// Its address may become this machine's, as when the network comes up after the daemon: a service manager tries again.
    static func notYetOwn(_ reason: String) -> UnusableListenAddress {
        UnusableListenAddress(reason: reason, exitCode: .failure)
    }

    public var description: String {
        "\(reason); write an address of this machine (`ip address` lists them), a name that has one, or '*' for all"
    }
}
