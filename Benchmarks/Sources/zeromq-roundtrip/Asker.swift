internal import ZeroMQ

/// Sends messages one after the other and times their answers, on the thread of its socket.
actor Asker {
    nonisolated let dealer: DealerSocket
    private nonisolated let executor: SocketExecutor
    private nonisolated let endpoint: String

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(endpoint: String) throws {
        let executor = try SocketExecutor(name: "ask")
        dealer = try DealerSocket(context: try ZeroMQContext(), executor: executor)
        self.executor = executor
        self.endpoint = endpoint
    }

    /// - Returns: Nanoseconds of every round trip after the warm-up.
    func ask(_ request: RoundTripRequest) async throws -> [Int64] {
        try await dealer.connect(to: endpoint)
        return try await Self.roundTrips(dealer, request)
    }

    /// The same from an ordinary task, which changes threads for `send` and for `receive`.
    @concurrent
    static func askFromTask(_ dealer: DealerSocket, _ request: RoundTripRequest) async throws -> [Int64] {
        try await dealer.connect(to: request.endpoint)
        return try await roundTrips(dealer, request)
    }

    private static func roundTrips(_ dealer: DealerSocket, _ request: RoundTripRequest) async throws -> [Int64] {
        let message = Message([UInt8](repeating: 7, count: request.byteCount))
        let clock = SuspendingClock()
        var times: [Int64] = []
        times.reserveCapacity(request.count)
        for number in 0..<(RoundTripRequest.warmUp + request.count) {
            let start = clock.now
            _ = await dealer.send(message)
            guard let answer = await dealer.receive(), answer.message.byteCount == request.byteCount else {
                throw WrongAnswer()
            }
            let (seconds, attoseconds) = (clock.now - start).components
            if number >= RoundTripRequest.warmUp { times.append(seconds * 1_000_000_000 + attoseconds / 1_000_000_000) }
        }
        return times
    }
}
