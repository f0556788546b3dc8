internal import CaptureModel
internal import ZeroMQ

/// A subscription to the coordinator's feed that ends with its last reference.
final class FeedSubscription {
    let port: UInt16
    /// Whole feed messages: topic, NUL, protobuf.
    let mailbox: Mailbox<[UInt8]>
    private let pump: Task<Void, Never>

    init(socket: SubscriberSocket, port: UInt16, time: any TimeSource) {
        self.port = port
        let mailbox = Mailbox<[UInt8]>(limit: 1024, time: time)
        self.mailbox = mailbox
        // Unstructured, because it lives as long as the subscription; it keeps the socket alive and nothing else.
        pump = Task { [slot = mailbox.slot] in
            while let received = await socket.receive() {
                if let part = received.parts.first, received.parts.count == 1 { slot.post(part.bytes) }
            }
            await socket.close()
            slot.close()
        }
    }

    deinit { pump.cancel() }
}

extension RigClient {
    /// Subscribes to everything on the feed of the coordinator's host.
    func subscribe(toFeedPort port: UInt16) async throws(RigClientError) -> sending FeedSubscription {
        let feed = Self.endpoint(endpoint, withPort: port)
        do {
            var options = SocketOptions()
            options.reconnectIntervalMax = .milliseconds(400)
            let socket = try SubscriberSocket(context: context, executor: executor, options: options)
            try await socket.subscribe("")
            try await socket.connect(to: feed)
            return FeedSubscription(socket: socket, port: port, time: time)
        } catch {
            throw .closed(operation: "subscribe", endpoint: feed, reason: "\(error)")
        }
    }

    /// The same host with another port.
    static func endpoint(_ endpoint: String, withPort port: UInt16) -> String {
        guard let colon = endpoint.lastIndex(of: ":") else { return endpoint }
        return endpoint[...colon] + String(port)
    }
}
