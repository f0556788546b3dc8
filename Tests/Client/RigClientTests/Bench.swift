import CaptureModel
import CaptureTestSupport
import RigClient
import RigProtocol
import ZeroMQ

/// A client with a clock of the test's own, and the sockets of both ends.
struct Bench {
    let context: ZeroMQContext
    let executor: SocketExecutor
    let time = ManualTimeSource()
    let client: RigClient

    init() throws {
        context = try ZeroMQContext()
        executor = try SocketExecutor(name: "test")
        client = try RigClient(context: context, executor: executor, time: time)
    }

    func coordinator(
        at endpoint: String = "tcp://127.0.0.1:*", epoch: Epoch = .random(),
        answer: @escaping @Sendable (WireClientRequest.OneOf_Body) -> [FakeCoordinator.Body]
    ) async throws -> FakeCoordinator {
        try await FakeCoordinator(
            context: context, executor: executor, endpoint: endpoint, epoch: epoch, answer: answer)
    }
}

/// The code of the error that `body` throws.
func failure(_ body: () async throws -> Void) async -> RigClientError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? RigClientError)?.code
    }
}
