internal import CPosix

/// The program that has started this process as a service, and waits until it is ready: systemd, for a unit with `Type=notify`
/// (`sd_notify(3)`).
public struct ServiceManager: Hashable, Sendable {
    /// The environment variable that names the socket on which it listens.
    public static let variable = "NOTIFY_SOCKET"

    private let address: String

    /// - Returns: nil if the environment names no service manager.
    public init?(environment: [String: String]) {
        guard let address = environment[Self.variable], !address.isEmpty else { return nil }
        self.address = address
    }

    /// Tells it that this process is ready. Does not wait: if it has not read what others told it, the error's code is `EAGAIN`.
    public func tellReady() throws(PosixError) {
        let message = "READY=1"
        let result = unsafe caprig_send_datagram(address, message, message.utf8.count)
        guard result == 0 else {
            throw PosixError(code: -result, operation: "tell readiness to", subject: address)
        }
    }
}
