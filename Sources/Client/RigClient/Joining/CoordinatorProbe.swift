public import RigConfiguration
public import ZeroMQ

/// What is at an endpoint at which a coordinator is expected.
public enum CoordinatorProbe: Hashable, Sendable {
    /// A program with the coordinator's key, which admits this machine's.
    case admits
    /// A program with the coordinator's key, which does not admit this machine's.
    case refuses
    /// A program without the coordinator's key.
    case another
    /// Nothing answers.
    case nothing
}

extension JoinClient {
    /// Connects to an endpoint of a coordinator, and finds out what is there. Nothing is sent.
    public func probe(
        _ endpoint: TCPEndpoint, keys: CurveKeyPair, coordinator: CurvePublicKey
    ) async throws(ZeroMQError) -> CoordinatorProbe {
        let socket = try dealer(.client(keys, server: coordinator))
        let mailbox = Mailbox<CoordinatorProbe>(limit: 4, time: time)
        // Unstructured, since it ends with the socket.
        let follower = Task { [sender = mailbox.sender] in
            var handshake = HandshakeWatch()
            for await event in socket.connectionEvents {
                handshake.note(event)
                // The first attempt has failed before there was a connection: no program listens there.
                if case .connectRetried = event.kind { sender.post(.nothing) }
                if event.kind == .handshakeSucceeded { sender.post(.admits) }
                if let finding = handshake.finding { sender.post(finding == .keyRefused ? .refuses : .another) }
            }
        }
        defer { follower.cancel() }
        do throws(ZeroMQError) {
            try await socket.connect(to: endpoint.description)
        } catch {
            await socket.close()
            throw error
        }
        var found = CoordinatorProbe.nothing
        if case .message(let finding) = await mailbox.next(within: Self.patience) { found = finding }
        await socket.close()
        return found
    }
}
