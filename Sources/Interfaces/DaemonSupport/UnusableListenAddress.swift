import ArgumentParser

/// A host on which a daemon cannot listen.
public struct UnusableListenAddress: Error, CustomStringConvertible {
    var reason: String
    /// The exit status of the daemon.
    var exitCode: ExitCode

    /// Text that can never be an address of this machine.
    static func noHost(_ text: String, _ source: String) -> UnusableListenAddress {
        UnusableListenAddress(
            reason: "\(source): '\(text)' is neither a host name nor an address", exitCode: Daemon.badConfiguration)
    }

    /// The address may become one of this machine, for example if the network starts after the daemon: a service
    /// manager tries again.
    static func notYetOwn(_ reason: String) -> UnusableListenAddress {
        UnusableListenAddress(reason: reason, exitCode: .failure)
    }

    public var description: String {
        "\(reason); write an address of this machine (`ip address` lists them), a name that has one, or '*' for all"
    }
}
