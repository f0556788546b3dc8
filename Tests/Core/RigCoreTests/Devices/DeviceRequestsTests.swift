import CaptureModel
import Testing

@testable import RigCore

/// The table of ``DeviceRequests``.
@Suite struct DeviceRequestsTests {
    private let now = LocalTime(nanoseconds: 1_000_000_000)
    private let device: DeviceID

    init() throws {
        device = try DeviceID("north/cam")
    }

    private func request(_ command: DeviceCommand = .startSession, id: UInt64? = 7) -> DeviceRequest {
        DeviceRequest(device: device, timeout: .seconds(4), command: command, id: id)
    }

    /// A client that waits: the stream of its outcome, and its end at the rig.
    private func client() -> (outcomes: AsyncStream<DeviceRelay.Outcome>, waiter: DeviceRequests.Waiter) {
        let (outcomes, waiter) = AsyncStream.makeStream(
            of: DeviceRelay.Outcome.self, bufferingPolicy: .bufferingOldest(1))
        return (outcomes, waiter)
    }

    /// All outcomes that a client has got, which ends when its request has.
    private func outcomes(_ stream: AsyncStream<DeviceRelay.Outcome>) async -> [DeviceRelay.Outcome] {
        var outcomes: [DeviceRelay.Outcome] = []
        for await outcome in stream { outcomes.append(outcome) }
        return outcomes
    }

    private let done = DeviceRelay.Outcome.success(.controls(["gain": 7]))

    @Test func `A request is sent under a number, and its outcome goes to the client that asked`() async throws {
        let requests = DeviceRequests()
        let (stream, waiter) = client()
        #expect(try !requests.join(request(), waiter))
        let sent = try requests.begin(request(), for: waiter, at: now, isConnected: true)
        #expect(sent == [DeviceRequests.Numbered(number: 1, request: request())])
        #expect(requests.count == 1 && requests.nextDeadline == now + .seconds(4))
        #expect(requests.awaits(1, of: device.node))
        #expect(requests.handle(.answered(1, by: device.node, done)).isEmpty)
        #expect(await outcomes(stream) == [done])
        #expect(requests.count == 0 && requests.nextDeadline == nil && requests.waiterCount(of: 1) == 0)
    }

    @Test func `A request to a node that is not connected begins nothing`() throws {
        let requests = DeviceRequests()
        let (_, waiter) = client()
        let problem = #expect(throws: RigProblem.self) {
            try requests.begin(request(), for: waiter, at: now, isConnected: false)
        }
        #expect(problem?.code == .nodeUnreachable && requests.count == 0 && requests.waiterCount(of: 1) == 0)
    }

    @Test func `Repeats get the outcome of the first request, during and after it`() async throws {
        let requests = DeviceRequests()
        let clients = (0..<3).map { _ in client() }
        _ = try requests.begin(request(), for: clients[0].waiter, at: now, isConnected: true)
        #expect(try requests.join(request(), clients[1].waiter) && requests.waiterCount(of: 1) == 2)
        _ = requests.handle(.answered(1, by: device.node, done))
        #expect(try requests.join(request(), clients[2].waiter) && requests.count == 0)
        for client in clients { #expect(await outcomes(client.outcomes) == [done]) }
    }

    @Test func `The id of a request is not that of another one`() throws {
        let requests = DeviceRequests()
        let (_, waiter) = client()
        _ = try requests.begin(request(), for: waiter, at: now, isConnected: true)
        let problem = #expect(throws: RigProblem.self) { try requests.join(request(.resumeSession), waiter) }
        #expect(problem?.code == .conflict && requests.waiterCount(of: 1) == 1)
    }

    @Test func `Of endless repeats the newest wait on, and the oldest are told so`() async throws {
        let requests = DeviceRequests()
        let clients = (0..<DeviceRequests.waiterLimit + 3).map { _ in client() }
        _ = try requests.begin(request(), for: clients[0].waiter, at: now, isConnected: true)
        for client in clients.dropFirst() { #expect(try requests.join(request(), client.waiter)) }
        #expect(requests.waiterCount(of: 1) == DeviceRequests.waiterLimit)
        _ = requests.handle(.answered(1, by: device.node, done))
        for (number, client) in clients.enumerated() {
            guard case .failure(let problem)? = await outcomes(client.outcomes).first else {
                #expect(number >= 3)
                continue
            }
            #expect(number < 3 && problem.code == .conflict)
        }
    }

    @Test func `A node that is back is sent its requests again, and one that is gone ends them`() async throws {
        let requests = DeviceRequests()
        let (stream, waiter) = client()
        let sent = try requests.begin(request(), for: waiter, at: now, isConnected: true)
        #expect(requests.handle(.nodeConnected(device.node, hasRestarted: false)) == sent)
        #expect(requests.handle(.nodeGone(device.node)).isEmpty)
        guard case .failure(let problem)? = await outcomes(stream).first else {
            Issue.record("no failure")
            return
        }
        #expect(problem.code == .nodeUnreachable)
    }
}
