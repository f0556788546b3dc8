import CaptureModel
import Recording
import Testing

@Suite struct RecordableFramesTests {
    @Test(
        "Frames that wait for a slow disk take more memory than they may, or one that is larger than that never comes")
    func waitingFrames() async throws {
        func frame(_ number: UInt64, _ count: Int) -> RecordableFrame {
            RecordableFrame(
                sequence: number, time: BoundedRigTime(time: RigTime(nanoseconds: Int64(number)), bound: .zero),
                exposure: nil, gain: nil, jpeg: [UInt8](repeating: 0, count: count))
        }
        let frames = RecordableFrames(byteLimit: 1000)
        #expect(frames.offer(frame(1, 2000)) && !frames.offer(frame(2, 1)), "one is larger than the limit")
        #expect(await frames.forEach { $0.sequence } == 1)
        #expect(frames.offer(frame(3, 600)) && !frames.offer(frame(4, 401)) && frames.offer(frame(5, 400)))
        #expect(await frames.forEach { $0.sequence } == 3)
        #expect(frames.offer(frame(6, 600)))
        for number in 7..<UInt64(RecordableFrames.mostFrames + 5) { _ = frames.offer(frame(number, 0)) }
        frames.finish()
        #expect(!frames.offer(frame(1000, 0)))
        var taken: [UInt64] = []
        let none: Bool? = await frames.forEach { item in
            taken.append(item.sequence)
            return nil
        }
        #expect(none == nil && taken.count == RecordableFrames.mostFrames && taken.prefix(2) == [5, 6])
    }
}
