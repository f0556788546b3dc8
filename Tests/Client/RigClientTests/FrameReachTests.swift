import Testing
import ZeroMQ

@testable import RigClient

/// What a viewer's connection says of frames to come.
@Suite struct FrameReachTests {
    private func obstacle(
        _ events: [ConnectionEvent.Kind], isOwnMachine: Bool = true
    ) -> FrameReach.Obstacle? {
        var reach = FrameReach()
        reach.connects(isOwnMachine: isOwnMachine)
        for kind in events { reach.note(ConnectionEvent(kind: kind, endpoint: "tcp://127.0.0.1:7720")) }
        return reach.obstacle
    }

    private let failures: [[ConnectionEvent.Kind]] = [
        [.connectDelayed, .connectRetried(after: .milliseconds(100))], [.connected, .handshakeFailed(code: "EPIPE")],
        [.connected, .disconnected],
    ]

    @Test func `A loopback address where nothing or another program answers is that of another machine`() {
        for failure in failures { #expect(obstacle(failure) == .onOtherMachine) }
    }

    @Test func `Another address may become reachable`() {
        for failure in failures { #expect(obstacle(failure, isOwnMachine: false) == nil) }
    }

    @Test func `A node that was reached before is being started again`() {
        for failure in failures {
            #expect(obstacle([.connected, .handshakeSucceeded, .disconnected] + failure) == nil)
        }
    }

    @Test func `A refused key is told until the next attempt`() {
        let refusal: [ConnectionEvent.Kind] = [.connected, .authenticationFailed(status: 400)]
        #expect(obstacle(refusal) == .keyRefused)
        #expect(obstacle([.connected, .handshakeSucceeded, .disconnected] + refusal) == .keyRefused)
        var reach = FrameReach()
        for kind in refusal { reach.note(ConnectionEvent(kind: kind, endpoint: "tcp://10.0.0.9:7720")) }
        reach.retry()
        #expect(reach.obstacle == nil)
    }
}
