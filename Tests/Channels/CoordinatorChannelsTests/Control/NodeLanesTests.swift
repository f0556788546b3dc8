import CaptureModel
import Testing

@testable import CoordinatorChannels

@Suite struct NodeLanesTests {
    private typealias Lanes = NodeLanes<Int>

    @Test("Messages of a node are carried out in another order, or side by side")
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

    @Test("A node that a disk holds up gathers more bytes than are its share")
    func bytesOfOne() throws {
        let node = try NodeName("north")
        var lanes = Lanes()
        #expect(lanes.append(1, byteCount: Lanes.laneByteLimit, for: node) == .opened)
        #expect(lanes.append(2, byteCount: 1, for: node) == .full)
        #expect(lanes.first(of: node) == 1)
        lanes.removeFirst(of: node)
        #expect(lanes.byteCount == 0)
    }

    @Test("A stranger with many names takes the coordinator's memory, a share for each name")
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

    @Test("Names without end take the place of nodes that come later")
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
