import CameraKit
import Testing

@testable import V4L2Camera

struct SequenceWidenerTests {
    @Test func aCounterThatWrapsWouldEndTheCountOfFrames() {
        var widener = SequenceWidener()
        let steps = [UInt32.max - 1, .max, 0, 1].map { widener.step(to: $0) }
        let first = UInt64(UInt32.max) - 1
        #expect(steps.map(\.sequence) == [first, first + 1, first + 2, first + 3])
        #expect(steps.allSatisfy { $0.skipped == 0 })
    }

    @Test func framesLostInTheDriverWouldNotBeCounted() {
        var widener = SequenceWidener()
        let steps = [UInt32(7), 8, 11, 12].map { widener.step(to: $0) }
        #expect(steps.map(\.skipped) == [0, 0, 2, 0])
        #expect(steps.map(\.sequence) == [7, 8, 11, 12])
    }

    @Test func framesLostAcrossTheWrapWouldNotBeCounted() {
        var widener = SequenceWidener()
        _ = widener.step(to: .max)
        #expect(widener.step(to: 3) == .init(sequence: UInt64(UInt32.max) + 4, skipped: 3))
    }

    @Test(arguments: [UInt32(0), 99, 100]) func aRestartedCounterWouldCountBillionsOfLostFrames(_ restart: UInt32) {
        var widener = SequenceWidener()
        _ = widener.step(to: 100)
        #expect(widener.step(to: restart) == .init(sequence: 101, skipped: 0))
        #expect(widener.step(to: restart &+ 1) == .init(sequence: 102, skipped: 0))
    }
}
