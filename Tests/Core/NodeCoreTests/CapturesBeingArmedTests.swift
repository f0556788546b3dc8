import CaptureModel
import CaptureTestSupport
import Testing

@testable import NodeCore

@Suite struct CapturesBeingArmedTests {
    private func key(_ number: Int64, _ device: String = "north/cam") throws -> CaptureKey {
        var generator = SeededGenerator(seed: UInt64(number))
        let shot = ShotID(unixMilliseconds: 1_795_000_000_000 + number, using: &generator)
        return CaptureKey(shot: shot, device: try DeviceID(device))
    }

    @Test("A cancelled shot stays armed on a camera that was slow to arm, or is armed twice")
    func cancelWhileArming() throws {
        var lanes = CapturesBeingArmed()
        let shot = try key(1)
        #expect(lanes.cancel(shot) == .carryOut)
        #expect(lanes.prepare(shot) == .carryOut)
        #expect(lanes.prepare(shot) == .passOver, "repeated every 250 ms")
        #expect(!lanes.isCancelled(shot))
        for _ in 0..<2 { #expect(lanes.cancel(shot) == .passOver) }
        #expect(lanes.prepare(shot) == .passOver)
        #expect(lanes.isCancelled(shot), "the cancel came before")
        lanes.finish(shot)
        lanes.finish(shot)
        #expect(!lanes.isCancelled(shot))
        #expect(lanes.prepare(shot) == .carryOut)
        #expect(!lanes.isCancelled(shot))
    }

    @Test("A camera that does not answer piles up work without end, or keeps shots from the others of its node")
    func bounds() throws {
        var lanes = CapturesBeingArmed()
        let (first, further, unknown) = (try key(3), try key(1000), try key(1001))
        for number in 0..<Int64(CapturesBeingArmed.limit) {
            let shot = try key(number)
            #expect(lanes.prepare(shot) == .carryOut)
        }
        #expect(lanes.prepare(further) == .refuse)
        #expect(lanes.cancel(first) == .passOver)
        #expect(lanes.cancel(unknown) == .carryOut)
        let other = try key(1000, "north/other")
        #expect(lanes.prepare(other) == .carryOut)
        lanes.finish(first)
        #expect(lanes.prepare(further) == .carryOut)
        #expect(lanes.prepare(unknown) == .refuse)
    }
}
