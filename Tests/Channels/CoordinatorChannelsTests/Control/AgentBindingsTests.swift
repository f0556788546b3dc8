import CaptureModel
import RigTestSupport
import Testing
import ZeroMQ

@testable import CoordinatorChannels

@Suite struct AgentBindingsTests {
    private let first = PeerID(bytes: [1])
    private let second = PeerID(bytes: [2])
    private let epoch = Samples.epoch(1)

    @Test("A node is spoken for by a connection of before, or a connection by two nodes")
    func oneEach() throws {
        let (north, south) = (try NodeName("north"), try NodeName("south"))
        var bindings = AgentBindings()
        bindings.bind(first, to: north, epoch, keeping: nil)
        bindings.bind(second, to: north, Samples.epoch(2), keeping: nil)
        #expect(!bindings.speaks(first, for: north, epoch) && bindings.speaks(second, for: north, Samples.epoch(2)))
        #expect(!bindings.speaks(second, for: north, epoch), "another life")
        bindings.bind(second, to: south, epoch, keeping: nil)
        #expect(bindings.peer(of: north) == nil && bindings.peer(of: south) == second)
        bindings.unbind(first)
        #expect(bindings.epoch(of: second) == epoch)
    }

    @Test("Connections of nodes that have gone are kept when there is no room, or those of others are not")
    func room() throws {
        let (north, south, east) = (try NodeName("north"), try NodeName("south"), try NodeName("east"))
        var bindings = AgentBindings()
        bindings.bind(first, to: north, epoch, keeping: nil)
        bindings.bind(second, to: south, epoch, keeping: nil)
        bindings.bind(PeerID(bytes: [3]), to: east, epoch, keeping: [south, east])
        #expect(bindings.peer(of: north) == nil)
        #expect(bindings.peer(of: south) == second && bindings.peer(of: east) == PeerID(bytes: [3]))
    }
}
