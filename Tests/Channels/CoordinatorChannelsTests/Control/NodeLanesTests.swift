import CaptureModel
import RigTestSupport
import Testing
import ZeroMQ

@testable import CoordinatorChannels

@Suite struct NodeLanesTests {
    private typealias Lanes = NodeLanes<Int>

    @Test("Processes messages of a node in order, one at a time")
    func order() throws {
        let (north, south) = (try NodeName("north"), try NodeName("south"))
        var lanes = Lanes()
        #expect(lanes.append(1, byteCount: 1, for: north) == .opened)
        #expect(lanes.append(2, byteCount: 1, for: north) == .queued)
        #expect(lanes.append(3, byteCount: 1, for: south) == .opened)
        #expect(lanes.first(of: north) == 1)
        lanes.removeFirst(of: north)
        #expect(lanes.first(of: north) == 2)
        lanes.removeFirst(of: north)
        #expect(lanes.first(of: north) == nil)
        #expect(lanes.append(4, byteCount: 1, for: north) == .opened)
    }

    @Test("Limits the bytes queued for a node that a disk delays")
    func bytesOfOne() throws {
        let node = try NodeName("north")
        var lanes = Lanes()
        #expect(lanes.append(1, byteCount: Lanes.laneByteLimit, for: node) == .opened)
        #expect(lanes.append(2, byteCount: 1, for: node) == .full)
        #expect(lanes.first(of: node) == 1)
        lanes.removeFirst(of: node)
        #expect(lanes.byteCount == 0)
    }

    @Test("Limits the memory of a peer that uses many names")
    func bytesOfAll() throws {
        var lanes = Lanes()
        for number in 0..<1000 {
            _ = lanes.append(number, byteCount: 1 << 20, for: try NodeName("rogue-\(number)"))
        }
        #expect(lanes.byteCount == Lanes.byteLimit)
        #expect(lanes.append(0, byteCount: 1, for: try NodeName("north")) == .full)
        #expect(lanes.first(of: try NodeName("north")) == nil)
        lanes.removeFirst(of: try NodeName("rogue-0"))
        #expect(lanes.append(0, byteCount: 1, for: try NodeName("north")) == .opened)
    }

    @Test("Keeps places for later nodes under endless names")
    func names() throws {
        var lanes = Lanes()
        for number in 0..<Lanes.laneLimit {
            #expect(lanes.append(number, byteCount: 1, for: try NodeName("rogue-\(number)")) == .opened)
        }
        #expect(lanes.append(0, byteCount: 1, for: try NodeName("north")) == .noLane)
        lanes.removeFirst(of: try NodeName("rogue-7"))
        #expect(lanes.append(0, byteCount: 1, for: try NodeName("north")) == .opened)
    }
}

@Suite struct AgentBindingsTests {
    private let first = PeerID(bytes: [1])
    private let second = PeerID(bytes: [2])
    private let epoch = Samples.epoch(1)

    @Test("Binds one node to its newest connection")
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

    @Test("Forgets connections of absent nodes first when there is no room")
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
