import CaptureModel
import CaptureTestSupport
import Testing

@testable import CoordinatorRuntime

@Suite(.timeLimit(.minutes(1))) struct LibraryWatchTests {
    private let clock = ManualTimeSource()

    @Test("Who asks for the state of the rig waits for a disk that hangs, or does not hear that it hangs")
    func hangingDisk() async {
        let (isHanging, asked) = (Observed(false), Observed(0))
        let watch = LibraryWatch(clock: clock) {
            asked.change { $0 += 1 }
            await isHanging.wait { !$0 }
            return Int64(asked.value)
        }
        let running = Task { await watch.run() }
        await clock.sleepers(atLeast: 1)
        #expect(watch.freeBytes == 1 && watch.silence == nil)
        isHanging.change { $0 = true }
        clock.advance(by: .seconds(1))
        await asked.wait { $0 == 2 }
        #expect(watch.silence == nil, "it has been asked just now")
        clock.advance(by: .seconds(12))
        #expect(watch.freeBytes == 1 && watch.silence == .seconds(12))
        isHanging.change { $0 = false }
        await clock.sleepers(atLeast: 1)
        #expect(watch.freeBytes == 2 && watch.silence == nil)
        running.cancel()
        await running.value
    }
}
