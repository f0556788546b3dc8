import CaptureModel
import Testing

@testable import CaptureEngine

@Suite(.timeLimit(.minutes(1))) struct FrameMailboxTests {
    private let mailbox = FrameMailbox()

    private func offer(_ sequence: UInt64) {
        let format = VideoFormat(pixelFormat: .mjpeg, width: 16, height: 16, frameInterval: .milliseconds(40))
        let time = LocalTime(nanoseconds: Int64(clamping: sequence))
        let frame = PictureFrame(
            sequence: sequence, midExposure: time, stampBound: .zero, exposure: nil, dequeued: time, ready: time,
            payload: [1])
        mailbox.offer(OfferedFrame(frame: frame, format: format, orientation: .degrees0, isMirrored: false))
    }

    @Test("A slow viewer is shown an old frame, or not told how many it has missed")
    func newestWins() throws {
        offer(1)
        offer(2)
        offer(5)
        let (newest, drops) = try #require(mailbox.take())
        #expect(newest.frame.sequence == 5)
        #expect(drops.superseded == 2 && drops.beforeOutput == 2 && drops.total == 4)
        #expect(mailbox.take() == nil)
        offer(6)
        let (_, later) = try #require(mailbox.take())
        #expect(later == OutputDrops(), "losses are told once")
    }

    @Test("A camera that was opened again counts as having lost frames")
    func restart() throws {
        offer(1000)
        _ = mailbox.take()
        offer(0)
        offer(1)
        let (_, drops) = try #require(mailbox.take())
        #expect(drops.beforeOutput == 0 && drops.superseded == 1)
    }

    @Test("A sequence number at its limit traps")
    func extremes() throws {
        offer(0)
        offer(.max)
        offer(0)
        let (_, drops) = try #require(mailbox.take())
        #expect(drops.beforeOutput == UInt64.max - 1)
    }

    @Test("The losses before a frame that could not be decoded are forgotten")
    func givenBack() throws {
        offer(1)
        offer(3)
        var (_, drops) = try #require(mailbox.take())
        drops.undecodable += 1
        mailbox.giveBack(drops)
        offer(4)
        let told = try #require(mailbox.take()).1
        #expect(told.undecodable == 1 && told.beforeOutput == 1 && told.superseded == 1)
    }

    @Test("A consumer waits for ever for an output that is closed, or is given a frame after that")
    func closed() async {
        offer(1)
        mailbox.close()
        offer(2)
        #expect(mailbox.take() == nil)
        while await mailbox.wait() {}
    }
}
