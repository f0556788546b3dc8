internal import CaptureModel
public import RigConfiguration
public import ZeroMQ

/// What is at an endpoint at which a coordinator is expected.
public enum CoordinatorProbe: Hashable, Sendable {
    /// A program with the coordinator's key, which admits this machine's.
    case admits
    /// A program with the coordinator's key, which does not admit this machine's.
    case refuses
    /// A program that completes no handshake: it does not have the coordinator's key, or its machine is too busy.
    case another
    /// Nothing answers.
    case nothing
}

/// What the follower of a probe's socket has seen.
private enum Step: Sendable {
    case connected
    case found(CoordinatorProbe)
}

extension JoinClient {
    /// Connects to an endpoint of a coordinator, and finds out what is there. Nothing is sent.
    public func probe(
        _ endpoint: TCPEndpoint, keys: CurveKeyPair, coordinator: CurvePublicKey
    ) async throws(ZeroMQError) -> CoordinatorProbe {
        let socket = try dealer(.client(keys, server: coordinator))
        let mailbox = Mailbox<Step>(limit: 8, time: time)
        // Unstructured, since it ends with the socket.
        let follower = Task { [sender = mailbox.sender] in
            var handshake = HandshakeWatch()
            for await event in socket.connectionEvents {
                handshake.note(event)
                switch event.kind {
                case .connected: sender.post(.connected)
                // The first attempt has failed before there was a connection: no program listens there.
                case .connectRetried where handshake.finding == nil: sender.post(.found(.nothing))
                case .handshakeSucceeded: sender.post(.found(.admits))
                default:
                    if let verdict = handshake.verdict {
                        sender.post(.found(verdict == .keyRefused ? .refuses : .another))
                    }
                }
            }
        }
        defer { follower.cancel() }
        do throws(ZeroMQError) {
            try await socket.connect(to: endpoint.description)
        } catch {
            await socket.close()
            throw error
        }
        let start = time.now()
        var (found, deadline) = (CoordinatorProbe.nothing, start + Self.patience)
        while case .message(let step) = await mailbox.next(within: deadline - time.now()) {
            if case .found(let answer) = step {
                found = answer
                break
            }
            // It accepts connections, so what is left to find out is its key.
            (found, deadline) = (.another, start + Self.handshakePatience)
        }
        await socket.close()
        return found
    }
}
