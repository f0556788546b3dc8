import CaptureModel
import CaptureTestSupport
import RigClient
import RigProtocol
import RigWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConditionTests {
    private let version: ContentDigest

    init() throws { version = try #require(ContentDigest(bytes: [UInt8](repeating: 7, count: 32))) }

    @Test func `Changes of a task with a condition carry it, and queries do not`() async throws {
        let bench = try Bench()
        let coordinator = try await bench.coordinator { request in
            switch request {
            case .listDevices: [.deviceList(.init())]
            case .conditionalChange: [.hold(.init())]
            case .releaseHold: [.hold(.init())]
            default: []
            }
        }
        try await bench.client.connect(to: coordinator.endpoint)
        try await bench.client.releaseHold()
        try await RigClient.$condition.withValue(ChangeCondition([version])) {
            _ = try await bench.client.devices()
            try await bench.client.releaseHold(overriding: "ben")
        }
        var requests: [WireClientRequest.OneOf_Body] = []
        for await request in coordinator.requests {
            requests.append(request)
            if requests.count == 3 { break }
        }
        guard case .releaseHold = requests[0], case .listDevices = requests[1],
            case .conditionalChange(let change) = requests[2]
        else {
            Issue.record("\(requests)")
            return
        }
        #expect(try ChangeCondition(wire: change) == ChangeCondition([version]))
        #expect(change.change.releaseHold.overrides == "ben")
        await coordinator.stop()
    }

    @Test func `A failed condition is an error with its code`() async throws {
        let bench = try Bench()
        var refusal = WireFailure()
        refusal.problem = RigProblem(.preconditionFailed, "the shot has changed").wire
        let coordinator = try await bench.coordinator { [refusal] _ in [.failure(refusal)] }
        try await bench.client.connect(to: coordinator.endpoint)
        var generator = SeededGenerator(seed: 1)
        let shot = ShotID(unixMilliseconds: 1, using: &generator)
        let code = await failure {
            try await RigClient.$condition.withValue(ChangeCondition([])) {
                _ = try await bench.client.edit(shot, ShotAnnotationEdit(title: "x"))
            }
        }
        #expect(code == .refused("preconditionFailed"))
        await coordinator.stop()
    }
}
