import CaptureModel
import Testing

@testable import CaptureEngine

@Suite(.timeLimit(.minutes(10))) struct FrameMailboxTests {
    private let mailbox = FrameMailbox()

    private func offer(_ sequence: UInt64) {
        let format = VideoFormat(pixelFormat: .mjpeg, width: 16, height: 16, frameInterval: .milliseconds(40))
        let time = LocalTime(nanoseconds: Int64(clamping: sequence))
        let frame = PictureFrame(
            sequence: sequence, midExposure: time, stampBound: .zero, exposure: nil, dequeued: time, ready: time,
            payload: [1])
        mailbox.offer(OfferedFrame(frame: frame, format: format, orientation: .degrees0, isMirrored: false))
    }

    @Test("Gives a slow viewer the newest frame and the count of missed ones")
    func newestWins() throws {
        offer(1)
        offer(2)
        offer(5)
        let (newest, drops) = try #require(mailbox.removeFrame())
        #expect(newest.frame.sequence == 5)
        #expect(drops.superseded == 2 && drops.beforeOutput == 2 && drops.total == 4)
        #expect(mailbox.removeFrame() == nil)
        offer(6)
        let (_, later) = try #require(mailbox.removeFrame())
        #expect(later == OutputDrops(), "losses are told once")
    }

    @Test("Counts no losses across the reopening of a camera")
    func restart() throws {
        offer(1000)
        _ = mailbox.removeFrame()
        offer(0)
        offer(1)
        let (_, drops) = try #require(mailbox.removeFrame())
        #expect(drops.beforeOutput == 0 && drops.superseded == 1)
    }

    @Test("Handles the largest sequence number")
    func extremes() throws {
        offer(0)
        offer(.max)
        offer(0)
        let (_, drops) = try #require(mailbox.removeFrame())
        #expect(drops.beforeOutput == UInt64.max - 1)
    }

    @Test("Keeps the losses before a frame that cannot be decoded")
    func givenBack() throws {
        offer(1)
        offer(3)
        var (_, drops) = try #require(mailbox.removeFrame())
        drops.undecodable += 1
        mailbox.restore(drops)
        offer(4)
        let told = try #require(mailbox.removeFrame()).1
        #expect(told.undecodable == 1 && told.beforeOutput == 1 && told.superseded == 1)
    }

    @Test("Ends the waiting of a consumer when its output is closed")
    func closed() async {
        offer(1)
        mailbox.close()
        offer(2)
        #expect(mailbox.removeFrame() == nil)
        while await mailbox.wait() {}
    }
}
