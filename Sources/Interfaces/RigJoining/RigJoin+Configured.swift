public import KeyFiles
internal import RigClient
public import RigConfiguration
internal import RigSecurity
internal import ZeroMQ

extension RigJoin {
    /// Checks that the coordinator of a node's configuration is the one that this machine has joined, by connecting to it: a
    /// name and an address may be the same machine.
    /// - Parameters:
    ///   - configured: The coordinator of the configuration.
    ///   - file: The path of the configuration.
    /// - Returns: A remark for people; nil if it is the one.
    /// - Throws: ``JoinError`` if another program is there; ``KeyFileError``, `ZeroMQError`.
    public func check(
        _ configured: TCPEndpoint, in file: String, against joined: JoinedRig, keyFile: KeyFile
    ) async throws -> String? {
        guard configured != joined.control else { return nil }
        let advice = "to use the coordinator that this machine has joined, write `coordinator: \(joined.control)` there"
        switch try await probe(configured, joined, try keyFile.load()) {
        case .admits: return nil
        case .nothing: return "\(file) has `coordinator: \(configured)`, and nothing answers there; \(advice)"
        case .refuses:
            throw JoinError(
                .wrongChannel,
                "\(file) has `coordinator: \(configured)`, which is not the coordinator's control channel; \(advice), and run "
                    + "this command again")
        case .another:
            throw JoinError(
                .wrongCoordinator,
                "\(file) has `coordinator: \(configured)`, and the program there does not have the key of rig "
                    + "'\(joined.rig)'; \(advice), and run this command again")
        }
    }

    private func probe(
        _ configured: TCPEndpoint, _ joined: JoinedRig, _ keys: CurveKeyPair
    ) async throws(ZeroMQError) -> CoordinatorProbe {
        let found = try await client.probe(configured, keys: keys, coordinator: joined.coordinator)
        // A coordinator whose key was replaced after the code was made.
        guard found == .another, let second = SecondPort.endpoint(of: "\(configured)").flatMap(TCPEndpoint.init) else {
            return found
        }
        return try await client.probe(second, keys: keys, coordinator: joined.coordinator) == .admits ? .admits : found
    }
}
