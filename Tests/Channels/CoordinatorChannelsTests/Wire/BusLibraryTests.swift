import CaptureModel
import RigProtocol
import RigWire
import Testing
import ZeroMQ

@testable import CoordinatorChannels

@Suite(.timeLimit(.minutes(1))) struct BusLibraryTests {
    @Test("The status has the libzmq of the coordinator and of each node that tells its own")
    func status() async throws {
        let bench = try await WireBench()
        let told: [String: WireBusLibrary?] = [
            "east": BusLibrary(version: "4.3.5", isHardened: true).wire,
            "north": BusLibrary(version: "4.3.4", isHardened: false).wire,
            "west": nil,
        ]
        var agents: [FakeAgent] = []
        for (node, library) in told {
            let agent = try await FakeAgent(bench, node: node)
            var hello = try FakeAgent.hello(node)
            if let library { hello.busLibrary = library }
            try await agent.send(.hello(hello))
            _ = try await agent.receive()
            agents.append(agent)
        }
        let status = try #require(try await bench.status(try await bench.dealer(bench.client)))
        let seen = status.nodes.map { $0.hasBusLibrary ? $0.busLibrary : nil }
        #expect(seen == ["east", "north", "west"].map { told[$0] ?? nil })
        #expect(status.busLibrary.version == ZeroMQLibrary.linked.version)
        #expect(status.busLibrary.hardened == ZeroMQLibrary.linked.isHardened)
        await bench.end()
    }
}
