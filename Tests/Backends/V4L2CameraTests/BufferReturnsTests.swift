import CameraKit
import PosixSupport
import Testing

@testable import V4L2Camera

struct BufferReturnsTests {
    let signal: EventFlag
    let returns: BufferReturns

    init() throws {
        signal = try EventFlag()
        returns = BufferReturns(signal: signal)
    }

    @Test func aCameraShortOfBuffersWouldDropFramesUntilItsNextOne() {
        _ = returns.takeAll { _ in true }
        returns.add(3)
        #expect(signal.clear())
        #expect(returns.takeAll { _ in false } == [3])
    }

    @Test func everyFrameWouldWakeTheCamerasThreadTwice() {
        _ = returns.takeAll { _ in false }
        returns.add(3)
        returns.add(5)
        #expect(!signal.clear())
        #expect(returns.takeAll { _ in false } == [3, 5])
    }

    @Test func buffersThatCameBackBeforeTheLookWouldNotCount() {
        returns.add(1)
        returns.add(2)
        var counted = 0
        let taken = returns.takeAll { count in
            counted = count
            return count < 2
        }
        #expect(taken == [1, 2])
        #expect(counted == 2)
        returns.add(1)
        #expect(!signal.clear())
    }

    @Test func oneReturnWouldWakeTheThreadForEachAfterIt() {
        _ = returns.takeAll { _ in true }
        returns.add(1)
        #expect(signal.clear())
        returns.add(2)
        #expect(!signal.clear())
        #expect(returns.takeAll { _ in true } == [1, 2])
    }
}
